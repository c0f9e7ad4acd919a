/** Leaf pages are read in few statements, whatever the number of segments and pages. */

import type { Statements } from '../statements.js'
import { Doclist, type NextPage } from './doclist.js'
import { findTerm, firstTermOf, footerOf, type Place, readVarint } from './leaf-page.js'
import type { Segment } from './structure.js'
import { expectThat } from './unreadable.js'

/** Where the leaf pages of a segment lie among the rows of the data table. */
const SEGMENT_SHIFT = 2 ** 37
/** So many pages of a list are read at a time. */
const MOST_AHEAD = 128

/** Many pages come as one value, one after the other: a value each would cost more than the reading. */
const PAGES = `CAST(group_concat(block, '') AS BLOB) AS pages, group_concat(length(block)) AS sizes`

const SQL = {
  /**
   * For each segment the page that a term stands on, if the segment has it. The lowest bit of a page's number in the
   * index says whether there is an index of a list, which only jumps need; entries before the first page of a segment
   * are left over from what was merged.
   */
  pagesOf: (table: string) => `SELECT ${PAGES}, group_concat(number) AS numbers FROM (
    SELECT d.block, d.id - wanted.base AS number FROM (
      SELECT value ->> 0 AS base, max(value ->> 1, coalesce((SELECT pgno >> 1 FROM ${table}_idx
        WHERE segid = value ->> 2 AND term <= :term ORDER BY term DESC LIMIT 1), 1)) AS page
      FROM json_each(:segments)) wanted
    CROSS JOIN ${table}_data d ON d.id = wanted.base + wanted.page)`,
  /** The page that the next term begins on. */
  pageAfter: (table: string) => `SELECT pgno >> 1 FROM ${table}_idx WHERE segid = ? AND term > ?
    ORDER BY term LIMIT 1`,
  page: (table: string) => `SELECT block FROM ${table}_data WHERE id = ?`,
  pages: (table: string) => `SELECT ${PAGES} FROM (
    SELECT block FROM ${table}_data WHERE id BETWEEN ? AND ? ORDER BY id)`,
} as const

export type LeafReader = ReturnType<typeof createLeafReader>

export function createLeafReader(statements: Statements, table: string) {
  const sql = {
    pagesOf: SQL.pagesOf(table),
    pageAfter: SQL.pageAfter(table),
    page: SQL.page(table),
    pages: SQL.pages(table),
  }

  const readPage = ({ id }: Segment, number: number): Uint8Array => {
    const page = statements.value(sql.page, [id * SEGMENT_SHIFT + number])
    expectThat(page instanceof Uint8Array, 'a leaf page')
    return page
  }

  /** The pages after one, up to and with another. */
  const pagesBetween = ({ id }: Segment, after: number, last: number): NextPage => {
    let next = after + 1
    let batch: readonly Uint8Array[] = []
    let taken = 0
    return () => {
      if (taken === batch.length) {
        if (next > last) return null
        const end = Math.min(last, next + MOST_AHEAD - 1)
        const base = id * SEGMENT_SHIFT
        const [row] = statements.all(sql.pages, [base + next, base + end])
        batch = splitPages(row?.pages, row?.sizes)
        expectThat(batch.length === end - next + 1, 'every page of a segment')
        next = end + 1
        taken = 0
      }
      return batch[taken++] ?? null
    }
  }

  const openOn = (
    segment: Segment,
    term: Uint8Array,
    { page, number }: { readonly page: Uint8Array; readonly number: number },
  ): Doclist | null => {
    const place = findTerm(page, term)
    if (place === null) return null
    if (!place.isCut) return new Doclist(page, place, () => null)
    const next = statements.value(sql.pageAfter, [segment.id, term])
    const end = next === undefined ? segment.last : Math.min(segment.last, Number(next))
    return new Doclist(page, place, pagesBetween(segment, number, end))
  }

  return {
    /** The rows of a term in each of the segments; null where a segment does not have it. */
    open(segments: readonly Segment[], term: Uint8Array): (Doclist | null)[] {
      if (segments.length === 0) return []
      const wanted = segments.map(({ id, first }) => [id * SEGMENT_SHIFT, first, id])
      const [row] = statements.all(sql.pagesOf, { segments: JSON.stringify(wanted), term })
      const pages = splitPages(row?.pages, row?.sizes)
      const numbers = String(row?.numbers).split(',').map(Number)
      expectThat(pages.length === segments.length, 'a page of every segment')
      return segments.map((segment, i) =>
        openOn(segment, term, { page: pages[i] as Uint8Array, number: numbers[i] as number }),
      )
    },

    /** A number that is another one where the page is another one, but for a chance of one in four billions. */
    hashOf: (segment: Segment, page: number): number => hash(readPage(segment, page)),

    /** Every row that the segment says anything of. */
    rowsIn(segment: Segment): Set<number> {
      const rows = new Set<number>()
      const nextPage = pagesBetween(segment, segment.first, segment.last)
      let page: Uint8Array | null = readPage(segment, segment.first)
      for (let number = segment.first; page !== null; page = nextPage(), number++) {
        for (const place of placesOn(page)) {
          const rest = place.isCut ? pagesBetween(segment, number, segment.last) : () => null
          const doclist = new Doclist(page, place, rest)
          while (doclist.next()) rows.add(doclist.row)
        }
      }
      return rows
    },
  }
}

function splitPages(pages: unknown, sizes: unknown): Uint8Array[] {
  expectThat(pages instanceof Uint8Array && typeof sizes === 'string', 'leaf pages')
  let at = 0
  return sizes.split(',').map((size) => {
    at += Number(size)
    expectThat(at <= pages.length, 'whole leaf pages')
    return pages.subarray(at - Number(size), at)
  })
}

/** Where the rows of each term of a page stand. */
function* placesOn(page: Uint8Array): Generator<Place> {
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

/** FNV-1a. */
function hash(bytes: Uint8Array): number {
  let value = 2_166_136_261
  for (let i = 0; i < bytes.length; i++) {
    value = Math.imul(value ^ (bytes[i] as number), 16_777_619)
  }
  return value >>> 0
}
