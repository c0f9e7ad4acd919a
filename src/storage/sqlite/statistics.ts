/** Counts what a file holds and how many bytes each part takes. */

import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { OVERVIEW_STEPS, type Overview, type OverviewStep } from '../../core/answer.js'
import { KINDS, SECTORS } from '../../core/record.js'
import type { FileSizes, OverviewRequest, SizePart } from '../storage.js'
import { effectiveSalienceSql } from './salience-sql.js'
import type { Row, Statements } from './statements.js'

const SIZES_SQL = {
  page: 'SELECT page_size FROM pragma_page_size',
  free: 'SELECT freelist_count FROM pragma_freelist_count',
  /** An index belongs to its table. */
  parts: `SELECT coalesce(s.tbl_name, d.name) AS "table", sum(d.pgsize) AS bytes
    FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`,
} as const

/** Which part a table belongs to, by the beginning of its name; the first that fits counts. */
const PARTS: readonly (readonly [beginning: string, part: SizePart])[] = [
  ['records_ft', 'fullText'],
  ['revisions_ft', 'fullText'],
  ['revisions', 'past'],
  ['record', 'texts'],
  ['vector', 'vectors'],
  ['chunks', 'vectors'],
  ['embed', 'vectors'],
  ['models', 'vectors'],
  ['waiting', 'vectors'],
  ['work', 'works'],
  ['links', 'links'],
  ['facts', 'facts'],
  ['session', 'sessions'],
  ['recall', 'recalls'],
  ['imports', 'imports'],
]

/** Reads every page of the file: a second for each gigabyte or so. */
export function readSizes(db: Database, statements: Statements, file: string): FileSizes {
  const pageBytes = Number(statements.value(SIZES_SQL.page))
  return {
    file: db.memory ? 0 : bytesOf(file),
    wal: db.memory ? 0 : bytesOf(`${file}-wal`),
    free: Number(statements.value(SIZES_SQL.free)) * pageBytes,
    parts: hasPageTable(db) ? readParts(statements) : null,
  }
}

/** `dbstat` counts the pages of every table; a SQLite that was built without it cannot tell. */
function hasPageTable(db: Database): boolean {
  const options = db.pragma('compile_options') as { readonly compile_options: string }[]
  return options.some(({ compile_options: option }) => option === 'ENABLE_DBSTAT_VTAB')
}

function readParts(statements: Statements): Record<SizePart, number> {
  const sizes: Record<SizePart, number> = {
    texts: 0,
    fullText: 0,
    vectors: 0,
    past: 0,
    works: 0,
    links: 0,
    facts: 0,
    sessions: 0,
    recalls: 0,
    imports: 0,
    other: 0,
  }
  for (const { table, bytes } of statements.all(SIZES_SQL.parts)) {
    sizes[partOf(String(table))] += Number(bytes)
  }
  return sizes
}

function partOf(table: string): SizePart {
  const found = PARTS.find(([beginning]) => table.startsWith(beginning))
  return found?.[1] ?? 'other'
}

/** 0 for a log that is not there. */
function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

const TIME = 'coalesce(r.occurred_at, r.created_at)'
const YEAR_MS = 366 * 86_400_000
const BINS = 10
/** A longer past is told in longer steps. */
const MOST_STEPS = 120
const STEP_MS: Readonly<Record<OverviewStep, number>> = {
  day: 86_400_000,
  month: 30 * 86_400_000,
  year: 365 * 86_400_000,
}
const FORMATS: Readonly<Record<OverviewStep, string>> = {
  day: '%Y-%m-%d',
  month: '%Y-%m',
  year: '%Y',
}

/** Each for all namespaces, or for some of them. */
const sqlFor = (where: string) => ({
  span: `SELECT min(${TIME}) AS first, max(${TIME}) AS last FROM records r WHERE r.present${where}`,
  overTime: `SELECT strftime(:format, ${TIME} / 1000, 'unixepoch') AS at, r.kind, r.sector, count(*) AS n
    FROM records r WHERE r.present${where} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  salience: `SELECT min(${BINS - 1}, CAST(${effectiveSalienceSql} * ${BINS} AS INTEGER)) AS bin, count(*) AS n
    FROM records r WHERE r.present${where} GROUP BY 1`,
  waiting: `SELECT count(*) FROM waiting w CROSS JOIN records r ON r.row = w.record WHERE r.present${where}`,
  recalls: `SELECT strftime('%Y-%m-%d', q.at / 1000, 'unixepoch') AS day, count(*) AS n,
      count(DISTINCT q.row) AS searches
    FROM recalled_queries q JOIN recalls c ON c.query = q.row JOIN records r ON r.row = c.record
    WHERE q.at >= :sinceMs AND c.fact IS NULL${where} GROUP BY 1 ORDER BY 1`,
})
const EVERYWHERE = sqlFor('')
const SOMEWHERE = sqlFor(' AND r.namespace IN (SELECT value FROM json_each(:namespaces))')

export function readOverview(statements: Statements, request: OverviewRequest): Overview {
  const { namespaces, nowMs, decay } = request
  const sql = namespaces === null ? EVERYWHERE : SOMEWHERE
  const where = namespaces === null ? {} : { namespaces: JSON.stringify(namespaces) }
  const by = request.by ?? chooseStep(statements.all(sql.span, where)[0])
  const counted = statements.all(sql.overTime, { ...where, format: FORMATS[by] })
  const waiting = Number(statements.value(sql.waiting, where))
  const kinds = countBy(KINDS, counted, 'kind')
  const salience = new Array<number>(BINS).fill(0)
  for (const { bin, n } of statements.all(sql.salience, { ...where, nowMs, decay })) {
    salience[Number(bin)] = Number(n)
  }
  return {
    by,
    // A year that SQLite cannot write counts, and has no place in a row of dates.
    overTime: counted.filter(({ at }) => at !== null).map(toOverTime),
    kinds,
    sectors: countBy(SECTORS, counted, 'sector'),
    salience,
    coverage: {
      withVectors: Object.values(kinds).reduce((sum, n) => sum + n, 0) - waiting,
      waiting,
    },
    recalls: statements
      .all(sql.recalls, { ...where, sinceMs: nowMs - YEAR_MS })
      .map(({ day, n, searches }) => ({
        day: String(day),
        count: Number(n),
        searches: Number(searches),
      })),
  }
}

/** The shortest that does not make the past too long a row. */
function chooseStep(span: Row | undefined): OverviewStep {
  const ms = Number(span?.last ?? 0) - Number(span?.first ?? 0)
  return OVERVIEW_STEPS.find((step) => ms / STEP_MS[step] < MOST_STEPS) ?? 'year'
}

function toOverTime({ at, kind, sector, n }: Row): Overview['overTime'][number] {
  return { at: String(at), kind, sector, count: Number(n) } as Overview['overTime'][number]
}

function countBy<Name extends string>(
  names: readonly Name[],
  rows: readonly Row[],
  column: string,
): Record<Name, number> {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
  for (const row of rows) {
    const name = row[column] as Name
    if (name in counts) counts[name] += Number(row.n)
  }
  return counts
}
