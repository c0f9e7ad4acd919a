/** A filter on confidence costs nothing where nothing is doubtful. */

import type { Filter, Threshold } from '../../core/filter.js'
import type { PreparedFilter } from './filter.js'
import { effectiveConfidenceSql } from './salience-sql.js'
import type { Statements } from './statements.js'
import { HELD, heldAt } from './vectors/candidate-facts.js'
import { readVersion } from './version.js'

const SQL = {
  anyFact: 'SELECT EXISTS (SELECT 1 FROM facts)',
  doubtful: `SELECT f.record FROM facts f WHERE ${HELD}
    GROUP BY f.record HAVING avg(${effectiveConfidenceSql}) < :least`,
} as const

/** Confidence fades over days: what was doubtful a minute ago is so still. */
const FRESH_MS = 60_000

export type PrepareFilter = ReturnType<typeof createPrepareFilter>

export function createPrepareFilter(statements: Statements) {
  let kept: { readonly key: string; readonly rows: readonly number[] } | null = null
  const doubtful = ({ least, atMs }: Threshold, asOfMs: number | undefined): readonly number[] => {
    if (least <= 0 || statements.value(SQL.anyFact) !== 1) return []
    const moment = asOfMs === undefined ? Math.floor(atMs / FRESH_MS) : `at ${asOfMs}`
    const key = `${readVersion(statements)}.${least}.${moment}`
    if (kept?.key !== key) {
      const values = { least, nowMs: atMs, heldMs: heldAt({ asOfMs }) }
      const rows = statements.column(SQL.doubtful, values) as number[]
      kept = { key, rows }
    }
    return kept?.rows ?? []
  }
  return ({ minConfidence, ...filter }: Filter): PreparedFilter => {
    const rowsOut = minConfidence === undefined ? [] : doubtful(minConfidence, filter.asOfMs)
    return rowsOut.length === 0 ? filter : { ...filter, rowsOut }
  }
}
