/** Writes records together with everything that depends on them: revisions, context, vectors, facts, usages, index. */

import type { RecordId } from '../../core/ids.js'
import type { AddOutcome, CairnRecord, RecordChange } from '../../core/record.js'
import type { SessionSummary } from '../memory.js'
import type { Addition, SupersedeOptions, SupersedeOutcome } from '../storage.js'
import type { EmbeddedRecords } from '../vectors.js'
import { noteRecords } from './log.js'
import { MERGE_INDEXES } from './maintenance.js'
import type { SqliteMemory } from './memory/open-memory.js'
import type { Statements } from './statements.js'
import type { Context } from './tables/context.js'
import { type AddedRow, addRecords, indexAtOnce, type RecordsTable } from './tables/records.js'
import type { Supersession } from './tables/revisions.js'
import type { SqliteVectors } from './vectors/vector-storage.js'
import { resolveCitations } from './works.js'

export type WriteParts = {
  readonly statements: Statements
  readonly records: RecordsTable
  readonly context: Context
  readonly sqliteVectors: SqliteVectors
  readonly memory: SqliteMemory
  readonly supersession: Supersession
  readonly now: () => number
  readonly makeId: () => RecordId
  readonly reinforcement: number
  readonly decay: number
}

export type RecordWrites = ReturnType<typeof createRecordWrites>

/** Each function is to be run inside a transaction. */
export function createRecordWrites(parts: WriteParts) {
  const { statements, records, context, sqliteVectors, memory, supersession, now, makeId } = parts
  const { reinforcement, decay } = parts

  const writeMemory = (added: readonly Addition[], rows: readonly AddedRow[], at: number): void => {
    const turns = added.flatMap(({ sessionId, namespace, occurredAtMs }, i) => {
      const outcome = rows[i]?.outcome
      if (sessionId === null || !outcome?.created) return []
      return [[outcome.id, sessionId, namespace, occurredAtMs ?? at] as const]
    })
    memory.noteCreated(turns)
    for (const [i, { outcome }] of rows.entries()) {
      const { facts = [], createdIn = null, identities = [] } = added[i] ?? {}
      const { id, created } = outcome
      if (created && identities.length > 0) records.identify(id, identities)
      if (created && facts.length > 0) memory.addFacts(id, facts, at)
      if (createdIn !== null) {
        memory.noteUsage(createdIn, [id], created ? 'created' : 'reinforced', at)
      }
    }
    const known = rows.flatMap(({ outcome }) => (outcome.created ? [] : [outcome.id]))
    if (known.length > 0) memory.reinforceRows(known, reinforcement, decay, at)
    context.refresh(context.turnsOf(turns.map(([id]) => id)))
  }

  /** A hidden record has no copy of its neighbours' text: they may be purged before it comes back. */
  const hideTurns = (ids: readonly RecordId[]): void => {
    context.forget(ids)
    context.refresh(context.turnsOf(ids))
  }

  return {
    add: (added: readonly Addition[], vectors: EmbeddedRecords | undefined): AddOutcome[] =>
      indexAtOnce(statements, () => {
        const at = now()
        const rows = addRecords(statements, added, { makeId, now: at })
        if (vectors !== undefined) {
          const made = rows.flatMap(({ row }, i) => {
            const own = vectors.vectors[i] ?? null
            return row === null || own === null ? [] : [{ row, vectors: own }]
          })
          sqliteVectors.keepNew(vectors.model, made)
        }
        writeMemory(added, rows, at)
        return rows.map(({ outcome }) => outcome)
      }),

    update(id: RecordId, change: RecordChange, vectors?: EmbeddedRecords): CairnRecord | null {
      const before = context.turnsOf([id])
      const record = records.update(id, change, now())
      const { editedIn, identities } = change
      if (identities !== undefined) resolveCitations(statements, identities)
      if (editedIn !== undefined) memory.noteUsage(editedIn, [id], 'updated', now())
      context.refresh([...before, ...context.turnsOf([id])])
      const [own] = vectors?.vectors ?? []
      if (record !== null && vectors && own)
        sqliteVectors.keep(vectors.model, [{ id, vectors: own }])
      return record
    },

    /** An edit with a given time, so that it follows another one in the same transaction. */
    updateAt(id: RecordId, change: RecordChange, at: number): void {
      const before = context.turnsOf([id])
      records.update(id, change, at)
      context.refresh([...before, ...context.turnsOf([id])])
    },

    softDelete(ids: readonly RecordId[]): RecordId[] {
      const gone = records.softDelete(ids, now())
      hideTurns(gone)
      return gone
    },

    restore(ids: readonly RecordId[]): RecordId[] {
      const back = records.restore(ids, now())
      context.refresh(context.turnsOf(back))
      return back
    },

    supersede(id: RecordId, by: RecordId, how: SupersedeOptions): SupersedeOutcome {
      const outcome = supersession.supersede(id, by, how, now())
      if (outcome === 'done') hideTurns([id])
      return outcome
    },

    reinstate(id: RecordId): boolean {
      const isBack = supersession.reinstate(id, now())
      if (isBack) context.refresh(context.turnsOf([id]))
      return isBack
    },

    purge(ids: readonly RecordId[], summaries: readonly SessionSummary[]): RecordId[] {
      // What only a purged record superseded is valid again.
      const freed = supersession.leaveTo(ids, now())
      sqliteVectors.erase(ids, records.read(ids, true))
      const turns = context.turnsOf([...ids, ...freed])
      memory.forgetQueriesOf(ids)
      noteRecords(statements, 'purge', { ids, at: now() })
      const gone = records.purge(ids)
      for (const { session, summary, losesTitle } of summaries) {
        memory.changeSession(session, { summary, ...(losesTitle && { title: null }) })
      }
      context.refresh(turns)
      // Removes the words of a purged record from FTS5's own pages.
      if (gone.length > 0) for (const sql of MERGE_INDEXES) statements.run(sql)
      return gone
    },
  }
}
