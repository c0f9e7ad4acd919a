/** Writes records together with everything that depends on them: revisions, context, vectors, facts, usages, index. */

import { revisionChanged } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import type { AddOutcome, CairnRecord, NewRecord, RecordChange } from '../../core/record.js'
import type { WorkDetails } from '../../core/work.js'
import type { SessionSummary } from '../memory.js'
import type { Addition, SupersedeOptions, SupersedeOutcome } from '../storage.js'
import type { EmbeddedRecords, ModelInfo, RecordVectors } from '../vectors.js'
import { forgetContexts, readTurns, refreshContexts } from './context.js'
import { addFacts } from './memory/facts.js'
import { forgetQueriesOf, reinforceRows } from './memory/recalls.js'
import { noteCreated, noteUsage, writeSummaries } from './memory/sessions.js'
import type { Parts } from './open-postgres.js'
import { type AddedRow, addRecords, readRecords, toColumns, writeContents } from './records.js'
import {
  beginState,
  handOverSuccession,
  keepRevisions,
  linkSuccessors,
  markRevisions,
  readSuccessors,
  unlinkSuccessors,
} from './revisions.js'
import type { Statements } from './statements.js'
import {
  forgetCachedTexts,
  forgetVectors,
  keepNewVectors,
  keepVectors,
  queueForVectors,
} from './vectors-table.js'
import { indexRecords, indexRevisions, unindexRecords } from './words-index.js'
import { describeWorks, identify, resolveCitations } from './works.js'

const SQL = {
  lock: 'SELECT id, row FROM records WHERE id = ANY (:ids::text[]) ORDER BY row FOR UPDATE',
  setSalience: `UPDATE records r SET salience = n.salience, accessed_at = :now
    FROM unnest(:rows::bigint[], :saliences::float8[]) AS n (row, salience) WHERE r.row = n.row`,
  softDelete: `UPDATE records SET deleted_at = :now WHERE id = ANY (:ids::text[]) AND deleted_at IS NULL
    RETURNING id, row`,
  restore: `UPDATE records SET deleted_at = NULL WHERE id = ANY (:ids::text[]) AND deleted_at IS NOT NULL
    RETURNING id, row`,
  supersede: `UPDATE records SET superseded_at = :now WHERE id = ANY (:ids::text[]) AND present RETURNING id, row`,
  reinstate: `UPDATE records SET superseded_at = NULL WHERE id = ANY (:ids::text[]) AND superseded_at IS NOT NULL
    RETURNING id, row`,
  /** What no foreign key removes, since it may be in another namespace. A citation keeps the name of its target. */
  detach: [
    'DELETE FROM links WHERE target = ANY (:rows::bigint[]) AND target_ref IS NULL',
    'UPDATE links SET target = NULL WHERE target = ANY (:rows::bigint[])',
    'UPDATE revisions SET successor = NULL WHERE successor = ANY (:rows::bigint[])',
    'DELETE FROM imports WHERE record = ANY (:rows::bigint[])',
  ],
  purge: 'DELETE FROM records WHERE row = ANY (:rows::bigint[]) RETURNING id',
} as const

/** Each function below is to be run inside a transaction. */

export async function addWithAll(
  statements: Statements,
  parts: Parts,
  { records, vectors }: { records: readonly Addition[]; vectors?: EmbeddedRecords | undefined },
): Promise<AddOutcome[]> {
  const at = parts.now()
  const added = await addRecords(statements, records, { makeId: parts.makeId, now: at })
  const rows = added.flatMap(({ row }) => row ?? [])
  const made = added.flatMap(({ row }, i) => {
    const own = vectors?.vectors[i] ?? null
    return row === null || own === null ? [] : [{ row, vectors: own }]
  })
  const isActive = vectors && (await keepNewVectors(statements, vectors.model, made))
  const embedded = new Set(isActive ? made.map(({ row }) => row) : [])
  await queueForVectors(
    statements,
    rows.filter((row) => !embedded.has(row)),
  )
  const moved = await writeMemory(statements, parts, { records, added, at })
  await queueForVectors(statements, moved)
  await indexRecords(statements, [...new Set([...rows, ...moved])])
  return added.map(({ outcome }) => outcome)
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
    lock(statements, ids),
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

/** So that nobody changes them until the transaction ends; returns their rows. */
async function lock(
  statements: Statements,
  ids: readonly RecordId[],
): Promise<ReadonlyMap<RecordId, number>> {
  const rows = await statements.all(SQL.lock, { ids })
  return new Map(rows.map(({ id, row }) => [id as RecordId, Number(row)]))
}

type Changed = { readonly ids: RecordId[]; readonly rows: number[] }

async function change(
  statements: Statements,
  sql: string,
  { ids, now }: { readonly ids: readonly RecordId[]; readonly now: number },
): Promise<Changed> {
  const changed = await statements.all(sql, { ids, now })
  const found = new Set(changed.map(({ id }) => id))
  return { ids: ids.filter((id) => found.has(id)), rows: changed.map(({ row }) => Number(row)) }
}

/** A hidden record has no copy of its neighbours' text: they may be purged before it comes back. */
async function hideRecords(
  statements: Statements,
  { ids, rows }: Changed,
  revisions: readonly number[],
): Promise<void> {
  if (ids.length === 0) return
  const forgotten = await forgetContexts(statements, ids)
  const moved = await refreshContexts(statements, await readTurns(statements, ids))
  await queueForVectors(statements, [...forgotten, ...moved])
  await unindexRecords(statements, rows)
  await indexRecords(statements, moved)
  await indexRevisions(statements, revisions)
}

async function showRecords(
  statements: Statements,
  { ids, rows }: Changed,
  now: number,
): Promise<void> {
  if (ids.length === 0) return
  await beginState(statements, ids, now)
  const moved = await refreshContexts(statements, await readTurns(statements, ids))
  await queueForVectors(statements, moved)
  await indexRecords(statements, [...new Set([...rows, ...moved])])
}

export async function softDeleteRecords(
  statements: Statements,
  { now }: Parts,
  ids: readonly RecordId[],
): Promise<RecordId[]> {
  const ending = { endedBy: 'delete', now: now() } as const
  const [, marked, kept, gone] = await Promise.all([
    lock(statements, ids),
    markRevisions(statements, ids, ending),
    keepRevisions(statements, ids, ending),
    change(statements, SQL.softDelete, { ids, now: ending.now }),
  ])
  await hideRecords(statements, gone, [...marked, ...kept])
  return gone.ids
}

export async function restoreRecords(
  statements: Statements,
  { now }: Parts,
  ids: readonly RecordId[],
): Promise<RecordId[]> {
  const at = now()
  const [, back] = await Promise.all([
    lock(statements, ids),
    change(statements, SQL.restore, { ids, now: at }),
  ])
  await showRecords(statements, back, at)
  const marked = await markRevisions(statements, back.ids, { endedBy: 'supersede', now: at })
  await indexRevisions(statements, marked)
  return back.ids
}

type Superseding = { readonly id: RecordId; readonly by: RecordId; readonly how: SupersedeOptions }

export async function supersedeRecord(
  statements: Statements,
  parts: Parts,
  { id, by, how }: Superseding,
): Promise<SupersedeOutcome> {
  const [, records, chains] = await Promise.all([
    lock(statements, [id, by]),
    readRecords(statements, parts, { ids: [id, by], deleted: false }),
    readSuccessors(statements, [by]),
  ])
  if (id === by || chains.get(by)?.includes(id)) return 'circle'
  const old = records.find((record) => record.id === id)
  if (old === undefined || records.length < 2) return 'gone'
  if (old.supersededAt !== null) return 'superseded'
  const now = parts.now()
  const kept = await keepRevisions(statements, [id], { endedBy: 'supersede', successor: by, now })
  const hidden = await change(statements, SQL.supersede, { ids: [id], now })
  await linkSuccessors(statements, [{ id, heir: by }], { ...how, makeId: parts.makeId, now })
  await hideRecords(statements, hidden, kept)
  return 'done'
}

export async function reinstateRecords(
  statements: Statements,
  parts: Parts,
  ids: readonly RecordId[],
): Promise<boolean> {
  const now = parts.now()
  const [, , back] = await Promise.all([
    lock(statements, ids),
    unlinkSuccessors(statements, ids),
    change(statements, SQL.reinstate, { ids, now }),
  ])
  await showRecords(statements, back, now)
  return back.ids.length > 0
}

/** Returns the ids that are gone. */
export async function purgeRecords(
  statements: Statements,
  parts: Parts,
  { ids, summaries }: { ids: readonly RecordId[]; summaries: readonly SessionSummary[] },
): Promise<RecordId[]> {
  const rows = [...(await lock(statements, ids)).values()]
  const { makeId } = parts
  // What only a purged record superseded is valid again.
  const freed = await handOverSuccession(statements, ids, { makeId, now: parts.now() })
  if (freed.length > 0) await reinstateRecords(statements, parts, freed)
  await forgetCachedTexts(statements, rows)
  const turns = await readTurns(statements, ids)
  await forgetQueriesOf(statements, ids)
  await Promise.all(SQL.detach.map((sql) => statements.run(sql, { rows })))
  const gone = new Set(await statements.column(SQL.purge, { rows }))
  await writeSummaries(statements, summaries)
  const moved = await refreshContexts(statements, turns)
  await queueForVectors(statements, moved)
  await indexRecords(statements, moved)
  return ids.filter((id) => gone.has(id))
}
