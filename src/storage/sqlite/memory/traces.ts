/** Adding, recalling and strengthening leave their traces inside the transaction that they belong to. */

import type { RecordId } from '../../../core/ids.js'
import type { Usage } from '../../../core/record.js'
import { deemphasizeSalience, reinforceSalience } from '../../../core/salience.js'
import type { Recall, Strengthening } from '../../memory.js'
import type { FactsTable } from './facts.js'
import type { RecallsTable } from './recalls.js'
import type { SessionRecordsTable } from './session-records.js'
import type { SessionsTable } from './sessions.js'
import type { Strength } from './strength.js'

/** A record that was added in a session. */
export type CreatedInSession = {
  readonly id: RecordId
  readonly sessionId: string
  readonly namespace: string
  /** When it took place: a session that nobody has started began with the first of its records. */
  readonly atMs: number
}

export type TraceTables = {
  readonly sessions: SessionsTable
  readonly touched: SessionRecordsTable
  readonly facts: FactsTable
  readonly recalls: RecallsTable
  readonly strength: Strength
}

export type Traces = ReturnType<typeof createTraces>

export function createTraces({ sessions, touched, facts, recalls, strength }: TraceTables) {
  const noteUsage = (
    sessionId: string,
    ids: readonly RecordId[],
    usage: Usage,
    atMs: number,
  ): void => touched.note(sessions.rowOf(sessionId), ids, usage, atMs)

  /** Gives what each has become; `decay` says how fast everything fades, as a multiple of the usual. */
  const reinforceRows = (
    ids: readonly RecordId[],
    amount: number,
    decay: number,
    atMs: number,
  ): ReadonlyMap<RecordId, number> =>
    strength.change(ids, (effective) => reinforceSalience(effective, amount), { decay, atMs })

  return {
    noteUsage,
    reinforceRows,

    /** Starts the sessions that are not there yet. */
    noteCreated(created: readonly CreatedInSession[]): void {
      if (created.length === 0) return
      sessions.ensure(startsOf(created))
      touched.noteCreated(created.map(({ id, sessionId }) => [id, sessionId]))
    },

    keepRecall(recall: Recall, queryId: string): void {
      const { sessionId, hits, reinforcement, decay, atMs } = recall
      const session = sessions.rowOf(sessionId)
      const ids = hits.map(({ id }) => id)
      recalls.add(recall, queryId, session)
      touched.note(session, ids, 'recalled', atMs)
      if (reinforcement === 0) return
      reinforceRows(ids, reinforcement, decay, atMs)
      facts.reinforce(
        hits.flatMap((hit) => hit.facts),
        reinforcement,
        atMs,
      )
    },

    strengthen(
      ids: readonly RecordId[],
      { kind, amount, decay, sessionId }: Strengthening,
      atMs: number,
    ): ReadonlyMap<RecordId, number> {
      if (kind === 'deemphasize') {
        return strength.change(ids, (value) => deemphasizeSalience(value, amount), { decay, atMs })
      }
      if (sessionId !== null) noteUsage(sessionId, ids, 'reinforced', atMs)
      return reinforceRows(ids, amount, decay, atMs)
    },
  }
}

/** Each session with the namespace of its first record and the time of its earliest. */
function startsOf(created: readonly CreatedInSession[]): [string, string, number][] {
  const starts = new Map<string, [string, string, number]>()
  for (const { sessionId, namespace, atMs } of created) {
    const known = starts.get(sessionId)
    if (known === undefined) starts.set(sessionId, [sessionId, namespace, atMs])
    else known[2] = Math.min(known[2], atMs)
  }
  return [...starts.values()]
}
