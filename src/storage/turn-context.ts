/**
 * Chooses the text of neighbouring turns that is stored with each short turn of a session. A turn names its speaker; a
 * note that was added in the session without a speaker is no turn.
 */

import { NEIGHBOUR_SEPARATOR } from '../core/passage.js'

/** Turns with more words get no context: a long message can be understood alone. */
export const LONG_TURN_WORDS = 100
/** The most words of a turn and its neighbours together. */
export const CONTEXT_WORDS = 200
/** The nearest first: one before, one after, two before, two after. */
const NEIGHBOUR_OFFSETS = [-1, 1, -2, 2] as const
const WINDOW = 2
/** The number of turns read before a changed turn, and from it on: every neighbour of every turn whose context may change. */
export const WINDOW_BEFORE = 2 * WINDOW
export const WINDOW_FROM = 2 * WINDOW + 2
/** With this many changed turns or more, the whole session is read once instead of a window for each. */
export const MANY_TURNS = 8

/** The position of a turn, which may be removed by now. */
export type TurnPosition = {
  readonly row: number
  readonly session: string
  readonly namespace: string
  readonly time: number
}

export type StoredTurn = {
  readonly row: number
  readonly body: string
  readonly context: string | null
  readonly isTurn: boolean
}

export type NewContext = { readonly row: number; readonly context: string | null }

/** Groups positions by session. */
export function groupBySession(turns: readonly TurnPosition[]): TurnPosition[][] {
  const groups = new Map<string, TurnPosition[]>()
  for (const turn of turns) {
    const key = JSON.stringify([turn.namespace, turn.session])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [turn])
    else group.push(turn)
  }
  return [...groups.values()]
}

/**
 * The contexts that change, in a whole session or in a window around the turn at `middle`. In a window, only the contexts of
 * turns near the middle can change, and only those turns have all of their neighbours in it.
 */
export function listNewContexts(
  records: readonly StoredTurn[],
  middle: number | null = null,
): NewContext[] {
  const turns = records.filter(({ isTurn }) => isTurn)
  const inTurns = turns.flatMap((turn, i) =>
    middle === null || Math.abs(i - middle) <= WINDOW
      ? [{ turn, context: contextAt(turns, i) }]
      : [],
  )
  const inNotes = records.flatMap((turn) => (turn.isTurn ? [] : [{ turn, context: null }]))
  return [...inTurns, ...inNotes]
    .filter(({ turn, context }) => turn.context !== context)
    .map(({ turn, context }) => ({ row: turn.row, context }))
}

function contextAt(turns: readonly StoredTurn[], at: number): string | null {
  const own = countWords(turns[at]?.body ?? '')
  if (own > LONG_TURN_WORDS) return null
  const neighbours: string[] = []
  let words = own
  for (const offset of NEIGHBOUR_OFFSETS) {
    const body = turns[at + offset]?.body
    if (body === undefined) continue
    words += countWords(body)
    if (words > CONTEXT_WORDS) break
    neighbours.push(body.replaceAll(NEIGHBOUR_SEPARATOR, ' '))
  }
  return neighbours.length === 0 ? null : neighbours.join(NEIGHBOUR_SEPARATOR)
}

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}
