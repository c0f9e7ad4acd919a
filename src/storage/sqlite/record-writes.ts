/** Writes records together with everything that depends on them: revisions, context, vectors, facts, usages, index. */

import type { RecordId } from '../../core/ids.js'
import type { AddOutcome, CairnRecord, RecordChange } from '../../core/record.js'
import type { SessionSummary } from '../memory.js'
import type { Addition, SupersedeOptions, SupersedeOutcome } from '../storage.js'
import type { EmbeddedRecords } from '../vectors.js'
import { noteRecords } from './log.js'
import { MERGE_INDEXES } from './maintenance.js'
import type { SqliteMemory } from './memory/open-memory.js'
import type { Parts } from './statements.js'
import type { Context } from './tables/context.js'
import { type AddedRow, addRecords, indexAtOnce, type RecordsTable } from './tables/records.js'
import type { Supersession } from './tables/revisions.js'
import type { SqliteVectors } from './vectors/vector-storage.js'
import { resolveCitations } from './works.js'

export type WriteParts = Parts & {
  readonly records: RecordsTable
  readonly context: Context
  readonly sqliteVectors: SqliteVectors
  readonly memory: SqliteMemory
  readonly supersession: Supersession
  readonly reinforcement: number
  readonly decay: number
}

export type RecordWrites = ReturnType<typeof createRecordWrites>

/** Each function must run inside a transaction. */
export function createRecordWrites(parts: WriteParts) {
  const { statements, records, context, sqliteVectors, memory, supersession, now } = parts
  const { sessions, facts, recalls } = memory

  const writeMemory = (added: readonly Addition[], rows: readonly AddedRow[]): void => {
    const turns = added.flatMap(({ sessionId, namespace, occurredAtMs }, i) => {
      const outcome = rows[i]?.outcome
      if (sessionId === null || !outcome?.created) return []
      return [[outcome.id, sessionId, namespace, occurredAtMs ?? now()] as const]
    })
    sessions.noteCreated(turns)
    for (const [i, { outcome }] of rows.entries()) {
      const { facts: stated = [], createdIn = null, identities = [] } = added[i] ?? {}
      const { id, created } = outcome
      if (created && identities.length > 0) records.identify(id, identities)
      if (created && stated.length > 0) facts.add(id, stated)
      if (createdIn !== null) {
        sessions.noteUsage(createdIn, [id], created ? 'created' : 'reinforced')
      }
    }
    const known = rows.flatMap(({ outcome }) => (outcome.created ? [] : [outcome.id]))
    if (known.length > 0) recalls.reinforce(known, parts.reinforcement, parts.decay)
    context.refresh(context.turnsOf(turns.map(([id]) => id)))
  }

  /** A hidden record keeps no copy of its neighbours' text: they may be purged before it is shown again. */
  const hideTurns = (ids: readonly RecordId[]): void => {
    context.forget(ids)
    context.refresh(context.turnsOf(ids))
  }

  /** `atMs` orders this edit after another one of the same transaction. */
  const update = (
    id: RecordId,
    change: RecordChange,
    { vectors, atMs }: { vectors?: EmbeddedRecords | undefined; atMs?: number } = {},
  ): CairnRecord | null => {
    const before = context.turnsOf([id])
    const record = records.update(id, change, atMs)
    const { editedIn, identities } = change
    if (identities !== undefined) resolveCitations(statements, identities)
    if (editedIn !== undefined) sessions.noteUsage(editedIn, [id], 'updated')
    context.refresh([...before, ...context.turnsOf([id])])
    const [own] = vectors?.vectors ?? []
    if (record !== null && vectors && own) sqliteVectors.keep(vectors.model, [{ id, vectors: own }])
    return record
  }

  return {
    update,

    add: (added: readonly Addition[], vectors?: EmbeddedRecords): AddOutcome[] =>
      indexAtOnce(statements, () => {
        const rows = addRecords(parts, added)
        if (vectors !== undefined) {
          const made = rows.flatMap(({ row }, i) => {
            const own = vectors.vectors[i] ?? null
            return row === null || own === null ? [] : [{ row, vectors: own }]
          })
          sqliteVectors.keepNew(vectors.model, made)
        }
        writeMemory(added, rows)
        return rows.map(({ outcome }) => outcome)
      }),

    softDelete(ids: readonly RecordId[]): RecordId[] {
      const gone = records.softDelete(ids)
      hideTurns(gone)
      return gone
    },

    restore(ids: readonly RecordId[]): RecordId[] {
      const back = records.restore(ids)
      context.refresh(context.turnsOf(back))
      return back
    },

    supersede(id: RecordId, by: RecordId, how: SupersedeOptions): SupersedeOutcome {
      const outcome = supersession.supersede(id, by, how)
      if (outcome === 'done') hideTurns([id])
      return outcome
    },

    reinstate(id: RecordId): boolean {
      const isBack = supersession.reinstate(id)
      if (isBack) context.refresh(context.turnsOf([id]))
      return isBack
    },

    purge(ids: readonly RecordId[], summaries: readonly SessionSummary[] = []): RecordId[] {
      // A record that only a purged record superseded is valid again.
      const freed = supersession.leaveTo(ids)
      sqliteVectors.erase(ids, records.read(ids, true))
      const turns = context.turnsOf([...ids, ...freed])
      recalls.forgetQueriesOf(ids)
      noteRecords(parts, 'purge', ids)
      const gone = records.purge(ids)
      for (const { session, summary, losesTitle } of summaries) {
        sessions.change(session, { summary, ...(losesTitle && { title: null }) })
      }
      context.refresh(turns)
      // Removes the words of a purged record from FTS5's own pages.
      if (gone.length > 0) for (const sql of MERGE_INDEXES) statements.run(sql)
      return gone
    },
  }
}
