/** The SQL that looks at records as they were at a time in the past. */

import type { Filter } from '../../core/filter.js'
import { createPastSql } from '../past-states.js'
import { compileFilter } from './filter.js'
import type { Condition } from './statements.js'

const { compileStates, ...sql } = createPastSql({
  toRecord: (alias) => `v.namespace = ${alias}.namespace AND v.record = ${alias}.row`,
  toPast: 'v.namespace = r.home AND v.record = r.row',
})
export const { existedSql, pastBodySql, pastSuccessorSql } = sql

/** A condition over `past r` for the past states that a filter includes; null where it includes none. */
export function compilePast(filter: Filter): Condition | null {
  return compileStates(filter, (one) => compileFilter(one, 'past'))
}

/** An expression over `past r`: whether another record has superseded that state. */
export function isSupersededSql({ asOfMs }: { readonly asOfMs?: number }): string {
  return asOfMs === undefined ? 'true' : 'r.valid_until <= :asOfMs'
}
