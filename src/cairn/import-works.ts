/** Works come in by whole batches, each work once, and an import that was broken off can be run again. */

import { badInput, CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { Log } from '../core/log.js'
import type { Work } from '../core/work.js'
import { type BatchEmbedder, withBackoff } from '../embedding/backoff.js'
import type { BuildProgress } from '../embedding/indexer.js'
import { listKeys, tidyWork } from '../literature/identities.js'
import {
  type KnownWork,
  type PlannedOutcome,
  type PlannedWork,
  planImport,
} from '../literature/match-works.js'
import type { Conflict } from '../literature/merge-works.js'

import { check } from '../schemas/check.js'
import * as requests from '../schemas/work-requests.js'
import type { Storage } from '../storage/storage.js'
import type { EmbeddedRecords } from '../storage/vectors.js'
import type { IdentifiedWork, NewWork, WorkUpdate } from '../storage/works.js'
import type { Scope } from './scope.js'
import { changeOf, detailsOf, toNewWork, toWork } from './work-records.js'

export type ImportOptions = {
  readonly namespace?: string | undefined
  readonly tags?: readonly string[]
  readonly source?: string | null | undefined
  readonly batch?: number | undefined
  /** Says what would be done, and writes nothing. */
  readonly dryRun?: boolean | undefined
  readonly onProgress?: (progress: BuildProgress) => void
}

/** A difference that was left as it is; `identity`: other stored works have a key of this one as well. */
export type ImportConflict =
  | Conflict
  | {
      readonly field: 'identity'
      readonly stored: readonly RecordId[]
      readonly incoming: readonly string[]
    }

export type ImportOutcome = {
  /** Empty for a work that a dry run would create. */
  readonly id: RecordId
  readonly state: 'created' | 'updated' | 'unchanged'
  readonly conflicts: readonly ImportConflict[]
  readonly changed: readonly (keyof Work)[]
}

export type ImportAnswer = {
  /** In the order of the works that were given. */
  readonly outcomes: readonly ImportOutcome[]
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  /** How many works have any. */
  readonly conflicts: number
}

export type ImportParts = {
  readonly storage: Storage
  readonly indexer: BatchEmbedder
  readonly scope: Scope
  readonly log: Log
}

/** How often a batch is put together anew because another process wrote meanwhile. */
const MOST_TRIES = 20

type Place = { readonly namespace: string; readonly source: string | null }

export async function importWorks(
  given: ImportParts,
  described: readonly Work[],
  { onProgress = () => {}, ...options }: ImportOptions,
): Promise<ImportAnswer> {
  const { tags, source, batch, dryRun, ...rest } = check(requests.importRequest, options)
  const parts = { ...given, indexer: withBackoff(given.indexer) }
  const namespace = rest.namespace ?? parts.scope.namespace
  parts.scope.assertContains(namespace)
  const works = described.map((work, i) => checkWork(work, i, tags))
  const outcomes: ImportOutcome[] = []
  onProgress({ done: 0, total: works.length })
  if (dryRun) outcomes.push(...(await planAll(parts, works, namespace)))
  for (let from = 0; from < works.length && !dryRun; from += batch) {
    const some = works.slice(from, from + batch)
    outcomes.push(...(await importBatch(parts, some, { namespace, source })))
    await parts.indexer.embedPending(some.length)
    onProgress({ done: outcomes.length, total: works.length })
  }
  const count = (state: ImportOutcome['state']): number =>
    outcomes.filter((outcome) => outcome.state === state).length
  const counts = {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    conflicts: outcomes.filter(({ conflicts }) => conflicts.length > 0).length,
  }
  parts.log('info', 'import', { ...counts, dryRun })
  return { outcomes, ...counts }
}

function checkWork(given: Work, i: number, tags: readonly string[]): Work {
  const name = `work ${i + 1}${typeof given?.title === 'string' ? ` ("${given.title.slice(0, 60)}")` : ''}`
  try {
    const work = check(requests.workInput, given)
    const known = new Set<string>()
    const all = [...work.tags, ...tags].filter((tag) => {
      const isNew = !known.has(tag.toLowerCase())
      known.add(tag.toLowerCase())
      return isNew
    })
    const tidy = tidyWork({ ...work, tags: all })
    if (listKeys(tidy).every((key) => key.startsWith('key:'))) {
      throw badInput('it has no title, no abstract and no identifier.')
    }
    return tidy
  } catch (error) {
    if (!(error instanceof CairnError)) throw error
    throw badInput(`Cannot import ${name}: ${error.message}`, 'Nothing of this import was stored.')
  }
}

/** All at once: what is not written cannot be found again by the works that come after it. */
async function planAll(
  { storage }: ImportParts,
  works: readonly Work[],
  namespace: string,
): Promise<ImportOutcome[]> {
  const known = await readKnown(storage, await storage.works.find(namespace, askedKeys(works)))
  return planImport(known, works).outcomes.map((outcome) => toOutcome(outcome, new Map()))
}

function askedKeys(works: readonly Work[]): string[] {
  return [...new Set(works.flatMap(listKeys).filter((key) => !key.startsWith('key:')))]
}

/** Embeds before it writes; where what it was put together from has changed by then, it starts again. */
async function importBatch(
  { storage, indexer }: ImportParts,
  works: readonly Work[],
  { namespace, source }: Place,
): Promise<ImportOutcome[]> {
  const asked = askedKeys(works)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const seen = await storage.works.find(namespace, asked)
    const known = await readKnown(storage, seen)
    const plan = planImport(known, works)
    const created = plan.works.filter((one) => one.known === null)
    const changed = plan.works.filter(isChanged)
    const vectors = await readTexts(indexer, created, changed)
    const added = created.map(
      ({ work, identities }): NewWork => ({
        record: toNewWork(work, { namespace, source }),
        work: detailsOf(work),
        identities: [...identities],
        references: work.references,
      }),
    )
    const updated = changed.map(
      (one, i): WorkUpdate => ({
        id: one.known.id as RecordId,
        change: changeOf(one.known.work, one, one.known.source === null ? source : null),
        vectors: vectors.changed[i] ?? null,
        references: newReferences(one),
      }),
    )
    const isNothing = added.length === 0 && updated.length === 0
    const batch = { namespace, asked, seen, added, vectors: vectors.created, updated }
    const ids = isNothing ? [] : await storage.works.write(batch)
    if (ids === null) continue
    const idOf = new Map(created.map((one, i) => [one, ids[i] as RecordId]))
    return plan.outcomes.map((outcome) => toOutcome(outcome, idOf))
  }
  throw new CairnError('locked', {
    message: `Another process kept changing the works of "${namespace}" during the import.`,
    hint: 'Run the import again: what is stored already is not stored twice.',
  })
}

type StoredWork = KnownWork & { readonly source: string | null }
type ChangedWork = PlannedWork & { readonly known: StoredWork }

async function readKnown(storage: Storage, seen: readonly IdentifiedWork[]): Promise<StoredWork[]> {
  const ids = seen.map(({ id }) => id)
  const records = new Map((await storage.get(ids)).map((record) => [record.id, record]))
  const references = await storage.works.references(ids)
  return seen.flatMap(({ id, identities, isSuperseded }) => {
    const record = records.get(id)
    if (record === undefined) return []
    const cited = (references.get(id) ?? []).map(({ reference }) => reference)
    const work = toWork(
      record,
      cited.filter((reference) => reference !== null),
    )
    return [{ id, work, identities, isSuperseded, source: record.source }]
  })
}

function isChanged(one: PlannedWork): one is ChangedWork {
  const { known, work, identities } = one
  return known !== null && (work !== known.work || identities.size > known.identities.length)
}

function newReferences({ known, work }: ChangedWork): string[] {
  const before = new Set(known.work.references)
  return work.references.filter((reference) => !before.has(reference))
}

/** One call of the model for all texts that are new. */
async function readTexts(
  indexer: BatchEmbedder,
  created: readonly PlannedWork[],
  changed: readonly ChangedWork[],
): Promise<{ created: EmbeddedRecords | null; changed: (EmbeddedRecords | null)[] }> {
  const rewritten = changed.filter(
    ({ known, work }) => work.title !== known.work.title || work.abstract !== known.work.abstract,
  )
  const texts = [...created, ...rewritten].map(({ work }) => ({
    title: work.title === '' ? null : work.title,
    body: work.abstract ?? '',
    sessionId: null,
  }))
  const read = await indexer.embedTexts(texts)
  if (read === null) return { created: null, changed: [] }
  const own = new Map(rewritten.map((one, i) => [one, read.vectors[created.length + i] ?? null]))
  return {
    created: { ...read, vectors: read.vectors.slice(0, created.length) },
    changed: changed.map((one) => {
      const vectors = own.get(one)
      return vectors === undefined ? null : { ...read, vectors: [vectors] }
    }),
  }
}

function toOutcome(
  { planned, state, changed, conflicts, shared }: PlannedOutcome,
  created: ReadonlyMap<PlannedWork, RecordId>,
): ImportOutcome {
  const idOf = (one: PlannedWork): RecordId =>
    created.get(one) ?? ((one.known?.id ?? '') as RecordId)
  const doubts =
    shared === null
      ? []
      : [{ field: 'identity' as const, stored: shared.others.map(idOf), incoming: shared.keys }]
  return { id: idOf(planned), state, changed, conflicts: [...conflicts, ...doubts] }
}
