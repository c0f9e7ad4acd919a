/** Adds and edits records together with everything that depends on them: revisions, context, vectors, facts, usages, index. */

import { revisionChanged } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import type { AddOutcome, CairnRecord, NewRecord, RecordChange } from '../../core/record.js'
import type { WorkDetails } from '../../core/work.js'
import type { Addition } from '../storage.js'
import type { EmbeddedRecords, ModelInfo, RecordVectors } from '../vectors.js'
import { readTurns, refreshContexts } from './context.js'
import { addFacts } from './memory/facts.js'
import { reinforceRows } from './memory/recalls.js'
import { noteCreated, noteUsage } from './memory/sessions.js'
import type { Parts } from './open-postgres.js'
import {
  type AddedRow,
  addRecords,
  lockRecords,
  readRecords,
  toColumns,
  writeContents,
} from './records.js'
import { beginState, keepRevisions } from './revisions.js'
import type { Statements } from './statements.js'
import { registerModel } from './vectors-models.js'
import { forgetVectors, insertVectors, keepVectors, queueForVectors } from './vectors-table.js'
import { indexNew, indexRecords, indexRevisions } from './words-index.js'
import { describeWorks, identify, resolveCitations } from './works.js'

const SQL = {
  setSalience: `UPDATE records r SET salience = n.salience, accessed_at = :now
    FROM unnest(:rows::bigint[], :saliences::float8[]) AS n (row, salience) WHERE r.row = n.row`,
} as const

/** Each function below is to be run inside a transaction. */

export async function addWithAll(
  statements: Statements,
  parts: Parts,
  { records, vectors }: { records: readonly Addition[]; vectors?: EmbeddedRecords | undefined },
): Promise<AddOutcome[]> {
  const at = parts.now()
  const [added, model] = await Promise.all([
    addRecords(statements, records, { makeId: parts.makeId, now: at }),
    vectors === undefined ? null : registerModel(statements, vectors.model),
  ])
  const made = records.flatMap((record, i) => {
    const row = added[i]?.row ?? null
    return row === null ? [] : [{ row, record, vectors: vectors?.vectors[i] ?? null }]
  })
  const embedded = made.flatMap(({ row, vectors: own }) => (own ? [{ row, vectors: own }] : []))
  const waiting = model?.state !== 'active' ? made : made.filter((one) => one.vectors === null)
  const [moved] = await Promise.all([
    writeMemory(statements, parts, { records, added, at }),
    model && insertVectors(statements, model, embedded),
    queueForVectors(statements, listRows(waiting)),
    indexNew(
      statements,
      made.filter(({ record }) => record.sessionId === null),
    ),
  ])
  // The turns of a session are indexed with their neighbours, once these are known.
  const turns = listRows(made.filter(({ record }) => record.sessionId !== null))
  await queueForVectors(statements, moved)
  await indexRecords(statements, [...new Set([...turns, ...moved])])
  return added.map(({ outcome }) => outcome)
}

function listRows(records: readonly { readonly row: number }[]): number[] {
  return records.map(({ row }) => row)
}

type AddedRecords = { records: readonly Addition[]; added: readonly AddedRow[]; at: number }

/** Returns the rows whose context changed. */
async function writeMemory(
  statements: Statements,
  { makeId, reinforcement, decay }: Parts,
  { records, added, at }: AddedRecords,
): Promise<number[]> {
  const all = records.map((record, i) => {
    const { id, created } = (added[i] as AddedRow).outcome
    return { ...record, id, created }
  })
  const made = all.filter(({ created }) => created)
  const known = all.filter(({ created }) => !created).map(({ id }) => id)
  const turns = made.flatMap(({ id, sessionId, namespace, occurredAtMs }) =>
    sessionId === null ? [] : [{ id, session: sessionId, namespace, atMs: occurredAtMs ?? at }],
  )
  const used = all.flatMap(({ id, created, createdIn }) => {
    const usage = created ? ('created' as const) : ('reinforced' as const)
    return createdIn == null ? [] : [{ session: createdIn, id, usage }]
  })
  const withFacts = made.flatMap(({ id, facts = [] }) => (facts.length > 0 ? [{ id, facts }] : []))
  await noteCreated(statements, turns)
  await Promise.all([
    identify(
      statements,
      made.map(({ id, identities = [] }) => ({ id, identities })),
    ),
    addFacts(statements, withFacts, { makeId, now: at }),
    noteUsage(statements, used, at),
    reinforceRows(statements, known, { amount: reinforcement, decay, atMs: at }),
  ])
  if (turns.length === 0) return []
  const positions = await readTurns(
    statements,
    turns.map(({ id }) => id),
  )
  return refreshContexts(statements, positions)
}

export type Update = {
  readonly id: RecordId
  readonly change: RecordChange
  /** Of the changed text, where it was embedded. */
  readonly vectors?: EmbeddedRecords | null | undefined
}

/** Null where there is no live record. */
export async function updateRecord(
  statements: Statements,
  parts: Parts,
  update: Update,
): Promise<CairnRecord | null> {
  await updateRecords(statements, parts, [update])
  const [after] = await readRecords(statements, parts, { ids: [update.id], deleted: false })
  return after ?? null
}

type Edit = { row: number; record: NewRecord; work: WorkDetails | null; hasNewText: boolean }

/** Changes live records, each once, in a fixed number of statements. `at`: so that they follow another edit of the transaction. */
export async function updateRecords(
  statements: Statements,
  parts: Parts,
  updates: readonly Update[],
  at: number = parts.now(),
): Promise<void> {
  if (updates.length === 0) return
  const ids = updates.map(({ id }) => id)
  const [rows, turns, records] = await Promise.all([
    lockRecords(statements, ids),
    readTurns(statements, ids),
    readRecords(statements, parts, { ids, deleted: false }),
  ])
  const known = new Map(records.map((record) => [record.id, record]))
  const found = updates.flatMap((update) => {
    const [row, before] = [rows.get(update.id), known.get(update.id)]
    return row === undefined || before === undefined ? [] : [{ ...update, row, before }]
  })
  for (const { before, change } of found) {
    const { expectedRevision = before.revision } = change
    if (expectedRevision !== before.revision) throw revisionChanged(before, expectedRevision)
  }
  const edits = found.flatMap(planEdit)
  await writeEdits(statements, edits, at)
  await writeDetails(statements, found, at)
  const edited = edits.map(({ record }) => record.id as RecordId)
  const moved =
    edits.length === 0
      ? []
      : await refreshContexts(statements, [...turns, ...(await readTurns(statements, edited))])
  for (const [model, made] of groupVectors(found)) await keepVectors(statements, model, made)
  await queueForVectors(statements, moved)
  await indexRecords(statements, [...new Set([...edits.map(({ row }) => row), ...moved])])
}

type Found = Update & { readonly row: number; readonly before: CairnRecord }

/** Nothing where only the salience or what names the work changes. */
function planEdit({ row, before, change }: Found): Edit[] {
  const {
    salience: _,
    work,
    identities: __,
    editedIn: ___,
    expectedRevision: ____,
    ...rest
  } = change
  const { work: workBefore, ...content } = before
  const occurredAtMs = before.occurredAt === null ? null : Date.parse(before.occurredAt)
  const known: NewRecord = { ...content, occurredAtMs }
  const record: NewRecord = { ...known, ...rest, id: before.id }
  const isNewWork = work !== undefined && JSON.stringify(work) !== JSON.stringify(workBefore)
  const hasNewContent = JSON.stringify(toColumns(known)) !== JSON.stringify(toColumns(record))
  if (!isNewWork && !hasNewContent) return []
  const hasNewText = known.title !== record.title || known.body !== record.body
  return [{ row, record, work: isNewWork ? work : null, hasNewText }]
}

async function writeEdits(
  statements: Statements,
  edits: readonly Edit[],
  at: number,
): Promise<void> {
  if (edits.length === 0) return
  const ids = edits.map(({ record }) => record.id as RecordId)
  const kept = await keepRevisions(statements, ids, { endedBy: 'edit', now: at })
  const described = edits.flatMap(({ record: { id }, work }) =>
    id === undefined || work === null ? [] : [{ id, work }],
  )
  await Promise.all([
    writeContents(statements, edits, at),
    describeWorks(statements, described),
    beginState(statements, ids, at),
  ])
  await forgetVectors(
    statements,
    edits.flatMap(({ row, hasNewText }) => (hasNewText ? [row] : [])),
  )
  await indexRevisions(statements, kept)
}

/** What an update says besides the content of a record. */
async function writeDetails(
  statements: Statements,
  found: readonly Found[],
  at: number,
): Promise<void> {
  const named = found.map(({ id, change }) => ({ id, identities: change.identities ?? [] }))
  const salient = found.filter(({ change }) => change.salience !== undefined)
  const used = found.flatMap(({ id, change: { editedIn } }) =>
    editedIn === undefined ? [] : [{ session: editedIn, id, usage: 'updated' as const }],
  )
  await Promise.all([
    salient.length === 0
      ? null
      : statements.run(SQL.setSalience, {
          rows: salient.map(({ row }) => row),
          saliences: salient.map(({ change }) => change.salience ?? 0),
          now: at,
        }),
    identify(statements, named),
    resolveCitations(statements, [...new Set(named.flatMap(({ identities }) => identities))]),
    noteUsage(statements, used, at),
  ])
}

function groupVectors(found: readonly Found[]) {
  const groups = new Map<string, [ModelInfo, { row: number; vectors: RecordVectors }[]]>()
  for (const { row, vectors } of found) {
    const own = vectors?.vectors[0] ?? null
    if (!vectors || own === null) continue
    const group = groups.get(vectors.model.id) ?? [vectors.model, []]
    group[1].push({ row, vectors: own })
    groups.set(vectors.model.id, group)
  }
  return groups.values()
}
