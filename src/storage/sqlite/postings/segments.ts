/** Reads the segments of an FTS5 index in few statements, and finds the segments that changed since the last search. */

import { Buffer } from 'node:buffer'
import { readVarints } from '../bm25.js'
import type { Row, Statements } from '../statements.js'
import {
  Doclist,
  expectThat,
  findTerm,
  type NextPage,
  readStructure,
  readTerms,
  type Segment,
  type Structure,
} from './fts5-pages.js'

/** The row id of a leaf page is its page number plus the segment's id times this. */
const SEGMENT_SHIFT = 2 ** 37
const PAGES_AHEAD = 128

/** First pages are cached because a phrase reads the lists of its words a second time, for their positions. */
const MAX_KNOWN_PAGES = 64

/** Concatenates many pages into one value: returning one value per page would cost more than reading them. */
const PAGES = `CAST(group_concat(block, '') AS BLOB) AS pages, group_concat(length(block)) AS sizes`

/** The supported version of the FTS5 format. In version 5, secure deletes have removed entries from pages in place. */
const FORMAT = 4

function createSql(table: string) {
  return {
    /**
     * For each segment, the page that holds the term if the segment has it. The lowest bit of `pgno` only says whether the
     * page has a doclist index, which is not used here. Entries below a segment's first page are left over from a merge.
     */
    pagesOf: `SELECT ${PAGES}, group_concat(number) AS numbers FROM (
      SELECT d.block, d.id - wanted.base AS number FROM (
        SELECT value ->> 0 AS base, max(value ->> 1, coalesce((SELECT pgno >> 1 FROM ${table}_idx
          WHERE segid = value ->> 2 AND term <= :term ORDER BY term DESC LIMIT 1), 1)) AS page
        FROM json_each(:segments)) wanted
      CROSS JOIN ${table}_data d ON d.id = wanted.base + wanted.page)`,
    pageAfter: `SELECT pgno >> 1 FROM ${table}_idx WHERE segid = ? AND term > ? ORDER BY term LIMIT 1`,
    pages: `SELECT ${PAGES} FROM (SELECT block FROM ${table}_data WHERE id BETWEEN ? AND ? ORDER BY id)`,
    others: 'PRAGMA data_version',
    own: 'SELECT total_changes()',
    block: `SELECT block FROM ${table}_data WHERE id = ?`,
    setting: `SELECT v FROM ${table}_config WHERE k = ?`,
  } as const
}

export type SegmentReader = ReturnType<typeof createSegmentReader>

export function createSegmentReader(statements: Statements, table: string) {
  const sql = createSql(table)

  const readBlock = (row: number): Uint8Array => {
    const block = statements.value(sql.block, [row])
    expectThat(block instanceof Uint8Array, 'a record of the index')
    return block
  }

  const known = new Map<string, Row | undefined>()
  /** Reads the page on which a term begins, for each segment. */
  const readFirstPages = (segments: readonly KnownSegment[], term: Uint8Array): Row | undefined => {
    const serials = segments.map(({ serial }) => serial)
    const key = `${serials} ${Buffer.from(term).toString('latin1')}`
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= MAX_KNOWN_PAGES) known.clear()
    const wanted = JSON.stringify(segments.map(({ id, first }) => [id * SEGMENT_SHIFT, first, id]))
    const [row] = statements.all(sql.pagesOf, { segments: wanted, term })
    known.set(key, row)
    return row
  }

  const readPages = ({ id }: Segment, first: number, last: number): NextPage => {
    let next = first
    let batch: readonly Uint8Array[] = []
    let taken = 0
    return () => {
      if (taken === batch.length) {
        if (next > last) return null
        const end = Math.min(last, next + PAGES_AHEAD - 1)
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

  return {
    /** Opens the doclist of a term in each segment; null for a segment without the term. */
    openLists(segments: readonly KnownSegment[], term: Uint8Array): (Doclist | null)[] {
      if (segments.length === 0) return []
      const row = readFirstPages(segments, term)
      const pages = splitPages(row?.pages, row?.sizes)
      const numbers = String(row?.numbers).split(',').map(Number)
      expectThat(pages.length === segments.length, 'a page of every segment')
      return segments.map((segment, i) => {
        const page = pages[i] as Uint8Array
        const range = findTerm(page, term)
        if (range === null) return null
        if (!range.mayContinue) return new Doclist(page, range, () => null)
        const next = statements.value(sql.pageAfter, [segment.id, term])
        const last = next === undefined ? segment.last : Math.min(segment.last, Number(next))
        return new Doclist(page, range, readPages(segment, (numbers[i] as number) + 1, last))
      })
    },

    /** Lists every row that has an entry in the segment. */
    listRows(segment: Segment): Set<number> {
      const rows = new Set<number>()
      const nextPage = readPages(segment, segment.first, segment.last)
      let number = segment.first
      for (let page = nextPage(); page !== null; page = nextPage(), number++) {
        for (const { doclist: range } of readTerms(page)) {
          const doclist = new Doclist(page, range, readPages(segment, number + 1, segment.last))
          while (doclist.next()) rows.add(doclist.row)
        }
      }
      return rows
    },

    readPage: ({ id }: Segment, page: number): Uint8Array => readBlock(id * SEGMENT_SHIFT + page),

    /** Must be the first statement of a transaction: all later reads then belong to the same snapshot. */
    readMarkers: () => ({
      others: Number(statements.value(sql.others)),
      own: Number(statements.value(sql.own)),
    }),

    readRecords() {
      const [format, secureDelete] = ['version', 'secure-delete'].map((key) =>
        Number(statements.value(sql.setting, [key]) ?? 0),
      )
      expectThat(format === FORMAT, 'the known format')
      expectThat(secureDelete === 0, 'pages that are not changed in place')
      return { averages: readBlock(1), structure: readBlock(10) }
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

/** With more new pages than this it is quicker to read the lengths of all rows again. */
const MAX_NEW_PAGES = 256
/** How many pages identify a segment, its first and last page included. */
const SAMPLES = 8
/** Fewer equal pages than this do not prove that two segments are the same. */
const ENOUGH_SAMPLES = 2

/** A segment with some of its pages to recognise it by, because FTS5 reuses the ids of removed segments. */
export type KnownSegment = Segment & {
  /** Unique within this process. */
  readonly serial: number
  readonly samples: ReadonlyMap<number, Uint8Array>
}

export type IndexVersion = {
  readonly others: number
  /** Changes with every commit of any connection, whatever it changed. */
  readonly marker: string
  /** Changes with every change of the index. */
  readonly number: number
  readonly structure: Structure
  readonly segments: readonly KnownSegment[]
  readonly records: number
  readonly stored: { readonly structure: Uint8Array; readonly averages: Uint8Array }
}

export function createVersionReader(reader: SegmentReader) {
  let changes = 0
  let serials = 0

  const identify = (segment: Segment): KnownSegment => {
    const { first, last } = segment
    const pages = Array.from({ length: SAMPLES }, (_, i) =>
      Math.round(first + ((last - first) * i) / (SAMPLES - 1)),
    )
    const samples = new Map(pages.map((page) => [page, reader.readPage(segment, page)]))
    return { ...segment, serial: ++serials, samples }
  }

  /**
   * Whether a segment is a known one: their shared sample pages are equal. A merge removes terms from the start of a
   * segment, so the new first page of a trimmed segment may differ.
   */
  const sharesPages = (segment: Segment, before: KnownSegment): boolean => {
    const isTrimmed = segment.first !== before.first
    const shared = [...before.samples].filter(
      ([page]) => page <= segment.last && page >= segment.first + (isTrimmed ? 1 : 0),
    )
    const isWhole = !isTrimmed && segment.last >= before.last
    return (
      (isWhole || shared.length >= ENOUGH_SAMPLES) &&
      shared.every(([page, bytes]) => isSame(reader.readPage(segment, page), bytes))
    )
  }

  const compareSegments = (last: IndexVersion, structure: Structure, hasOtherAverages: boolean) => {
    const before = last.structure
    // Otherwise settings were changed or the index was rebuilt.
    if (before.cookie !== structure.cookie || before.writes > structure.writes) return null
    const added: KnownSegment[] = []
    const segments = structure.segments.map((segment) => {
      const known = last.segments.find(
        ({ id, level }) => id === segment.id && level === segment.level,
      )
      // A merge moves entries between segments, but adds no rows that were not in one of them.
      if (known === undefined || !sharesPages(segment, known)) {
        added.push(identify(segment))
        return added.at(-1) as KnownSegment
      }
      const isSame = known.first === segment.first && known.last === segment.last
      return isSame ? known : identify(segment)
    })
    // A write always adds a segment. If none was added, a new segment was mistaken for a known one.
    const isChanged = structure.writes > before.writes || hasOtherAverages
    if (isChanged && added.length === 0) return null
    const newPages = added.reduce((sum, segment) => sum + segment.last - segment.first + 1, 0)
    return { segments, added: newPages > MAX_NEW_PAGES ? null : added }
  }

  /** `added` lists the segments whose rows may be new or changed since the last version; null if any row may be. */
  return (last: IndexVersion | null) => {
    const { others, own } = reader.readMarkers()
    const marker = `${others}.${own}`
    if (last?.marker === marker) return { version: last, added: [] }
    const stored = reader.readRecords()
    const hasOtherAverages = last !== null && !isSame(last.stored.averages, stored.averages)
    if (last !== null && !hasOtherAverages && isSame(last.stored.structure, stored.structure)) {
      // Another connection may have rebuilt the index with the same number of pages. Then a sample page differs.
      const isKnown =
        others === last.others || last.segments.every((segment) => sharesPages(segment, segment))
      if (isKnown) return { version: { ...last, others, marker }, added: [] }
    }
    const structure = readStructure(stored.structure)
    const [records = 0] = readVarints(stored.averages)
    const { segments, added } = (last && compareSegments(last, structure, hasOtherAverages)) ?? {
      segments: structure.segments.map(identify),
      added: null,
    }
    const number = ++changes
    const version = { others, marker, number, structure, segments, records, stored }
    return { version, added }
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
