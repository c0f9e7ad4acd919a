/** The formulas of salience and confidence in SQL. */

import { FACT_DECAY_RATES } from '../../core/fact.js'
import { DECAY_RATES, LEAST_SALIENCE } from '../../core/salience.js'

const ACCESS = 'coalesce(r.accessed_at, r.created_at)'
const SALIENCE = `min(1, max(${LEAST_SALIENCE}, r.salience))`
const SECTOR_RATE = `${rateOf('r.sector', DECAY_RATES)} * max(0, :decay)`
const FADED_SHARE = `(1 - exp(-${SECTOR_RATE} * ${daysSince(ACCESS)} * (1 - min(1, max(0, r.importance)) / 2.0)))`

/**
 * `effectiveSalience` of core/salience.ts over `records r`, with `:nowMs` and `:decay` bound. The order of the sum needs exp()
 * only once, and gives exactly s if nothing has faded.
 */
export const effectiveSalienceSql = `max(${LEAST_SALIENCE},
  ${SALIENCE} + (${LEAST_SALIENCE} - ${SALIENCE}) * ${FADED_SHARE})`

/** `effectiveConfidence` of core/fact.ts over `facts f`, with `:nowMs` bound. */
export const effectiveConfidenceSql = `(min(1, max(0, f.confidence))
  * exp(-${rateOf('f.type', FACT_DECAY_RATES)} * ${daysSince('f.reinforced_at')}))`

function daysSince(column: string): string {
  return `max(0, (:nowMs - ${column}) / 86400000.0)`
}

function rateOf(column: string, rates: Readonly<Record<string, number>>): string {
  const cases = Object.entries(rates).map(([name, rate]) => `WHEN '${name}' THEN ${rate}`)
  return `(CASE ${column} ${cases.join(' ')} ELSE 0 END)`
}
