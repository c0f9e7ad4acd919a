/** Promise: what a segment says of a term is read from its leaf pages, and from no page more than needed. */

import type { Statements } from '../statements.js'
import { Doclist, type NextPage } from './doclist.js'
import { findTerm, firstTermOf, footerOf, readVarint } from './leaf-page.js'
import { ListBuilder, type PostingList } from './posting-list.js'
import type { Segment } from './structure.js'
import { NOWHERE, type Tallies } from './tallies.js'
import { expectThat } from './unreadable.js'

/** Where the leaf pages of a segment lie among the rows of the data table. */
const SEGMENT_SHIFT = 2 ** 37
/** A list that goes on is read ahead: a few pages first, then many at a time. */
const FIRST_AHEAD = 4
const MOST_AHEAD = 64
/** A position of this value says that the next one names a column. */
const COLUMN_MARK = 1
/** What is added to every step between two positions, so that none looks like the mark. */
const STEP_BIAS = 2
/** Columns lie this far apart where a position is one number. */
export const COLUMN_STRIDE = 2 ** 32

const SQL = {
  pageOf: (table: string) => `SELECT pgno FROM ${table}_idx WHERE segid = ? AND term <= ?
    ORDER BY term DESC LIMIT 1`,
  page: (table: string) => `SELECT block FROM ${table}_data WHERE id = ?`,
  pages: (table: string) => `SELECT block FROM ${table}_data WHERE id BETWEEN ? AND ? ORDER BY id`,
} as const

/** The positions of a term in rows that were asked for: those of `rows[i]` are `at` between `from[i]` and `to[i]`. */
export type Positions = {
  at: Float64Array
  length: number
  readonly from: Uint32Array
  readonly to: Uint32Array
}

export type SegmentReader = ReturnType<typeof createSegmentReader>

export function createSegmentReader(statements: Statements, table: string, tallies: Tallies) {
  const sql = { pageOf: SQL.pageOf(table), page: SQL.page(table), pages: SQL.pages(table) }
  const counts = new Uint32Array(tallies.columns)

  const readPage = ({ id }: Segment, number: number): Uint8Array => {
    const page = statements.value(sql.page, [id * SEGMENT_SHIFT + number])
    expectThat(page instanceof Uint8Array, 'a leaf page')
    return page
  }

  const pagesAfter = ({ id, last }: Segment, number: number): NextPage => {
    let [ahead, next] = [FIRST_AHEAD, number + 1]
    let batch: unknown[] = []
    let taken = 0
    return () => {
      if (taken === batch.length) {
        if (next > last) return null
        const end = Math.min(last, next + ahead - 1)
        const base = id * SEGMENT_SHIFT
        batch = statements.column(sql.pages, [base + next, base + end])
        expectThat(batch.length === end - next + 1, 'every page of a segment')
        next = end + 1
        ahead = MOST_AHEAD
        taken = 0
      }
      const page = batch[taken++]
      expectThat(page instanceof Uint8Array, 'a leaf page')
      return page
    }
  }

  /** The rows of a term, or null where the segment does not have it. */
  const open = (segment: Segment, term: Uint8Array): Doclist | null => {
    const found = statements.value(sql.pageOf, [segment.id, term])
    // The lowest bit says whether there is an index of the list, which only jumps need.
    const number = Math.max(segment.first, found === undefined ? 1 : Math.floor(Number(found) / 2))
    if (number > segment.last) return null
    const page = readPage(segment, number)
    const place = findTerm(page, term)
    return place === null ? null : new Doclist(page, place, pagesAfter(segment, number))
  }

  /** How often in which columns the entry stands. */
  const tally = ({ bytes, from, to }: Doclist): number => {
    if (from === to) return NOWHERE
    let at = from
    let column = 0
    let count = 0
    let isSingle = true
    while (at < to) {
      const byte = bytes[at++] as number
      if (byte === COLUMN_MARK) {
        if (count > 0) {
          if (isSingle) counts.fill(0)
          isSingle = false
          counts[column] = count
        }
        const next = bytes[at++] as number
        expectThat(next > column && next < counts.length && at <= to, 'a column')
        column = next
        count = 0
        continue
      }
      if (byte >= 128) {
        while ((bytes[at++] as number) >= 128);
        expectThat(at <= to, 'a whole position')
      }
      count++
    }
    expectThat(count > 0, 'a position')
    if (isSingle) return tallies.codeOfSingle(column, count)
    counts[column] = count
    return tallies.codeOf(counts)
  }

  return {
    /** A number that is another one where the page is another one, but for a chance of one in four billions. */
    hashOf: (segment: Segment, page: number): number => hash(readPage(segment, page)),

    /** Rows that are gone are in the list too, with the tally `NOWHERE`. */
    readList(segment: Segment, term: Uint8Array): PostingList | null {
      const doclist = open(segment, term)
      if (doclist === null) return null
      const list = new ListBuilder()
      while (doclist.next()) list.add(doclist.row, tally(doclist))
      return list.build()
    },

    /** Adds the positions of those rows that have none yet: segments are asked from the newest to the oldest. */
    addPositions(
      segment: Segment,
      term: Uint8Array,
      wanted: { readonly rows: Uint32Array; readonly isKnown: Uint8Array },
      positions: Positions,
    ): void {
      const doclist = open(segment, term)
      const { rows, isKnown } = wanted
      let place = 0
      while (doclist?.next()) {
        while (place < rows.length && (rows[place] as number) < doclist.row) place++
        if (place === rows.length) return
        if (rows[place] !== doclist.row || isKnown[place] === 1) continue
        isKnown[place] = 1
        positions.from[place] = positions.length
        readPositions(doclist, positions)
        positions.to[place] = positions.length
      }
    },

    /** Every row that the segment says anything of. */
    rowsIn(segment: Segment): Set<number> {
      const rows = new Set<number>()
      const nextPage = pagesAfter(segment, segment.first)
      let page: Uint8Array | null = readPage(segment, segment.first)
      let number = segment.first
      for (; page !== null; page = nextPage(), number++) {
        for (const { start, end, isCut } of termsOn(page)) {
          const rest: NextPage = isCut ? pagesAfter(segment, number) : () => null
          const doclist = new Doclist(page, { start, end, isCut }, rest)
          while (doclist.next()) rows.add(doclist.row)
        }
      }
      return rows
    },
  }
}

/** Where the rows of each term of a page stand. */
function* termsOn(page: Uint8Array): Generator<{ start: number; end: number; isCut: boolean }> {
  const footer = footerOf(page)
  if (firstTermOf(page) === footer) return
  const index = { at: footer }
  let offset = readVarint(page, index)
  for (let isFirst = true; ; isFirst = false) {
    const cursor = { at: offset }
    if (!isFirst) readVarint(page, cursor)
    const rest = readVarint(page, cursor)
    const start = cursor.at + rest
    const isCut = index.at >= page.length
    const end = isCut ? footer : offset + readVarint(page, index)
    expectThat(start <= end && end <= footer, 'rows after a term')
    yield { start, end, isCut }
    if (isCut) return
    offset = end
  }
}

function readPositions({ bytes, from, to }: Doclist, positions: Positions): void {
  const cursor = { at: from }
  let position = 0
  while (cursor.at < to) {
    const value = readVarint(bytes, cursor)
    if (value === COLUMN_MARK) {
      position = readVarint(bytes, cursor) * COLUMN_STRIDE
      continue
    }
    position += value - STEP_BIAS
    if (positions.length === positions.at.length) {
      const grown = new Float64Array(Math.max(1024, 2 * positions.length))
      grown.set(positions.at)
      positions.at = grown
    }
    positions.at[positions.length++] = position
  }
  expectThat(cursor.at === to, 'a whole position')
}

/** FNV-1a. */
function hash(bytes: Uint8Array): number {
  let value = 2_166_136_261
  for (let i = 0; i < bytes.length; i++) {
    value = Math.imul(value ^ (bytes[i] as number), 16_777_619)
  }
  return value >>> 0
}
