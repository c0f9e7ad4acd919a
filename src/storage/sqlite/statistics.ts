/** Counts what a file holds, over time and by kind, and how many bytes each part takes. */

import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { Overview, OverviewStep } from '../../core/answer.js'
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
import { FORMAT } from './connect.js'
import { effectiveSalienceSql } from './salience-sql.js'
import { inNamespaces, joinConditions, type Statements, withinSql } from './statements.js'
import { readTime } from './stored-values.js'

const LIVE = `r.deleted_at IS NULL AND ${withinSql('r')}`

const SQL = {
  kinds: `SELECT r.kind AS name, count(*) AS n FROM records r WHERE ${LIVE} GROUP BY r.kind`,
  deleted: `SELECT count(*) FROM records r WHERE r.deleted_at IS NOT NULL AND ${withinSql('r')}`,
  superseded: `SELECT count(*) FROM records r WHERE r.superseded_at IS NOT NULL AND ${LIVE}`,
  namespaces: `SELECT r.namespace AS name, count(*) AS n FROM records r WHERE ${LIVE}
    GROUP BY r.namespace ORDER BY n DESC, r.namespace`,
  tags: `SELECT t.tag AS name, count(*) AS n FROM record_tags t JOIN records r ON r.row = t.row
    WHERE ${LIVE} GROUP BY t.tag ORDER BY n DESC, t.tag LIMIT 20`,
  newest: `SELECT max(r.created_at) FROM records r WHERE ${LIVE}`,
  /** Subtracts the deleted records, which are few and have an index, instead of reading all others. */
  figures: `SELECT (SELECT count(*) FROM records) - (SELECT count(*) FROM records WHERE deleted_at IS NOT NULL) AS records,
      (SELECT count(*) FROM chunks c JOIN models m ON m.row = c.model WHERE m.state = 'active') AS vectors,
      (SELECT count(*) FROM waiting w CROSS JOIN records r ON r.row = w.record WHERE r.present) AS waiting`,
  pages: 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size',
  free: 'SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size',
  /** An index belongs to its table. */
  parts: `SELECT coalesce(s.tbl_name, d.name) AS "table", sum(d.pgsize) AS bytes
    FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`,
} as const

/** Counts one namespace or, given the number of terms, the whole file. */
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

export function readFigures(db: Database, statements: Statements, file: string): Figures {
  const [counted] = statements.all(SQL.figures)
  return {
    ...(counted as Pick<Figures, 'records' | 'vectors' | 'waiting'>),
    bytes: Number(statements.value(SQL.pages)),
    walBytes: measureFile(db, `${file}-wal`),
    connections: null,
  }
}

function measureFile(db: Database, path: string): number {
  return db.memory ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
}

/** Reads every page of the file: about a second for each gigabyte. */
export function readSizes(db: Database, statements: Statements, file: string): FileSizes {
  const options = db.pragma('compile_options') as { readonly compile_options: string }[]
  const hasDbstat = options.some((one) => one.compile_options === 'ENABLE_DBSTAT_VTAB')
  return {
    file: measureFile(db, file),
    wal: measureFile(db, `${file}-wal`),
    free: Number(statements.value(SQL.free)),
    parts: hasDbstat ? sumParts(statements.all(SQL.parts)) : null,
  }
}

const FORMATS: Readonly<Record<OverviewStep, string>> = {
  day: '%Y-%m-%d',
  month: '%Y-%m',
  year: '%Y',
}

const compileOverview = (where: string, whereOther: string) => ({
  span: `SELECT min(${OCCURRED}) AS first, max(${OCCURRED}) AS last FROM records r WHERE r.present${where}`,
  overTime: `SELECT strftime(:format, ${OCCURRED} / 1000.0, 'unixepoch') AS at, r.kind, r.sector, count(*) AS count
    FROM records r WHERE r.present${where} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  salience: `SELECT min(${SALIENCE_BINS - 1}, CAST(${effectiveSalienceSql} * ${SALIENCE_BINS} AS INTEGER)) AS bin, count(*) AS n
    FROM records r WHERE r.present${where} GROUP BY 1`,
  waiting: `SELECT count(*) FROM waiting w CROSS JOIN records r ON r.row = w.record WHERE r.present${where}`,
  mostCited: `SELECT r.id, r.title, count(*) AS citations FROM (
      SELECT l.source AS work FROM links l JOIN records o ON o.row = l.target AND o.present${whereOther}
        WHERE l.type = '${CITES}'
      UNION ALL SELECT l.target FROM links l JOIN records o ON o.row = l.source AND o.present${whereOther}
        WHERE l.type = '${CITES}' AND l.target IS NOT NULL) c
    JOIN records r ON r.row = c.work AND r.present${where}
    GROUP BY r.row ORDER BY 3 DESC, r.row LIMIT ${MOST_CITED}`,
  recalls: `SELECT strftime('%Y-%m-%d', q.at / 1000.0, 'unixepoch') AS day, count(*) AS count,
      count(DISTINCT q.row) AS searches
    FROM recalled_queries q JOIN recalls c ON c.query = q.row JOIN records r ON r.row = c.record
    WHERE q.at >= :sinceMs AND c.fact IS NULL${where} GROUP BY 1 ORDER BY 1`,
})

export function readOverview(statements: Statements, request: OverviewRequest): Overview {
  const { namespaces, nowMs, decay } = request
  const within = (alias: string) => {
    const conditions = [statements.timeCheck(alias), inNamespaces(alias, namespaces)]
    return ` AND ${joinConditions(conditions).sql}`
  }
  const sql = compileOverview(within('r'), within('o'))
  const where = inNamespaces('r', namespaces)?.values ?? {}
  const by = request.by ?? chooseStep(statements.all(sql.span, where)[0])
  return toOverview({
    by,
    overTime: statements.all(sql.overTime, { ...where, format: FORMATS[by] }),
    salience: statements.all(sql.salience, { ...where, nowMs, decay }),
    waiting: Number(statements.value(sql.waiting, where)),
    mostCited: statements.all(sql.mostCited, where),
    recalls: statements.all(sql.recalls, { ...where, sinceMs: nowMs - RECALLS_MS }),
  })
}
