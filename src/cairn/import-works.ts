/** Imports works in batches. Each work is stored once, and an import that was interrupted can be run again. */

import { badInput, CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { Work } from '../core/work.js'
import { type BatchEmbedder, withBackoff } from '../embedding/backoff.js'
import type { BuildProgress } from '../embedding/indexer.js'
import { listKeys, tidyWork } from '../literature/identities.js'
import { listKeysOfPdf } from '../literature/match-pdf.js'
import {
  type KnownWork,
  type PlannedOutcome,
  type PlannedWork,
  planImport,
} from '../literature/match-works.js'
import type { Conflict } from '../literature/merge-works.js'
import { assertList, check } from '../schemas/check.js'
import * as requests from '../schemas/work-requests.js'
import type { Storage } from '../storage/storage.js'
import type { IdentifiedWork, NewWork, WorkUpdate } from '../storage/works.js'
import type { Context } from './scope.js'
import * as records from './work-records.js'

export type ImportOptions = requests.WorksImportInput & {
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

export type ImportAnswer = Readonly<Record<ImportOutcome['state'], number>> & {
  /** In the order of the works that were given. */
  readonly outcomes: readonly ImportOutcome[]
  /** How many works have a field that differs from the stored value, which stays. */
  readonly conflicts: number
}

/** How often a batch is planned again because another process wrote in between. */
const MAX_TRIES = 20

export async function importWorks(
  { storage, indexer, scope, log }: Context,
  given: readonly Work[],
  { onProgress = () => {}, ...options }: ImportOptions,
): Promise<ImportAnswer> {
  const { tags, source, batch, dryRun, ...rest } = check(requests.importRequest, options)
  const namespace = rest.namespace ?? scope.namespace
  scope.assertContains(namespace)
  assertList('works', given)
  const works = given.map((work, i) => checkWork(work, i, tags))
  const parts = { storage, indexer: withBackoff(indexer) }
  const outcomes: ImportOutcome[] = []
  onProgress({ done: 0, total: works.length })
  if (dryRun) {
    // All works at once: works that are not written could not be found again by the next batch.
    const asked = listAsked(works)
    const known = await loadKnown(storage, await storage.works.find(namespace, asked))
    outcomes.push(...planImport(known, works).outcomes.map((one) => toOutcome(one, new Map())))
  }
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
  log('info', 'import', { ...counts, dryRun })
  return { outcomes, ...counts }
}

function checkWork(given: Work, i: number, tags: readonly string[]): Work {
  const title = typeof given?.title === 'string' ? ` ("${given.title.slice(0, 60)}")` : ''
  try {
    const work = check(requests.workInput, given)
    // Tags that differ in case alone are one; the first spelling stays.
    const byName = new Map<string, string>()
    for (const tag of [...work.tags, ...tags]) {
      if (!byName.has(tag.toLowerCase())) byName.set(tag.toLowerCase(), tag)
    }
    const tidy = tidyWork({ ...work, tags: [...byName.values()] })
    if (listIdentities(tidy).length > 0) return tidy
    throw badInput('it has no title, no abstract and no identifier.')
  } catch (error) {
    if (!(error instanceof CairnError)) throw error
    const message = `Cannot import work ${i + 1}${title}: ${error.message}`
    throw badInput(message, 'Nothing of this import was stored.')
  }
}

/** The keys that identify a work; a citation key does not. */
function listIdentities(work: Work): string[] {
  return listKeys(work).filter((key) => !key.startsWith('key:'))
}

/** Also the keys of PDFs that wait for their works. */
function listAsked(works: readonly Work[]): string[] {
  return [...new Set(works.flatMap((work) => [...listIdentities(work), ...listKeysOfPdf(work)]))]
}

/** Embeds before it writes. If the stored works have changed by then, it starts again. */
async function importBatch(
  { storage, indexer }: { readonly storage: Storage; readonly indexer: BatchEmbedder },
  works: readonly Work[],
  { namespace, source }: records.WorkOrigin,
): Promise<ImportOutcome[]> {
  const asked = listAsked(works)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const seen = await storage.works.find(namespace, asked)
    const plan = planImport(await loadKnown(storage, seen), works)
    const created = plan.works.filter((one) => one.known === null)
    const changed = plan.works.filter(isChanged)
    const vectors = await embedWorks(indexer, created, changed)
    const added = created.map(
      ({ work, identities, absorbed }): NewWork => ({
        record: records.toNewWork(work, { namespace, source }),
        work: records.pickDetails(work),
        identities: [...identities],
        references: work.references,
        absorbed: listIds(absorbed),
      }),
    )
    const updated = changed.map(
      ({ known, work, identities, absorbed }, i): WorkUpdate => ({
        id: known.id as RecordId,
        change: {
          ...((known.paper ?? null) === null
            ? records.toChange(known.work, work, known.metadata)
            : {
                ...records.toChange(records.NO_WORK, work, records.dropOwn(known.metadata)),
                kind: 'work' as const,
              }),
          identities: [...identities],
          ...(known.source === null && source !== null && { source }),
        },
        vectors: vectors.changed[i] ?? null,
        references: listMissing(work.references, known.work.references),
        absorbed: listIds(absorbed),
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

function listMissing(wanted: readonly string[], known: readonly string[]): string[] {
  const stored = new Set(known)
  return wanted.filter((one) => !stored.has(one))
}

function listIds(pdfs: readonly PlannedWork[]): RecordId[] {
  return pdfs.flatMap(({ known }) => (known === null ? [] : (known.id as RecordId)))
}

type KnownRecord = KnownWork & Pick<CairnRecord, 'source' | 'metadata'>
type ChangedWork = PlannedWork & { readonly known: KnownRecord }

async function loadKnown(storage: Storage, seen: readonly IdentifiedWork[]) {
  const ids = seen.map(({ id }) => id)
  const byId = new Map((await storage.get(ids)).map((record) => [record.id, record]))
  const references = await storage.works.references(ids)
  return seen.flatMap(({ id, identities, isSuperseded }) => {
    const record = byId.get(id)
    if (record === undefined) return []
    const cited = (references.get(id) ?? []).flatMap(({ reference }) => reference ?? [])
    const { source, metadata } = record
    const isPdf = record.kind !== 'work'
    if (isPdf && isSuperseded) return []
    const paper = isPdf ? records.readPaper(record, identities) : null
    const work = isPdf ? records.toTextOnly(record) : records.toWork(record, cited)
    return [{ id, work, identities, isSuperseded, paper, source, metadata }]
  })
}

function isChanged(one: PlannedWork): one is ChangedWork {
  const { known, work, identities } = one
  return known !== null && (work !== known.work || identities.size > known.identities.length)
}

/** Embeds the texts of new works and the changed texts in one call of the model. */
async function embedWorks(
  indexer: BatchEmbedder,
  created: readonly PlannedWork[],
  changed: readonly ChangedWork[],
) {
  const rewritten = changed.filter(
    ({ known, work }) =>
      JSON.stringify(records.toText(work)) !== JSON.stringify(records.toText(known.work)),
  )
  const texts = [...created, ...rewritten].map(({ work }) => records.toText(work))
  const embedded = await indexer.embedTexts(texts)
  if (embedded === null) return { created: null, changed: [] }
  const { vectors } = embedded
  return {
    created: { ...embedded, vectors: vectors.slice(0, created.length) },
    changed: changed.map((one) => {
      const at = rewritten.indexOf(one)
      if (at < 0) return null
      return { ...embedded, vectors: [vectors[created.length + at] ?? null] }
    }),
  }
}

function toOutcome(
  { planned, state, changed, conflicts, shared }: PlannedOutcome,
  created: ReadonlyMap<PlannedWork, RecordId>,
): ImportOutcome {
  const idOf = (one: PlannedWork): RecordId =>
    created.get(one) ?? ((one.known?.id ?? '') as RecordId)
  const id = idOf(planned)
  if (shared === null) return { id, state, changed, conflicts }
  const field = 'identity' as const
  const doubt = { field, stored: shared.others.map(idOf), incoming: shared.keys }
  return { id, state, changed, conflicts: [...conflicts, doubt] }
}
