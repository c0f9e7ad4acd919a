/** What was said around a record is told as it stood at a moment, in one statement for a whole page. */

import type { Row, Statements } from '../statements.js'

const COLUMNS = (
  alias: string,
) => `${alias}.row, ${alias}.id, ${alias}.session_id, ${alias}.namespace,
  ${alias}.title, ${alias}.body, ${alias}.people, coalesce(${alias}.occurred_at, ${alias}.created_at) AS time`

const SQL = {
  /** The sessions of these records as they were, then the nearest on both sides of each. */
  around: `WITH wanted AS MATERIALIZED (
      SELECT ${COLUMNS('r')} FROM json_each(:ids) w CROSS JOIN records r ON r.id = w.value
      WHERE r.session_id IS NOT NULL),
    turns AS MATERIALIZED (
      SELECT ${COLUMNS('r')} FROM records r
      WHERE r.session_id IN (SELECT session_id FROM wanted) AND r.present
        AND coalesce(r.valid_from, r.created_at) <= :asOfMs
      UNION ALL
      SELECT ${COLUMNS('p')} FROM records r CROSS JOIN past p ON p.row = r.row
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
    WHERE distance <= :neighbours ORDER BY time, row`,
} as const

export type TurnsThen = {
  /** As JSON. */
  readonly ids: string
  readonly neighbours: number
  readonly asOfMs: number
}

export function readTurnsThen(statements: Statements, request: TurnsThen): Row[] {
  return statements.all(SQL.around, request)
}
