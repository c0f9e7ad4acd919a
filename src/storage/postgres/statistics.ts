/** Counts what a schema holds, over time and by kind, and how many bytes each part takes. */

import type { Overview, OverviewStep } from '../../core/answer.js'
import { toIso } from '../../core/time.js'
import {
  chooseStep,
  MOST_CITED,
  RECALLS_MS,
  SALIENCE_BINS,
  sumParts,
  toOverview,
} from '../counts.js'
import { OCCURRED } from '../date-filter.js'
import type { Figures, FileSizes, OverviewRequest, Statistics } from '../storage.js'
import { CITES } from '../works.js'
import { foldSql } from './filter.js'
import { SCHEMA_VERSION } from './migrate.js'
import { effectiveSalienceSql } from './salience-sql.js'
import { inNamespaces, type Row, type Statements, withinSql } from './statements.js'

const LIVE = `r.deleted_at IS NULL AND ${withinSql('r')}`

const SQL = {
  kinds: `SELECT r.kind AS name, count(*) AS n FROM records r WHERE ${LIVE} GROUP BY r.kind`,
  hidden: `SELECT count(*) FILTER (WHERE r.deleted_at IS NOT NULL) AS deleted,
      count(*) FILTER (WHERE r.deleted_at IS NULL) AS superseded
    FROM records r WHERE (r.deleted_at IS NOT NULL OR r.superseded_at IS NOT NULL) AND ${withinSql('r')}`,
  namespaces: `SELECT r.namespace AS name, count(*) AS n FROM records r WHERE ${LIVE}
    GROUP BY r.namespace ORDER BY n DESC, r.namespace COLLATE "C"`,
  /** As one of its records writes it. */
  tags: `SELECT (SELECT one FROM record_tags t JOIN records r ON r.namespace = t.namespace AND r.row = t.record
          CROSS JOIN unnest(r.tags) one
        WHERE t.tag = most.tag AND ${LIVE} AND ${foldSql('one')} = most.tag LIMIT 1) AS name, most.n
    FROM (SELECT t.tag, count(*) AS n FROM record_tags t JOIN records r ON r.namespace = t.namespace AND r.row = t.record
      WHERE ${LIVE} GROUP BY t.tag ORDER BY n DESC, t.tag COLLATE "C" LIMIT 20) most`,
  figures: `SELECT (SELECT count(*) FROM records WHERE deleted_at IS NULL) AS records,
      (SELECT count(*) FROM chunks c JOIN models m ON m.row = c.model WHERE m.state = 'active') AS vectors,
      (SELECT count(*) FROM waiting w JOIN records r ON r.namespace = w.namespace AND r.row = w.record
        WHERE r.present) AS waiting`,
  newest: `SELECT max(r.created_at) FROM records r WHERE ${LIVE}`,
  parts: `SELECT c.relname AS "table", pg_total_relation_size(c.oid) AS bytes FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'`,
} as const

/** Of one namespace or, where it is null, of all, which alone have a number of terms. */
export async function readStatistics(
  statements: Statements,
  namespace: string | null,
  countTerms: (statements: Statements) => Promise<number>,
): Promise<Statistics> {
  const counts = async (sql: string): Promise<Record<string, number>> => {
    const rows = await statements.all(sql, { namespace })
    return Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]))
  }
  const [kinds, [hidden], namespaces, tags, newest, parts, terms] = await Promise.all([
    counts(SQL.kinds),
    statements.all(SQL.hidden, { namespace }),
    counts(SQL.namespaces),
    counts(SQL.tags),
    statements.value(SQL.newest, { namespace }),
    namespace === null ? statements.all(SQL.parts) : [],
    namespace === null ? countTerms(statements) : null,
  ])
  return {
    records: { memory: 0, document: 0, work: 0, ...kinds },
    deleted: Number(hidden?.deleted),
    superseded: Number(hidden?.superseded),
    namespaces,
    tags,
    terms,
    bytes: namespace === null ? sumBytes(parts) : null,
    format: SCHEMA_VERSION,
    newestAt: newest === null ? null : toIso(Number(newest)),
  }
}

export async function readFigures(
  statements: Statements,
  connections: Figures['connections'],
): Promise<Figures> {
  const [[counted], bytes] = await Promise.all([
    statements.all(SQL.figures),
    countBytes(statements),
  ])
  const figures = counted as Pick<Figures, 'records' | 'vectors' | 'waiting'>
  return { ...figures, bytes, walBytes: null, connections }
}

export async function readSizes(statements: Statements): Promise<FileSizes> {
  const tables = await statements.all(SQL.parts)
  return { file: sumBytes(tables), wal: 0, free: 0, parts: sumParts(tables) }
}

/** All tables of the schema with their indexes. */
export async function countBytes(statements: Statements): Promise<number> {
  return sumBytes(await statements.all(SQL.parts))
}

function sumBytes(tables: readonly Row[]): number {
  return tables.reduce((sum, { bytes }) => sum + Number(bytes), 0)
}

/** In UTC; null for years that have not four digits. */
export function formatTimeSql(ms: string, format: string): string {
  return `CASE WHEN ${ms} BETWEEN -62135596800000 AND 253402300799999
    THEN to_char(to_timestamp(${ms} / 1000.0) AT TIME ZONE 'UTC', '${format}') END`
}

const FORMATS: Readonly<Record<OverviewStep, string>> = {
  day: 'YYYY-MM-DD',
  month: 'YYYY-MM',
  year: 'YYYY',
}

const compileOverview = (where: string, whereOther: string) => ({
  span: `SELECT min(${OCCURRED}) AS first, max(${OCCURRED}) AS last FROM records r WHERE r.present${where}`,
  overTime: (
    format: string,
  ) => `SELECT ${formatTimeSql(OCCURRED, format)} AS at, r.kind, r.sector, count(*) AS count
    FROM records r WHERE r.present${where} GROUP BY 1, 2, 3 ORDER BY 1 NULLS FIRST, 2, 3 NULLS FIRST`,
  salience: `SELECT least(${SALIENCE_BINS - 1}, floor(${effectiveSalienceSql} * ${SALIENCE_BINS})) AS bin, count(*) AS n
    FROM records r WHERE r.present${where} GROUP BY 1`,
  waiting: `SELECT count(*) FROM waiting w JOIN records r ON r.namespace = w.namespace AND r.row = w.record
    WHERE r.present${where}`,
  mostCited: `SELECT r.id, r.title, count(*) AS citations FROM (
      SELECT l.record AS work FROM links l JOIN records o ON o.row = l.target AND o.present${whereOther}
        WHERE l.type = '${CITES}'
      UNION ALL SELECT l.target FROM links l JOIN records o ON o.row = l.record AND o.present${whereOther}
        WHERE l.type = '${CITES}' AND l.target IS NOT NULL) c
    JOIN records r ON r.row = c.work AND r.present${where}
    GROUP BY r.row, r.id, r.title ORDER BY 3 DESC, r.row LIMIT ${MOST_CITED}`,
  recalls: `SELECT ${formatTimeSql('q.at', FORMATS.day)} AS day, count(*) AS count, count(DISTINCT q.row) AS searches
    FROM recalled_queries q JOIN recalls c ON c.query = q.row
      JOIN records r ON r.namespace = c.namespace AND r.row = c.record
    WHERE q.at >= :sinceMs::bigint AND c.fact IS NULL${where} GROUP BY 1 ORDER BY 1`,
})

export async function readOverview(
  statements: Statements,
  request: OverviewRequest,
): Promise<Overview> {
  const { namespaces, nowMs, decay } = request
  const within = (alias: string) => {
    const condition = inNamespaces(alias, namespaces)
    return condition === null ? '' : ` AND ${condition.sql}`
  }
  const sql = compileOverview(within('r'), within('o'))
  const where = inNamespaces('r', namespaces)?.values ?? {}
  const by = request.by ?? chooseStep((await statements.all(sql.span, where))[0])
  const [overTime, salience, waiting, mostCited, recalls] = await Promise.all([
    statements.all(sql.overTime(FORMATS[by]), where),
    statements.all(sql.salience, { ...where, nowMs, decay }),
    statements.value(sql.waiting, where),
    statements.all(sql.mostCited, where),
    statements.all(sql.recalls, { ...where, sinceMs: nowMs - RECALLS_MS }),
  ])
  return toOverview({ by, overTime, salience, waiting: Number(waiting), mostCited, recalls })
}
