/** What changes with a record changes with it: its past, its surroundings, its vectors and its index. */

import type { RecordId } from '../../core/ids.js'
import type { AddOutcome, CairnRecord, NewRecord, RecordChange } from '../../core/record.js'
import type { SupersedeOptions, SupersedeOutcome } from '../storage.js'
import type { EmbeddedRecords } from '../vectors.js'
import { MERGE_INDEXES } from './maintenance.js'
import type { SqliteMemory } from './memory/open-memory.js'
import type { CreatedInSession } from './memory/recalls.js'
import type { Statements } from './statements.js'
import type { Context } from './tables/context.js'
import { type AddedRow, createNewRecords, createUnindexed } from './tables/new-records.js'
import type { RecordsTable } from './tables/records.js'
import type { Supersession } from './tables/revisions.js'
import type { SqliteMeaning } from './vectors/open-vectors.js'
import type { ReadRow } from './vectors/vector-writer.js'

export type WriteParts = {
  readonly statements: Statements
  readonly records: RecordsTable
  readonly context: Context
  readonly meaning: SqliteMeaning
  readonly memory: SqliteMemory
  readonly supersession: Supersession
  readonly now: () => number
  readonly makeId: () => RecordId
  /** What it adds to a record that its text is added again. */
  readonly reinforcement: number
  readonly decay: number
}

export type RecordWrites = ReturnType<typeof createRecordWrites>

/** Each is to be run inside a transaction. */
export function createRecordWrites(parts: WriteParts) {
  const { statements, records, context, meaning, memory, supersession, now, makeId } = parts
  const unindexed = createUnindexed(statements)
  const newRecords = createNewRecords(statements)
  const { reinforcement, decay } = parts
  return {
    add: (added: readonly NewRecord[], vectors: EmbeddedRecords | undefined): AddOutcome[] =>
      unindexed.whileAdding((firstRow) => {
        const at = now()
        const kept = newRecords.addAll(added, { firstRow, makeId, now: at })
        const outcomes = kept.map(({ outcome }) => outcome)
        if (vectors !== undefined) meaning.keepNew(vectors.model, vectorsOfNew(kept, vectors))
        const turns = createdInSessions(added, outcomes, at)
        memory.noteCreated(turns)
        const known = outcomes.filter((outcome) => !outcome.created).map(({ id }) => id)
        if (known.length > 0) memory.reinforceRows(known, reinforcement, decay, at)
        context.refresh(context.turnsOf(turns.map(({ id }) => id)))
        return outcomes
      }),
    update(
      id: RecordId,
      change: RecordChange,
      vectors: EmbeddedRecords | undefined,
    ): CairnRecord | null {
      const before = context.turnsOf([id])
      const record = records.update(id, change, now())
      context.refresh([...before, ...context.turnsOf([id])])
      const [own] = vectors?.vectors ?? []
      if (record !== null && vectors && own) meaning.keep(vectors.model, [{ id, vectors: own }])
      return record
    },
    softDelete(ids: readonly RecordId[]): RecordId[] {
      const gone = records.softDelete(ids, now())
      context.forget(gone)
      context.refresh(context.turnsOf(gone))
      return gone
    },
    restore(ids: readonly RecordId[]): RecordId[] {
      const back = records.restore(ids, now())
      context.refresh(context.turnsOf(back))
      return back
    },
    supersede(id: RecordId, by: RecordId, how: SupersedeOptions): SupersedeOutcome {
      const outcome = supersession.supersede(id, by, how, now())
      if (outcome !== 'done') return outcome
      context.forget([id])
      context.refresh(context.turnsOf([id]))
      return outcome
    },
    reinstate(id: RecordId): boolean {
      const isBack = supersession.reinstate(id, now())
      if (isBack) context.refresh(context.turnsOf([id]))
      return isBack
    },
    purge(ids: readonly RecordId[]): RecordId[] {
      // What only a purged record had replaced would be hidden by nothing.
      const freed = supersession.leaveTo(ids, now())
      meaning.erase(ids, records.read(ids, true))
      const places = context.turnsOf([...ids, ...freed])
      memory.forgetQueriesOf(ids)
      const gone = records.purge(ids)
      context.refresh(places)
      // What takes the words of a purged record out of FTS5's own pages.
      if (gone.length > 0) for (const sql of MERGE_INDEXES) statements.run(sql)
      return gone
    },
  }
}

/** Those of new records that did not have to wait. */
function vectorsOfNew(kept: readonly AddedRow[], { vectors }: EmbeddedRecords): ReadRow[] {
  return kept.flatMap(({ row }, i) => {
    const own = vectors[i] ?? null
    return row === null || own === null ? [] : [{ row, vectors: own }]
  })
}

function createdInSessions(
  added: readonly NewRecord[],
  outcomes: readonly AddOutcome[],
  now: number,
): CreatedInSession[] {
  return added.flatMap(({ sessionId, namespace, occurredAtMs }, i) => {
    const outcome = outcomes[i]
    if (sessionId === null || !outcome?.created) return []
    return [{ id: outcome.id, sessionId, namespace, atMs: occurredAtMs ?? now }]
  })
}
