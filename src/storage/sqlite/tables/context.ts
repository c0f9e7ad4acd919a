/**
 * Keeps the text of the neighbouring turns with each short turn of a session. A turn names its speaker; a note that
 * happened to be added in the session is none.
 */

import { NEIGHBOUR_SEPARATOR } from '../../../core/passage.js'
import { segment } from '../../../text/segment.js'
import type { Row, Statements } from '../statements.js'

/** A turn is rarely understandable alone, a long message is: turns with more words get no context. */
export const LONG_TURN_WORDS = 100
/** The most words of a turn and its neighbours together. */
export const CONTEXT_WORDS = 200
/** The nearest first: one before, one after, two before, two after. */
const NEIGHBOUR_OFFSETS = [-1, 1, -2, 2] as const
const WINDOW = 2
/** From this many changed turns on, the whole session is read once instead of a window for each. */
const MANY = 8

const ORDER = 'coalesce(occurred_at, created_at)'
const PLACES = `SELECT row, session_id AS session, namespace, ${ORDER} AS time FROM records
  WHERE session_id IS NOT NULL`
const IS_TURN = "people <> '[]'"
const TURNS = `SELECT row, body, context, ${ORDER} AS time, ${IS_TURN} AS isTurn FROM records
  WHERE session_id = :session AND namespace = :namespace AND present`
/** The record itself is always there: it may have been a turn before. */
const NEAR = `${TURNS} AND (${IS_TURN} OR row = :row)`

const SQL = {
  places: `${PLACES} AND id IN (SELECT value FROM json_each(:ids))`,
  everyPlace: `${PLACES} AND present`,
  all: `${TURNS} ORDER BY time, row`,
  before: `${NEAR} AND (${ORDER}, row) < (:time, :row) ORDER BY time DESC, row DESC LIMIT ${2 * WINDOW}`,
  from: `${NEAR} AND (${ORDER}, row) >= (:time, :row) ORDER BY time, row LIMIT ${2 * WINDOW + 2}`,
  forget: `UPDATE records SET context = NULL, context_ix = NULL
    WHERE id IN (SELECT value FROM json_each(:ids)) AND context IS NOT NULL`,
  write: 'UPDATE records SET context = :context, context_ix = :contextIx WHERE row = :row',
} as const

/** The position of a turn, also of one that was removed. */
export type Turn = {
  readonly row: number
  readonly session: string
  readonly namespace: string
  readonly time: number
}

export type Context = ReturnType<typeof createContext>

export function createContext(statements: Statements) {
  return {
    /** To be read before a change that may move or remove the records. */
    turnsOf: (ids: readonly string[]): Turn[] =>
      statements.all(SQL.places, { ids: JSON.stringify(ids) }) as unknown as Turn[],

    everyTurn: (): Turn[] => statements.all(SQL.everyPlace) as unknown as Turn[],

    forget(ids: readonly string[]): void {
      statements.run(SQL.forget, { ids: JSON.stringify(ids) })
    },

    refresh(turns: readonly Turn[]): void {
      const groups = new Map<string, Turn[]>()
      for (const turn of turns) {
        const key = JSON.stringify([turn.namespace, turn.session])
        const group = groups.get(key)
        if (group === undefined) groups.set(key, [turn])
        else group.push(turn)
      }
      for (const group of groups.values()) {
        const [{ session, namespace }] = group as [Turn]
        if (group.length >= MANY) {
          rewrite(statements, statements.all(SQL.all, { session, namespace }))
          continue
        }
        for (const turn of group) {
          const before = statements.all(SQL.before, turn).reverse()
          rewrite(statements, [...before, ...statements.all(SQL.from, turn)], before.length)
        }
      }
    },
  }
}

/** Of a window only the turns near its middle can have changed, and only they have all of their neighbours in it. */
function rewrite(
  statements: Statements,
  records: readonly Row[],
  middle: number | null = null,
): void {
  const write = (record: Row, context: string | null): void => {
    if (context === record.context) return
    const contextIx = context === null ? null : (segment(context)?.text ?? null)
    statements.run(SQL.write, { row: Number(record.row), context, contextIx })
  }
  const turns = records.filter(({ isTurn }) => isTurn === 1)
  for (const [i, turn] of turns.entries()) {
    if (middle === null || Math.abs(i - middle) <= WINDOW) write(turn, contextAt(turns, i))
  }
  for (const note of records) if (note.isTurn !== 1) write(note, null)
}

function contextAt(turns: readonly Row[], at: number): string | null {
  const own = countWords(turns[at]?.body)
  if (own > LONG_TURN_WORDS) return null
  const neighbours: string[] = []
  let words = own
  for (const offset of NEIGHBOUR_OFFSETS) {
    const body = turns[at + offset]?.body
    if (typeof body !== 'string') continue
    words += countWords(body)
    if (words > CONTEXT_WORDS) break
    neighbours.push(body.replaceAll(NEIGHBOUR_SEPARATOR, ' '))
  }
  return neighbours.length === 0 ? null : neighbours.join(NEIGHBOUR_SEPARATOR)
}

function countWords(text: unknown): number {
  return typeof text === 'string' ? (text.match(/\S+/g)?.length ?? 0) : 0
}
