/** SQL for the state of records at a time in the past. */

import { createPastSql } from '../../past-states.js'
import { compileFilter, type PreparedFilter } from '../filter.js'
import type { Condition } from '../statements.js'

const { compileStates, ...sql } = createPastSql({
  toRecord: (alias) => `v.record = ${alias}.row`,
  toPast: 'v.record = r.row',
})
export const { existedSql, pastBodySql, pastSuccessorSql } = sql

/** A condition over `past r` for the past states that a filter includes; null if it includes none. */
export function compilePast(filter: PreparedFilter): Condition | null {
  return compileStates(filter, (one) => compileFilter(one, 'past'))
}

/** An expression over `past r`: whether another record has superseded that state. */
export function isSupersededSql({ asOfMs }: PreparedFilter): string {
  return asOfMs === undefined ? '1' : 'r.valid_until <= :asOfMs'
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
