/** Hides, shows, supersedes and removes records together with everything that depends on them. */

import type { RecordId } from '../../core/ids.js'
import type { SessionSummary } from '../memory.js'
import type { SupersedeOptions, SupersedeOutcome } from '../storage.js'
import { forgetContexts, readTurns, refreshContexts } from './context.js'
import { noteRecords } from './log.js'
import { forgetQueriesOf } from './memory/recalls.js'
import { writeSummaries } from './memory/sessions.js'
import type { Parts } from './open-postgres.js'
import { lockRecords, readRecords } from './records.js'
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
import { forgetCachedTexts, queueForVectors } from './vectors-table.js'
import { forgetTerms, indexRecords, indexRevisions, unindexRecords } from './words-index.js'

const SQL = {
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
  { action, now }: { readonly action: 'restore' | 'reinstate'; readonly now: number },
): Promise<void> {
  if (ids.length === 0) return
  await beginState(statements, ids, now)
  await noteRecords(statements, action, { ids, at: now })
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
    lockRecords(statements, ids),
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
    lockRecords(statements, ids),
    change(statements, SQL.restore, { ids, now: at }),
  ])
  await showRecords(statements, back, { action: 'restore', now: at })
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
    lockRecords(statements, [id, by]),
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
    lockRecords(statements, ids),
    unlinkSuccessors(statements, ids),
    change(statements, SQL.reinstate, { ids, now }),
  ])
  await showRecords(statements, back, { action: 'reinstate', now })
  return back.ids.length > 0
}

/** Returns the ids that are gone. */
export async function purgeRecords(
  statements: Statements,
  parts: Parts,
  { ids, summaries }: { ids: readonly RecordId[]; summaries: readonly SessionSummary[] },
): Promise<RecordId[]> {
  const rows = [...(await lockRecords(statements, ids)).values()]
  const { makeId } = parts
  // What only a purged record superseded is valid again.
  const freed = await handOverSuccession(statements, ids, { makeId, now: parts.now() })
  if (freed.length > 0) await reinstateRecords(statements, parts, freed)
  await forgetCachedTexts(statements, rows)
  const turns = await readTurns(statements, ids)
  await forgetQueriesOf(statements, ids)
  await noteRecords(statements, 'purge', { ids, at: parts.now() })
  await Promise.all(SQL.detach.map((sql) => statements.run(sql, { rows })))
  const gone = new Set(await statements.column(SQL.purge, { rows }))
  await writeSummaries(statements, summaries)
  const moved = await refreshContexts(statements, turns)
  await queueForVectors(statements, moved)
  await indexRecords(statements, moved)
  // Nobody else writes meanwhile, so no word that is being added is taken for one that is gone.
  if (gone.size > 0) await forgetTerms(statements)
  return ids.filter((id) => gone.has(id))
}
