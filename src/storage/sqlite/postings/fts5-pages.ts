/** Reads the bytes of FTS5's own tables: the list of segments, the terms of a leaf page and the rows of a term. */

import { readVarints } from '../bm25.js'

/** The index is not exactly as expected. The caller never guesses: it asks SQL instead. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

export function expectThat(holds: boolean, expectation: string): asserts holds {
  if (!holds) throw new Unreadable(expectation)
}

/** One sorted run of terms: leaf pages `first` to `last`, each a row of the data table. */
export type Segment = {
  readonly id: number
  readonly level: number
  readonly first: number
  readonly last: number
}

export type Structure = {
  readonly cookie: number
  /** Grows by the leaf pages of every flush, where merges are automatic; merges do not change it. */
  readonly writes: number
  /** The newest first: what it says of a row and a term hides what older ones say. */
  readonly segments: readonly Segment[]
}

const COOKIE_BYTES = 4
/** Follows the cookie in the record of a contentless table that can delete. */
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
    next() // How many of them are being merged.
    const count = next()
    seen += count
    expectThat(seen <= expected, 'as many segments as announced')
    const own: Segment[] = []
    for (let i = 0; i < count; i++) {
      const segment = { id: next(), level, first: next(), last: next() }
      expectThat(segment.id <= MAX_SEGMENTS && segment.first <= segment.last, 'a segment')
      // An emptied segment has moved into the one that it is being merged into.
      if (segment.last > 0) own.push(segment)
    }
    segments.push(...own.reverse())
  }
  expectThat(seen === expected && at === numbers.length, 'as many segments as announced')
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength)
  return { cookie: view.getUint32(0), writes, segments }
}

/** Two bytes: where the first row of a list begins that continues from the page before; two: where the footer begins. */
const HEADER_BYTES = 4

export type Rows = {
  readonly start: number
  readonly end: number
  /** Whether they may continue on the next page: the term is the last one of this page. */
  readonly isCut: boolean
}

/** The content ends where the footer begins, which holds the offsets of the terms. */
function readFooter(page: Uint8Array): number {
  const footer = readU16(page, 2)
  expectThat(footer >= HEADER_BYTES && footer <= page.length, 'a leaf page')
  return footer
}

/** Where the first term of the page begins, or the footer where there is no term. */
function readFirstTerm(page: Uint8Array): number {
  const footer = readFooter(page)
  if (footer === page.length) return footer
  const first = readVarint(page, { at: footer })
  expectThat(first >= HEADER_BYTES && first < footer, 'the offset of a term')
  return first
}

/** A term shares its first `shared` bytes with the term before; the others are the page's `from` to `rows.start`. */
export function* readTerms(page: Uint8Array) {
  const footer = readFooter(page)
  const index = { at: footer }
  let offset = readFirstTerm(page)
  if (offset < footer) readVarint(page, index)
  for (let isFirst = true; offset < footer; isFirst = false) {
    const cursor = { at: offset }
    const shared = isFirst ? 0 : readVarint(page, cursor)
    const start = readVarint(page, cursor) + cursor.at
    const isCut = index.at >= page.length
    const end = isCut ? footer : offset + readVarint(page, index)
    expectThat(start <= end && end <= footer, 'rows after a term')
    yield { shared, from: cursor.at, rows: { start, end, isCut } }
    offset = isCut ? footer : end
  }
}

export function findTerm(page: Uint8Array, term: Uint8Array): Rows | null {
  // How many bytes the sought term shares with the last one that was smaller.
  let matched = 0
  for (const { shared, from, rows } of readTerms(page)) {
    if (shared < matched) return null
    if (shared > matched) continue
    let at = from
    while (at < rows.start && matched < term.length && page[at] === term[matched]) {
      at++
      matched++
    }
    if (matched === term.length) return at === rows.start ? rows : null
    if (at < rows.start && (page[at] as number) > (term[matched] as number)) return null
  }
  return null
}

/** Seven bits per byte, the highest bits first. */
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

/** Rows are stored in 32 bits, and arrays are as long as the last one: SQL answers for a file that counts further. */
export const LAST_ROW = 2 ** 26

export type NextPage = () => Uint8Array | null

/**
 * Walks over the rows of one term in one segment. An entry is the row (less the one before, except for the first of a page),
 * twice the length of its positions plus 1 where it replaces an older entry, and the positions. An entry without positions
 * says that the row is gone.
 */
export class Doclist {
  row = -1
  /** The positions are `bytes` between `from` and `to`. */
  bytes: Uint8Array
  from = 0
  to = 0
  #page: Uint8Array
  #at: number
  #end: number
  #isCut: boolean
  #isFirst = true
  /** Where the first row of a continued page must begin. */
  #firstRow = -1
  readonly #nextPage: NextPage

  constructor(page: Uint8Array, rows: Rows, nextPage: NextPage) {
    this.#page = page
    this.bytes = page
    this.#at = rows.start
    this.#end = rows.end
    this.#isCut = rows.isCut
    this.#nextPage = nextPage
  }

  next(): boolean {
    // Where nothing comes before the first term of a page, the list ended with the page before.
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
      this.#gather(length)
    }
    return true
  }

  #gather(length: number): void {
    const bytes = new Uint8Array(length)
    let gathered = 0
    while (gathered < length) {
      if (this.#at >= this.#end) expectThat(this.#turnPage(), 'the rest of the positions')
      const piece = Math.min(length - gathered, this.#end - this.#at)
      bytes.set(this.#page.subarray(this.#at, this.#at + piece), gathered)
      gathered += piece
      this.#at += piece
    }
    this.bytes = bytes
    this.from = 0
    this.to = length
  }

  #turnPage(): boolean {
    const page = this.#isCut ? this.#nextPage() : null
    if (page === null) {
      this.#isCut = false
      return false
    }
    this.#page = page
    this.#at = HEADER_BYTES
    this.#end = readFirstTerm(page)
    this.#isCut = this.#end === page.length
    this.#isFirst = true
    this.#firstRow = readU16(page, 0)
    return true
  }
}
