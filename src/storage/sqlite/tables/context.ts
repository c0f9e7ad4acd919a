/** Stores the text of the neighbouring turns with each short turn of a session: see turn-context.ts. */

import { segment } from '../../../text/segment.js'
import {
  groupBySession,
  listNewContexts,
  MANY_TURNS,
  type StoredTurn,
  type TurnPosition,
  WINDOW_BEFORE,
  WINDOW_FROM,
} from '../../turn-context.js'
import { convertRow, type Statements } from '../statements.js'

const ORDER = 'coalesce(occurred_at, created_at)'
const PLACES = `SELECT row, session_id AS session, namespace, ${ORDER} AS time FROM records
  WHERE session_id IS NOT NULL`
const IS_TURN = "people <> '[]'"
const TURNS = `SELECT row, body, context, ${ORDER} AS time, ${IS_TURN} AS isTurn FROM records
  WHERE session_id = :session AND namespace = :namespace AND present`
/** Includes the record itself even if it is no turn: it may have been one before. */
const NEAR = `${TURNS} AND (${IS_TURN} OR row = :row)`

const SQL = {
  places: `${PLACES} AND id IN (SELECT value FROM json_each(:ids))`,
  everyPlace: `${PLACES} AND present`,
  all: `${TURNS} ORDER BY time, row`,
  before: `${NEAR} AND (${ORDER}, row) < (:time, :row) ORDER BY time DESC, row DESC LIMIT ${WINDOW_BEFORE}`,
  from: `${NEAR} AND (${ORDER}, row) >= (:time, :row) ORDER BY time, row LIMIT ${WINDOW_FROM}`,
  forget: `UPDATE records SET context = NULL, context_ix = NULL
    WHERE id IN (SELECT value FROM json_each(:ids)) AND context IS NOT NULL`,
  write: 'UPDATE records SET context = :context, context_ix = :contextIx WHERE row = :row',
} as const

export type Context = ReturnType<typeof createContext>

export function createContext(statements: Statements) {
  const read = (sql: string, values: Pick<TurnPosition, 'session' | 'namespace'>): StoredTurn[] =>
    statements.all(sql, values).map((row) => convertRow(row, { flags: ['isTurn'] }))
  const rewrite = (records: readonly StoredTurn[], middle: number | null): void => {
    for (const { row, context } of listNewContexts(records, middle)) {
      const contextIx = context === null ? null : (segment(context)?.text ?? null)
      statements.run(SQL.write, { row, context, contextIx })
    }
  }
  return {
    /** Must be read before a change that may move or remove the records. */
    turnsOf: (ids: readonly string[]): TurnPosition[] => statements.all(SQL.places, { ids }),

    everyTurn: (): TurnPosition[] => statements.all(SQL.everyPlace),

    forget(ids: readonly string[]): void {
      statements.run(SQL.forget, { ids })
    },

    refresh(turns: readonly TurnPosition[]): void {
      for (const group of groupBySession(turns)) {
        const [{ session, namespace }] = group as [TurnPosition]
        if (group.length >= MANY_TURNS) {
          rewrite(read(SQL.all, { session, namespace }), null)
          continue
        }
        for (const turn of group) {
          const before = read(SQL.before, turn).reverse()
          rewrite([...before, ...read(SQL.from, turn)], before.length)
        }
      }
    },
  }
}
