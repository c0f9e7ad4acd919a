/** The SQL conditions and expressions that look at records as they were at a time in the past. */

import { withoutFacets } from '../../../core/filter.js'
import { compileFilter, type PreparedFilter } from '../filter.js'
import type { Condition } from '../statements.js'

/** Over the view `past r`: each record in the one state it had then. */
const WAS = 'r.valid_from <= :asOfMs AND r.valid_until > :asOfMs'

/** Over `past r`: the last state of a record that is superseded now. */
const IS_SUPERSEDED = `r.superseded_at IS NOT NULL AND r.deleted_at IS NULL AND r.ended_by = 'supersede'
  AND r.number = (SELECT max(v.number) FROM revisions v WHERE v.record = r.row)`

/** Over `past r`: the last state of a record that was superseded then. */
const WAS_SUPERSEDED = `r.ended_by = 'supersede' AND r.valid_until <= :asOfMs
  AND (r.superseded_at IS NOT NULL OR r.deleted_at IS NOT NULL OR r.present_from > :asOfMs)
  AND NOT EXISTS (SELECT 1 FROM revisions v WHERE v.record = r.row
    AND v.number > r.number AND v.valid_from <= :asOfMs)`

/** A condition over `past r` for the past states that a filter includes; null where it includes none. */
export function compilePast(filter: PreparedFilter): Condition | null {
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
export function isSupersededSql({ asOfMs }: PreparedFilter): string {
  return asOfMs === undefined ? '1' : 'r.valid_until <= :asOfMs'
}

/** An expression over the last state `v` that had begun by `:atMs` and is over now; null where there is none. */
function lastState(record: string, expression: string): string {
  return `(SELECT ${expression} FROM revisions v WHERE v.record = ${record}.row AND v.valid_from <= :atMs
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
    THEN ${lastState(record, 'iif(v.valid_until <= :atMs, v.successor, NULL)')} END`
}

const TURN = (alias: string) => `${alias}.row, ${alias}.id, ${alias}.session_id, ${alias}.namespace,
  ${alias}.title, ${alias}.body, ${alias}.people, coalesce(${alias}.occurred_at, ${alias}.created_at) AS time`

/**
 * The turns around the records of `:ids` at `:asOfMs`: first the sessions as they were, then the nearest turns on both
 * sides of each.
 */
export const PAST_TURNS = `WITH wanted AS MATERIALIZED (
    SELECT ${TURN('r')} FROM json_each(:ids) w CROSS JOIN records r ON r.id = w.value
    WHERE r.session_id IS NOT NULL),
  turns AS MATERIALIZED (
    SELECT ${TURN('r')} FROM records r
    WHERE r.session_id IN (SELECT session_id FROM wanted) AND r.present
      AND coalesce(r.valid_from, r.created_at) <= :asOfMs
    UNION ALL
    SELECT ${TURN('p')} FROM records r CROSS JOIN past p ON p.row = r.row
    WHERE r.session_id IN (SELECT session_id FROM wanted)
      AND p.valid_from <= :asOfMs AND p.valid_until > :asOfMs),
  places AS (
    SELECT w.id AS record, w.row, w.session_id, coalesce(t.namespace, w.namespace) AS namespace,
      coalesce(t.time, w.time) AS time
    FROM wanted w LEFT JOIN turns t ON t.row = w.row),
  sides AS (
    SELECT p.record, t.*, (t.time, t.row) < (p.time, p.row) AS isBefore
    FROM places p JOIN turns t
      ON t.session_id = p.session_id AND t.namespace = p.namespace AND t.row <> p.row),
  counted AS (
    SELECT s.*, row_number() OVER (PARTITION BY s.record, s.isBefore
      ORDER BY iif(s.isBefore, -s.time, s.time), iif(s.isBefore, -s.row, s.row)) AS distance
    FROM sides s)
  SELECT record, id, title, body, people, time, isBefore FROM counted
  WHERE distance <= :neighbours ORDER BY time, row`
