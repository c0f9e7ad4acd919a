/** Reads the posting lists of words and phrases from all segments, merges them and caches them. */

import { Buffer } from 'node:buffer'
import type { Statements } from '../statements.js'
import { type Bits, hasRow } from './bits.js'
import { type Doclist, expectThat } from './fts5-pages.js'
import { type BlockList, BlockWriter, COLUMN_STRIDE } from './passages.js'
import type { RowLengths } from './row-lengths.js'
import type { IndexVersion, KnownSegment, SegmentReader } from './segments.js'
import { COLUMN_MARK, NOWHERE, type Tallies } from './tallies.js'

/** The rows that hold a word or phrase, ascending, and the tally code of each. */
export type PostingList = {
  readonly rows: Uint32Array
  readonly tallies: Uint16Array
  /** Its positions in long rows, one list per segment, newest first. The first list that has a row replaces the older ones. */
  readonly blocks: readonly BlockList[]
}

const EMPTY: PostingList = { rows: new Uint32Array(0), tallies: new Uint16Array(0), blocks: [] }

/** Precedes every term of the main index; other digits precede prefixes. */
const MAIN_INDEX = '0'

/** How many rows of a phrase are checked between two looks at the clock. */
const ROWS_PER_CHECK = 256

type Version = Pick<IndexVersion, 'number' | 'segments'>

type ListOptions = {
  readonly cache: ListCache<PostingList | null>
  readonly statements: Pick<Statements, 'budget'>
  readonly rowLengths: Pick<RowLengths, 'isLong'>
}

export function createTermLists(reader: SegmentReader, tallies: Tallies, options: ListOptions) {
  const { cache, rowLengths } = options
  const { budget } = options.statements
  /** Without time to read a list the postings give up. The caller falls back to SQL, which then stops at its first row. */
  const assertTime = (): void => expectThat(!budget.isSpent(), 'enough time')

  /** Reads one list for each segment that has the term, newest first. Deleted rows have the tally `NOWHERE`. */
  const readParts = ({ segments }: Version, term: string): PostingList[] => {
    const keyOf = ({ serial }: KnownSegment): string => `s${serial} ${term}`
    const known = segments.map((segment) => cache.get(keyOf(segment)))
    const unread = segments.filter((_, i) => known[i] === undefined)
    const doclists = reader.openLists(unread, encodeTerm(term))
    const parts = known.map((part, i) => {
      if (part !== undefined) return part
      const doclist = doclists.shift() ?? null
      const read = doclist === null ? null : readList(doclist, tallies, rowLengths)
      const key = keyOf(segments[i] as KnownSegment)
      return cache.set(key, read, read === null ? 0 : countBytes(read))
    })
    return parts.filter((part) => part !== null)
  }

  const readTerm = (version: Version, term: string): PostingList => {
    const key = `v${version.number} ${term}`
    const known = cache.get(key)
    if (known) return known
    assertTime()
    const parts = readParts(version, term)
    // From the newest to the oldest, because new segments are small and merging copies.
    const merged = parts.reduce((newer, older) => mergeTwo(older, newer), EMPTY)
    const list = selectTallies(merged, (tally) => tally !== NOWHERE)
    // The list of a single segment is already cached. A second entry would keep it in memory after the first is evicted.
    if (!parts.includes(list)) cache.set(key, list, countBytes(list))
    budget.isSpentAfterWork()
    return list
  }

  /** Finds the rows in which the words follow each other in one column. `positions[i]` are those of the i-th word in `rows`. */
  const findPhrase = (rows: Uint32Array, positions: readonly Positions[]): PostingList => {
    const [first, ...others] = positions
    const found: number[] = []
    const codes: number[] = []
    const counts = new Array<number>(tallies.columns)
    const long = new BlockWriter()
    for (const [i, row] of first === undefined ? [] : rows.entries()) {
      if (i % ROWS_PER_CHECK === 0) assertTime()
      counts.fill(0)
      const following = others.map(({ all, from, to }) => new Set(all.slice(from[i], to[i])))
      const starts = (first?.all.slice(first.from[i], first.to[i]) ?? []).filter((start) =>
        following.every((own, word) => own.has(start + word + 1)),
      )
      if (starts.length === 0) continue
      for (const start of starts) {
        const column = Math.floor(start / COLUMN_STRIDE)
        counts[column] = (counts[column] ?? 0) + 1
      }
      if (rowLengths.isLong(row)) long.add(row, starts)
      found.push(row)
      codes.push(tallies.encode(counts))
    }
    return {
      rows: new Uint32Array(found),
      tallies: new Uint16Array(codes),
      blocks: long.finish(),
    }
  }

  const readPhrase = (version: Version, terms: readonly string[]): PostingList => {
    const key = `v${version.number} ${terms.join(' ')}`
    const known = cache.get(key)
    if (known) return known
    assertTime()
    const distinct = [...new Set(terms)]
    const rows = intersectRows(distinct.map((term) => readTerm(version, term)))
    const read = new Map(
      distinct.map((term) => {
        const positions = new Positions(rows)
        const doclists =
          rows.length === 0 ? [] : reader.openLists(version.segments, encodeTerm(term))
        for (const doclist of doclists) if (doclist !== null) positions.add(doclist)
        assertTime()
        return [term, positions]
      }),
    )
    const positions = terms.flatMap((term) => read.get(term) ?? [])
    const list = findPhrase(rows, positions)
    cache.set(key, list, countBytes(list))
    budget.isSpentAfterWork()
    return list
  }

  return (version: Version, terms: readonly string[]): PostingList =>
    terms.length === 1 ? readTerm(version, terms[0] ?? '') : readPhrase(version, terms)
}

function encodeTerm(term: string): Uint8Array {
  return Buffer.from(MAIN_INDEX + term)
}

export function countBytes({ rows, blocks }: PostingList): number {
  const perRow = Uint32Array.BYTES_PER_ELEMENT + Uint16Array.BYTES_PER_ELEMENT
  return blocks.reduce((sum, { bytes }) => sum + bytes, rows.length * perRow)
}

function readList(
  doclist: Doclist,
  tallies: Tallies,
  rowLengths: ListOptions['rowLengths'],
): PostingList {
  const rows: number[] = []
  const codes: number[] = []
  const long = new BlockWriter()
  while (doclist.next()) {
    rows.push(doclist.row)
    codes.push(tallies.encodePositions(doclist.bytes, doclist.from, doclist.to))
    if (rowLengths.isLong(doclist.row)) long.add(doclist.row, readPositions(doclist))
  }
  return {
    rows: new Uint32Array(rows),
    tallies: new Uint16Array(codes),
    blocks: long.finish(),
  }
}

/** Merges two lists. The newer entry of a row replaces the older one. */
function mergeTwo(older: PostingList, newer: PostingList): PostingList {
  if (older.rows.length === 0) return newer
  if (newer.rows.length === 0) return older
  const size = older.rows.length + newer.rows.length
  const blocks = [...newer.blocks, ...older.blocks]
  const rows = new Uint32Array(size)
  const tallies = new Uint16Array(size)
  // Usually the newer segment has only higher rows.
  if ((older.rows.at(-1) as number) < (newer.rows[0] as number)) {
    rows.set(older.rows)
    rows.set(newer.rows, older.rows.length)
    tallies.set(older.tallies)
    tallies.set(newer.tallies, older.rows.length)
    return { rows, tallies, blocks }
  }
  let [length, i, j] = [0, 0, 0]
  while (i < older.rows.length || j < newer.rows.length) {
    const left = i < older.rows.length ? (older.rows[i] as number) : Number.POSITIVE_INFINITY
    const right = j < newer.rows.length ? (newer.rows[j] as number) : Number.POSITIVE_INFINITY
    if (left < right) {
      rows[length] = left
      tallies[length++] = older.tallies[i++] as number
      continue
    }
    if (left === right) i++
    rows[length] = right
    tallies[length++] = newer.tallies[j++] as number
  }
  return { rows: rows.slice(0, length), tallies: tallies.slice(0, length), blocks }
}

/** Keeps the rows whose tally passes. Returns the list itself if all do. */
export function selectTallies(list: PostingList, passes: (tally: number) => boolean): PostingList {
  if (list.tallies.every(passes)) return list
  return {
    rows: list.rows.filter((_, i) => passes(list.tallies[i] as number)),
    tallies: list.tallies.filter(passes),
    blocks: list.blocks,
  }
}

export function selectRows({ rows, tallies, blocks }: PostingList, among: Bits): PostingList {
  return {
    blocks,
    rows: rows.filter((row) => hasRow(among, row)),
    tallies: tallies.filter((_, i) => hasRow(among, rows[i] as number)),
  }
}

/** Returns the first index at or after `from` whose row is at least `row`, by galloping search; the length if there is none. */
export function seek(rows: Uint32Array, row: number, from = 0): number {
  let step = 1
  let low = from
  let high = from
  while (high < rows.length && (rows[high] as number) < row) {
    low = high + 1
    high += step
    step *= 2
  }
  if (high > rows.length) high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle] as number) < row) low = middle + 1
    else high = middle
  }
  return low
}

function intersectRows(lists: readonly PostingList[]): Uint32Array {
  const [shortest = EMPTY, ...others] = lists.toSorted((a, b) => a.rows.length - b.rows.length)
  return shortest.rows.filter((row) => others.every(({ rows }) => rows[seek(rows, row)] === row))
}

/** FTS5 adds this to every difference of two positions, so that none equals the column mark. */
const STEP_BIAS = 2

/** The positions of a term in given rows: those of the i-th row are `all[from[i]]` to before `all[to[i]]`. */
class Positions {
  readonly all: number[] = []
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly #rows: Uint32Array
  readonly #isKnown: Uint8Array

  constructor(rows: Uint32Array) {
    this.#rows = rows
    this.#isKnown = new Uint8Array(rows.length)
    this.from = new Uint32Array(rows.length)
    this.to = new Uint32Array(rows.length)
  }

  /** Adds the positions in rows that have none yet. Call it from the newest segment to the oldest. */
  add(doclist: Doclist): void {
    let i = 0
    while (i < this.#rows.length && doclist.next()) {
      while (i < this.#rows.length && (this.#rows[i] as number) < doclist.row) i++
      if (this.#rows[i] !== doclist.row || this.#isKnown[i] === 1) continue
      this.#isKnown[i] = 1
      this.from[i] = this.all.length
      for (const position of readPositions(doclist)) this.all.push(position)
      this.to[i] = this.all.length
    }
  }
}

function readPositions({ bytes, from, to }: Doclist): number[] {
  const positions: number[] = []
  let at = from
  let position = 0
  while (at < to) {
    let byte = bytes[at++] as number
    if (byte === COLUMN_MARK) {
      position = (bytes[at++] as number) * COLUMN_STRIDE
      continue
    }
    let step = byte & 127
    while (byte >= 128) {
      byte = bytes[at++] as number
      step = step * 128 + (byte & 127)
    }
    position += step - STEP_BIAS
    positions.push(position)
  }
  expectThat(at === to, 'whole positions')
  return positions
}

/** The approximate overhead of an entry. */
const ENTRY_BYTES = 250

/**
 * A least recently used cache, limited in bytes. A key begins with the owner of its entry: a version of the index (`v3 `)
 * or a segment (`s7 `).
 */
export class ListCache<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly bytes: number }>()
  readonly #maxBytes: number
  #bytes = 0
  #version = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Drops the entries of other versions and segments, which no later search needs. */
  retain({ number, segments }: Version): void {
    if (number === this.#version) return
    this.#version = number
    const owners = new Set([`v${number}`, ...segments.map(({ serial }) => `s${serial}`)])
    for (const [key, { bytes }] of this.#entries) {
      if (owners.has(key.slice(0, key.indexOf(' ')))) continue
      this.#entries.delete(key)
      this.#bytes -= bytes
    }
  }

  set(key: string, value: T, bytes: number): T {
    const entry = { value, bytes: bytes + ENTRY_BYTES }
    this.#bytes += entry.bytes - (this.#entries.get(key)?.bytes ?? 0)
    this.#entries.set(key, entry)
    for (const [oldest, { bytes: freed }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.#entries.delete(oldest)
      this.#bytes -= freed
    }
    return value
  }
}
