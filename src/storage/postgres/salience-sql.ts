/** PostgreSQL computes salience and confidence by the same formulas as the rest of the program. */

import { FACT_DECAY_RATES } from '../../core/fact.js'
import { DECAY_RATES, LEAST_SALIENCE } from '../../core/salience.js'

const ACCESS = 'coalesce(r.accessed_at, r.created_at)'
const SALIENCE = `least(1, greatest(${LEAST_SALIENCE}, r.salience))`
const SECTOR_RATE = `${rateOf('r.sector', DECAY_RATES)} * greatest(0, :decay::float8)`
const FADED_SHARE = `(1 - ${fade(SECTOR_RATE, `${daysSince(ACCESS)} * (1 - least(1, greatest(0, r.importance)) / 2)`)})`

/**
 * `effectiveSalience` of core/salience.ts over `records r`, with `:nowMs` and `:decay` bound. The same sum in an order
 * that needs exp() once, and that gives exactly s where nothing has faded.
 */
export const effectiveSalienceSql = `greatest(${LEAST_SALIENCE},
  ${SALIENCE} + (${LEAST_SALIENCE} - ${SALIENCE}) * ${FADED_SHARE})`

/** `effectiveConfidence` of core/fact.ts over `facts f`, with `:nowMs` bound. */
export const effectiveConfidenceSql = `(least(1, greatest(0, f.confidence))
  * ${fade(rateOf('f.type', FACT_DECAY_RATES), daysSince('f.reinforced_at'))})`

/** PostgreSQL refuses an exp() that would be 0. */
function fade(rate: string, days: string): string {
  return `exp(greatest(-700, -${rate} * ${days}))`
}

function daysSince(column: string): string {
  return `greatest(0, (:nowMs::float8 - ${column}) / 86400000)`
}

function rateOf(column: string, rates: Readonly<Record<string, number>>): string {
  const cases = Object.entries(rates).map(([name, rate]) => `WHEN '${name}' THEN ${rate}`)
  return `(CASE ${column} ${cases.join(' ')} ELSE 0 END)::float8`
}
