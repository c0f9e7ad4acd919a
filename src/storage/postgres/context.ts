/** Keeps the text of the neighbouring turns with each short turn of a session: see turn-context.ts. */

import type { RecordId } from '../../core/ids.js'
import {
  groupBySession,
  listNewContexts,
  MANY_TURNS,
  type StoredTurn,
  type TurnPosition,
  WINDOW_BEFORE,
  WINDOW_FROM,
} from '../turn-context.js'
import { type Row, type Statements, toLists } from './statements.js'

const ORDER = 'coalesce(r.occurred_at, r.created_at)'
const POSITIONS = `SELECT r.row, r.session_id AS session, r.namespace, ${ORDER} AS time FROM records r
  WHERE r.session_id IS NOT NULL`
const IS_TURN = "r.people <> '{}'"
const COLUMNS = `r.row, r.body, r.context, ${ORDER} AS time, ${IS_TURN} AS "isTurn"`
const IN_SESSION = 'r.session_id = at.session AND r.namespace = at.namespace AND r.present'
/** The record itself is always there: it may have been a turn before. */
const NEAR = `SELECT ${COLUMNS} FROM records r WHERE ${IN_SESSION} AND (${IS_TURN} OR r.row = at.row)`

const SQL = {
  positions: `${POSITIONS} AND r.id = ANY (:ids::text[])`,
  everyPosition: `${POSITIONS} AND r.present`,
  sessions: `SELECT at.n, ${COLUMNS} FROM unnest(:session::text[], :namespace::text[])
      WITH ORDINALITY AS at (session, namespace, n) JOIN records r ON ${IN_SESSION}
    ORDER BY at.n, time, r.row`,
  windows: `SELECT at.n, near.*, (near.time, near.row) < (at.time, at.row) AS "isBefore"
    FROM unnest(:row::bigint[], :session::text[], :namespace::text[], :time::bigint[])
      WITH ORDINALITY AS at (row, session, namespace, time, n)
    CROSS JOIN LATERAL (
      (${NEAR} AND (${ORDER}, r.row) < (at.time, at.row) ORDER BY time DESC, r.row DESC LIMIT ${WINDOW_BEFORE})
      UNION ALL
      (${NEAR} AND (${ORDER}, r.row) >= (at.time, at.row) ORDER BY time, r.row LIMIT ${WINDOW_FROM})) near
    ORDER BY at.n, near.time, near.row`,
  forget: `UPDATE records SET context = NULL WHERE id = ANY (:ids::text[]) AND context IS NOT NULL RETURNING row`,
  write: `UPDATE records r SET context = changed.context
    FROM unnest(:rows::bigint[], :contexts::text[]) AS changed (row, context) WHERE r.row = changed.row`,
} as const

/** To be read before a change that may move or remove the records. */
export async function readTurns(
  statements: Statements,
  ids: readonly RecordId[],
): Promise<TurnPosition[]> {
  return (await statements.all(SQL.positions, { ids })) as unknown as TurnPosition[]
}

export async function readEveryTurn(statements: Statements): Promise<TurnPosition[]> {
  return (await statements.all(SQL.everyPosition)) as unknown as TurnPosition[]
}

/** Returns the rows that changed. */
export async function forgetContexts(
  statements: Statements,
  ids: readonly RecordId[],
): Promise<number[]> {
  return (await statements.column(SQL.forget, { ids })) as number[]
}

/** Returns the rows whose context changed. */
export async function refreshContexts(
  statements: Statements,
  turns: readonly TurnPosition[],
): Promise<number[]> {
  if (turns.length === 0) return []
  const groups = groupBySession(turns)
  const whole = groups.filter((group) => group.length >= MANY_TURNS).map(([first]) => first)
  const single = groups.filter((group) => group.length < MANY_TURNS).flat()
  const [sessions, windows] = await Promise.all([
    readNear(statements, SQL.sessions, whole as TurnPosition[]),
    readNear(statements, SQL.windows, single),
  ])
  const changes = [
    ...sessions.flatMap((rows) => listNewContexts(rows as unknown as StoredTurn[])),
    ...windows.flatMap((rows) => {
      const middle = rows.filter(({ isBefore }) => isBefore === true).length
      return listNewContexts(rows as unknown as StoredTurn[], middle)
    }),
  ]
  // Two windows may hold one turn: they agree about it.
  const changed = new Map(changes.map(({ row, context }) => [row, context]))
  const rows = [...changed.keys()]
  if (rows.length > 0) await statements.run(SQL.write, { rows, contexts: [...changed.values()] })
  return rows
}

async function readNear(
  statements: Statements,
  sql: string,
  turns: readonly TurnPosition[],
): Promise<Row[][]> {
  if (turns.length === 0) return []
  const found = await statements.all(sql, toLists(turns, ['row', 'session', 'namespace', 'time']))
  const groups: Row[][] = turns.map(() => [])
  for (const row of found) groups[Number(row.n) - 1]?.push(row)
  return groups
}
