/** A file as seen from afar, in a few statements that count and read no text. */

import { OVERVIEW_STEPS, type Overview, type OverviewStep } from '../../core/answer.js'
import { KINDS, SECTORS } from '../../core/record.js'
import type { OverviewRequest } from '../storage.js'
import { effectiveSalienceSql } from './salience-sql.js'
import type { Row, Statements } from './statements.js'

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
