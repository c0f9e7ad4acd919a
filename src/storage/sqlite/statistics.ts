/** Counts what a file holds, over time and by kind, and how many bytes each part takes. */

import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { OVERVIEW_STEPS, type Overview, type OverviewStep } from '../../core/answer.js'
import { KINDS, SECTORS } from '../../core/record.js'
import { DAY_MS } from '../../core/time.js'
import {
  type FileSizes,
  type OverviewRequest,
  SIZE_PARTS,
  type SizePart,
  type Statistics,
} from '../storage.js'
import { CITES } from '../works.js'
import { FORMAT } from './connect.js'
import { OCCURRED } from './filter.js'
import { effectiveSalienceSql } from './salience-sql.js'
import { inNamespaces, type Row, type Statements, withinSql } from './statements.js'
import { readTime } from './stored-values.js'

const SQL = {
  kinds: `SELECT r.kind AS name, count(*) AS n FROM records r
    WHERE r.deleted_at IS NULL AND ${withinSql('r')} GROUP BY r.kind`,
  deleted: `SELECT count(*) FROM records r WHERE r.deleted_at IS NOT NULL AND ${withinSql('r')}`,
  superseded: `SELECT count(*) FROM records r
    WHERE r.superseded_at IS NOT NULL AND r.deleted_at IS NULL AND ${withinSql('r')}`,
  namespaces: `SELECT r.namespace AS name, count(*) AS n FROM records r
    WHERE r.deleted_at IS NULL AND ${withinSql('r')} GROUP BY r.namespace ORDER BY n DESC, r.namespace`,
  tags: `SELECT t.tag AS name, count(*) AS n FROM record_tags t JOIN records r ON r.row = t.row
    WHERE r.deleted_at IS NULL AND ${withinSql('r')} GROUP BY t.tag ORDER BY n DESC, t.tag LIMIT 20`,
  newest: `SELECT max(r.created_at) FROM records r WHERE r.deleted_at IS NULL AND ${withinSql('r')}`,
  pages: 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size',
  free: 'SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size',
  /** An index belongs to its table. */
  parts: `SELECT coalesce(s.tbl_name, d.name) AS "table", sum(d.pgsize) AS bytes
    FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`,
} as const

/** Of one namespace or, given the number of terms, of the whole file. */
export function readStatistics(statements: Statements, of: string | number): Statistics {
  const [namespace, terms] = typeof of === 'string' ? [of, null] : [null, of]
  const counts = (sql: string): Record<string, number> => {
    const rows = statements.all(sql, { namespace })
    return Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]))
  }
  const newest = statements.value(SQL.newest, { namespace })
  return {
    records: { memory: 0, document: 0, work: 0, ...counts(SQL.kinds) },
    deleted: Number(statements.value(SQL.deleted, { namespace })),
    superseded: Number(statements.value(SQL.superseded, { namespace })),
    namespaces: counts(SQL.namespaces),
    tags: counts(SQL.tags),
    terms,
    bytes: namespace === null ? Number(statements.value(SQL.pages)) : null,
    format: FORMAT,
    newestAt: newest === null ? null : readTime(newest),
  }
}

/** The tables of each part, by the beginnings of their names; the first that fits counts. */
const PARTS: readonly (readonly [part: SizePart, tables: RegExp])[] = [
  ['fullText', /^(records|revisions)_ft/],
  ['past', /^revisions/],
  ['texts', /^record/],
  ['vectors', /^(vector|chunks|embed|models|waiting)/],
  ['works', /^work/],
  ['links', /^links/],
  ['facts', /^facts/],
  ['sessions', /^session/],
  ['recalls', /^recall/],
  ['imports', /^imports/],
]

/** Reads every page of the file: about a second for each gigabyte. */
export function readSizes(db: Database, statements: Statements, file: string): FileSizes {
  const sizeOf = (path: string) =>
    db.memory ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  const options = db.pragma('compile_options') as { readonly compile_options: string }[]
  const hasDbstat = options.some((one) => one.compile_options === 'ENABLE_DBSTAT_VTAB')
  return {
    file: sizeOf(file),
    wal: sizeOf(`${file}-wal`),
    free: Number(statements.value(SQL.free)),
    parts: hasDbstat ? readParts(statements) : null,
  }
}

function readParts(statements: Statements): Record<SizePart, number> {
  const sizes = toZeros(SIZE_PARTS)
  for (const { table, bytes } of statements.all(SQL.parts)) {
    const found = PARTS.find(([, tables]) => tables.test(String(table)))
    sizes[found?.[0] ?? 'other'] += Number(bytes)
  }
  return sizes
}

const YEAR_MS = 366 * DAY_MS
const BINS = 10
const MOST_CITED = 12
/** A longer past is shown in longer steps. */
const MAX_STEPS = 120
const STEPS: Readonly<Record<OverviewStep, { readonly ms: number; readonly format: string }>> = {
  day: { ms: DAY_MS, format: '%Y-%m-%d' },
  month: { ms: 30 * DAY_MS, format: '%Y-%m' },
  year: { ms: 365 * DAY_MS, format: '%Y' },
}

const compileOverview = (where: string, whereOther: string) => ({
  span: `SELECT min(${OCCURRED}) AS first, max(${OCCURRED}) AS last FROM records r WHERE r.present${where}`,
  overTime: `SELECT strftime(:format, ${OCCURRED} / 1000, 'unixepoch') AS at, r.kind, r.sector, count(*) AS count
    FROM records r WHERE r.present${where} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  salience: `SELECT min(${BINS - 1}, CAST(${effectiveSalienceSql} * ${BINS} AS INTEGER)) AS bin, count(*) AS n
    FROM records r WHERE r.present${where} GROUP BY 1`,
  waiting: `SELECT count(*) FROM waiting w CROSS JOIN records r ON r.row = w.record WHERE r.present${where}`,
  mostCited: `SELECT r.id, r.title, count(*) AS citations FROM (
      SELECT l.source AS work FROM links l JOIN records o ON o.row = l.target AND o.present${whereOther}
        WHERE l.type = '${CITES}'
      UNION ALL SELECT l.target FROM links l JOIN records o ON o.row = l.source AND o.present${whereOther}
        WHERE l.type = '${CITES}' AND l.target IS NOT NULL) c
    JOIN records r ON r.row = c.work AND r.present${where}
    GROUP BY r.row ORDER BY 3 DESC, r.row LIMIT ${MOST_CITED}`,
  recalls: `SELECT strftime('%Y-%m-%d', q.at / 1000, 'unixepoch') AS day, count(*) AS count,
      count(DISTINCT q.row) AS searches
    FROM recalled_queries q JOIN recalls c ON c.query = q.row JOIN records r ON r.row = c.record
    WHERE q.at >= :sinceMs AND c.fact IS NULL${where} GROUP BY 1 ORDER BY 1`,
})

export function readOverview(statements: Statements, request: OverviewRequest): Overview {
  const { namespaces, nowMs, decay } = request
  const within = (alias: string) => {
    const condition = inNamespaces(alias, namespaces)
    return condition === null ? '' : ` AND ${condition.sql}`
  }
  const sql = compileOverview(within('r'), within('o'))
  const where = inNamespaces('r', namespaces)?.values ?? {}
  const by = request.by ?? chooseStep(statements.all(sql.span, where)[0])
  const counted = statements.all(sql.overTime, { ...where, format: STEPS[by].format })
  const waiting = Number(statements.value(sql.waiting, where))
  const kinds = countBy(KINDS, counted, 'kind')
  const salience = new Array<number>(BINS).fill(0)
  for (const { bin, n } of statements.all(sql.salience, { ...where, nowMs, decay })) {
    salience[Number(bin)] = Number(n)
  }
  const recalls = statements.all(sql.recalls, { ...where, sinceMs: nowMs - YEAR_MS })
  return {
    by,
    // A year that SQLite cannot format is counted, but has no date.
    overTime: counted.filter(({ at }) => at !== null) as unknown as Overview['overTime'],
    kinds,
    sectors: countBy(SECTORS, counted, 'sector'),
    salience,
    coverage: {
      withVectors: Object.values(kinds).reduce((sum, n) => sum + n, 0) - waiting,
      waiting,
    },
    mostCited: statements.all(sql.mostCited, where) as unknown as Overview['mostCited'],
    recalls: recalls as unknown as Overview['recalls'],
  }
}

function chooseStep(span: Row | undefined): OverviewStep {
  const ms = Number(span?.last ?? 0) - Number(span?.first ?? 0)
  return OVERVIEW_STEPS.find((step) => ms / STEPS[step].ms < MAX_STEPS) ?? 'year'
}

function countBy<Name extends string>(
  names: readonly Name[],
  rows: readonly Row[],
  column: string,
): Record<Name, number> {
  const counts = toZeros(names)
  for (const row of rows) {
    const name = row[column] as Name
    if (name in counts) counts[name] += Number(row.count)
  }
  return counts
}

function toZeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
}
