/** The SQL conditions and expressions that look at records as they were at a time in the past. */

import { type Filter, withoutFacets } from '../../core/filter.js'
import { compileFilter } from './filter.js'
import type { Condition } from './statements.js'

/** Over the view `past r`: each record in the one state it had then. */
const WAS = 'r.valid_from <= :asOfMs AND r.valid_until > :asOfMs'

const OTHER_STATES = 'revisions v WHERE v.namespace = r.home AND v.record = r.row'

/** Over `past r`: the last state of a record that is superseded now. */
const IS_SUPERSEDED = `r.superseded_at IS NOT NULL AND r.deleted_at IS NULL AND r.ended_by = 'supersede'
  AND r.number = (SELECT max(v.number) FROM ${OTHER_STATES})`

/** Over `past r`: the last state of a record that was superseded then. */
const WAS_SUPERSEDED = `r.ended_by = 'supersede' AND r.valid_until <= :asOfMs
  AND (r.superseded_at IS NOT NULL OR r.deleted_at IS NOT NULL OR r.present_from > :asOfMs)
  AND NOT EXISTS (SELECT 1 FROM ${OTHER_STATES} AND v.number > r.number AND v.valid_from <= :asOfMs)`

/** A condition over `past r` for the past states that a filter includes; null where it includes none. */
export function compilePast(filter: Filter): Condition | null {
  const { asOfMs, includeSuperseded = false, supersededLoosely } = filter
  if (asOfMs === undefined && !includeSuperseded) return null
  const own = compileFilter(filter, 'past')
  const loose = supersededLoosely ? compileFilter(withoutFacets(filter), 'past') : own
  const join = (states: string, condition: Condition | null): string =>
    condition === null ? `(${states})` : `(${states} AND ${condition.sql})`
  const parts: string[] = []
  if (asOfMs !== undefined) parts.push(join(WAS, own))
  if (includeSuperseded) {
    parts.push(join(asOfMs === undefined ? IS_SUPERSEDED : WAS_SUPERSEDED, loose))
  }
  const time = asOfMs === undefined ? {} : { asOfMs }
  return { sql: `(${parts.join(' OR ')})`, values: { ...time, ...own?.values, ...loose?.values } }
}

/** An expression over `past r`: whether another record has superseded that state. */
export function isSupersededSql({ asOfMs }: { readonly asOfMs?: number }): string {
  return asOfMs === undefined ? 'true' : 'r.valid_until <= :asOfMs'
}

/** An expression over the last state `v` that had begun by `:atMs` and is over now; null where there is none. */
function lastState(record: string, expression: string): string {
  return `(SELECT ${expression} FROM revisions v
    WHERE v.namespace = ${record}.namespace AND v.record = ${record}.row AND v.valid_from <= :atMs
    ORDER BY v.number DESC LIMIT 1)`
}

function wasAsNow(record: string): string {
  return `(${record}.present AND coalesce(${record}.valid_from, ${record}.created_at) <= :atMs)`
}

/** The record had been added and was not deleted at `:atMs`. */
export function existedSql(record: string): string {
  const isDeleted = lastState(record, `v.ended_by = 'delete' AND v.valid_until <= :atMs`)
  return `(${record}.created_at <= :atMs
    AND (${wasAsNow(record)} OR NOT coalesce(${isDeleted}, ${record}.deleted_at IS NOT NULL)))`
}

export function pastBodySql(record: string): string {
  return `CASE WHEN ${wasAsNow(record)} THEN ${record}.body
    ELSE coalesce(${lastState(record, 'v.body')}, ${record}.body) END`
}

/** The row of the record that had superseded it by `:atMs`; null where none had. */
export function pastSuccessorSql(record: string): string {
  return `CASE WHEN NOT ${wasAsNow(record)}
    THEN ${lastState(record, 'CASE WHEN v.valid_until <= :atMs THEN v.successor END')} END`
}
