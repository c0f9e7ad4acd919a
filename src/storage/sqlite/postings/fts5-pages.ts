/** Parses the FTS5 file format: the structure record, the terms of a leaf page and the doclist of a term. */

import { readVarints } from '../bm25.js'

/** The index is not exactly as expected. The caller does not guess but uses SQL instead. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

export function expectThat(holds: boolean, expectation: string): asserts holds {
  if (!holds) throw new Unreadable(expectation)
}

/** A sorted run of terms in the leaf pages `first` to `last`. Each page is a row of the data table. */
export type Segment = {
  readonly id: number
  readonly level: number
  readonly first: number
  readonly last: number
}

export type Structure = {
  readonly cookie: number
  /** Grows with every flush by the number of leaf pages written (with automatic merges). Merges do not change it. */
  readonly writes: number
  /** Newest first. The entry of a newer segment for a row and term replaces those of older segments. */
  readonly segments: readonly Segment[]
}

const COOKIE_BYTES = 4
/** Follows the cookie in the structure record of a contentless table that supports deletes. */
const SECOND_FORMAT = [0xff, 0x00, 0x00, 0x01] as const
const MAX_SEGMENTS = 2000

export function readStructure(record: Uint8Array): Structure {
  expectThat(record.length > COOKIE_BYTES, 'a structure record')
  const isSecond = SECOND_FORMAT.every((byte, i) => record[COOKIE_BYTES + i] === byte)
  expectThat(!isSecond, 'the first format of structure records')
  const numbers = readVarints(record.subarray(COOKIE_BYTES))
  let at = 0
  const next = (): number => {
    const number = numbers[at++]
    expectThat(number !== undefined, 'a whole structure record')
    return number
  }
  const [levels, expected, writes] = [next(), next(), next()]
  expectThat(levels <= MAX_SEGMENTS && expected <= MAX_SEGMENTS, 'a possible number of segments')
  const segments: Segment[] = []
  let seen = 0
  for (let level = 0; level < levels; level++) {
    next() // The number of segments that take part in a merge.
    const count = next()
    seen += count
    expectThat(seen <= expected, 'as many segments as announced')
    const own: Segment[] = []
    for (let i = 0; i < count; i++) {
      const segment = { id: next(), level, first: next(), last: next() }
      expectThat(segment.id <= MAX_SEGMENTS && segment.first <= segment.last, 'a segment')
      // A running merge has moved all terms of an empty segment to its output segment.
      if (segment.last > 0) own.push(segment)
    }
    segments.push(...own.reverse())
  }
  expectThat(seen === expected && at === numbers.length, 'as many segments as announced')
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength)
  return { cookie: view.getUint32(0), writes, segments }
}

/** Two bytes: the offset of the first row of a doclist continued from the previous page. Two bytes: the offset of the footer. */
const HEADER_BYTES = 4

/** Where the doclist of a term lies in its page. */
export type DoclistRange = {
  readonly start: number
  readonly end: number
  /** True for the last term of a page: its doclist may continue on the next page. */
  readonly mayContinue: boolean
}

/** Returns the offset of the footer, which ends the content and holds the offsets of the terms. */
function readFooter(page: Uint8Array): number {
  const footer = readU16(page, 2)
  expectThat(footer >= HEADER_BYTES && footer <= page.length, 'a leaf page')
  return footer
}

/** Returns the offset of the first term, or of the footer if the page has no term. */
function readFirstTerm(page: Uint8Array): number {
  const footer = readFooter(page)
  if (footer === page.length) return footer
  const first = readVarint(page, { at: footer })
  expectThat(first >= HEADER_BYTES && first < footer, 'the offset of a term')
  return first
}

/** A term shares its first `shared` bytes with the previous term. The page has the others, from `from` to `doclist.start`. */
export function* readTerms(page: Uint8Array) {
  const footer = readFooter(page)
  const index = { at: footer }
  let offset = readFirstTerm(page)
  if (offset < footer) readVarint(page, index)
  for (let isFirst = true; offset < footer; isFirst = false) {
    const cursor = { at: offset }
    const shared = isFirst ? 0 : readVarint(page, cursor)
    const start = readVarint(page, cursor) + cursor.at
    const isLast = index.at >= page.length
    const end = isLast ? footer : offset + readVarint(page, index)
    expectThat(start <= end && end <= footer, 'rows after a term')
    yield { shared, from: cursor.at, doclist: { start, end, mayContinue: isLast } }
    offset = isLast ? footer : end
  }
}

export function findTerm(page: Uint8Array, term: Uint8Array): DoclistRange | null {
  // The length of the common prefix of the wanted term and the last smaller one.
  let matched = 0
  for (const { shared, from, doclist } of readTerms(page)) {
    if (shared < matched) return null
    if (shared > matched) continue
    let at = from
    while (at < doclist.start && matched < term.length && page[at] === term[matched]) {
      at++
      matched++
    }
    if (matched === term.length) return at === doclist.start ? doclist : null
    if (at < doclist.start && (page[at] as number) > (term[matched] as number)) return null
  }
  return null
}

/** Reads a varint: seven bits per byte, the most significant first. */
function readVarint(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0
  for (;;) {
    const byte = bytes[cursor.at++]
    expectThat(byte !== undefined, 'a whole number')
    value = value * 128 + (byte & 127)
    if (byte < 128) return value
  }
}

function readU16(page: Uint8Array, at: number): number {
  expectThat(page.length >= HEADER_BYTES, 'a leaf page')
  return (page[at] as number) * 256 + (page[at + 1] as number)
}

/** The highest supported row number, because arrays have an entry for every row. SQL ranks files with higher numbers. */
export const LAST_ROW = 2 ** 26

export type NextPage = () => Uint8Array | null

/**
 * Iterates over the rows of one term in one segment. An entry consists of the row (as a difference to the previous row,
 * except for the first of a page), twice the length of its position list, plus 1 if it replaces an older entry, and the
 * position list. An empty position list means that the row was deleted.
 */
export class Doclist {
  row = -1
  /** The position list is `bytes` from `from` to before `to`. */
  bytes: Uint8Array
  from = 0
  to = 0
  #page: Uint8Array
  #at: number
  #end: number
  #mayContinue: boolean
  #isFirst = true
  /** Where the first row of a continued page must begin. */
  #firstRow = -1
  readonly #nextPage: NextPage

  constructor(page: Uint8Array, range: DoclistRange, nextPage: NextPage) {
    this.#page = page
    this.bytes = page
    this.#at = range.start
    this.#end = range.end
    this.#mayContinue = range.mayContinue
    this.#nextPage = nextPage
  }

  next(): boolean {
    // If the next page begins with a term, the doclist ended with this page.
    while (this.#at >= this.#end) if (!this.#turnPage()) return false
    const page = this.#page
    let at = this.#at
    let byte = page[at++] as number
    let step = byte & 127
    while (byte >= 128) {
      byte = page[at++] as number
      step = step * 128 + (byte & 127)
    }
    if (this.#isFirst) {
      expectThat(this.#firstRow === -1 || this.#firstRow === this.#at, 'the first row of a page')
      step -= this.row
      this.#isFirst = false
    }
    this.row += step
    expectThat(step > 0 && this.row <= LAST_ROW, 'rows in order')
    byte = page[at++] as number
    let size = byte & 127
    while (byte >= 128) {
      byte = page[at++] as number
      size = size * 128 + (byte & 127)
    }
    expectThat(at <= this.#end && size >= 1, 'a whole entry')
    const length = Math.floor(size / 2)
    this.#at = at + length
    if (this.#at <= this.#end) {
      this.bytes = page
      this.from = at
      this.to = this.#at
    } else {
      this.#at = at
      this.#joinPages(length)
    }
    return true
  }

  /** Copies a position list that spans several pages. */
  #joinPages(length: number): void {
    const bytes = new Uint8Array(length)
    let copied = 0
    while (copied < length) {
      if (this.#at >= this.#end) expectThat(this.#turnPage(), 'the rest of the positions')
      const count = Math.min(length - copied, this.#end - this.#at)
      bytes.set(this.#page.subarray(this.#at, this.#at + count), copied)
      copied += count
      this.#at += count
    }
    this.bytes = bytes
    this.from = 0
    this.to = length
  }

  #turnPage(): boolean {
    const page = this.#mayContinue ? this.#nextPage() : null
    if (page === null) {
      this.#mayContinue = false
      return false
    }
    this.#page = page
    this.#at = HEADER_BYTES
    this.#end = readFirstTerm(page)
    this.#mayContinue = this.#end === page.length
    this.#isFirst = true
    this.#firstRow = readU16(page, 0)
    return true
  }
}
