/** Adds, reads, edits, deletes and reinforces records. */

import type { Degradation, FactShown } from '../core/answer.js'
import { badInput, noRecord } from '../core/errors.js'
import { keepTexts } from '../core/full-text.js'
import type { RecordId } from '../core/ids.js'
import type { AddOutcome, CairnRecord, NearDuplicate, RecordChange } from '../core/record.js'
import { classifySector } from '../memory/classify-sector.js'
import { extractFacts } from '../memory/extract-facts.js'
import { check } from '../schemas/check.js'
import { type StrengthInput, strengthRequest } from '../schemas/memory-requests.js'
import * as requests from '../schemas/record-requests.js'
import { findNearDuplicates, listSimilar } from '../search/near-duplicates.js'
import type { Strengthening } from '../storage/memory.js'
import type { Addition, PurgeOutcome, RecordPage } from '../storage/storage.js'
import { type ContradictedRecord, type Facts, findContradicted } from './facts.js'
import { assertNotSuperseded } from './history.js'
import type { Context, Scope } from './scope.js'
import type { Sessions } from './sessions.js'
import { addIdentities, editWork } from './work-records.js'

export type AddAnswer = AddOutcome & {
  /** Live records of the namespace that say nearly the same. Nothing is merged. */
  readonly nearDuplicates: readonly NearDuplicate[]
  /** The facts that `extractFacts` found. */
  readonly facts: readonly FactShown[]
  /** Earlier records of the namespace that say something else on the same subject. */
  readonly contradictions: readonly ContradictedRecord[]
  /** Why the language model did not help with the facts; null if it did or was not asked. */
  readonly degraded: Degraded
}
type Degraded = Degradation | null

export type GetAnswer = {
  readonly records: readonly CairnRecord[]
  /** The ids that name no record, as they were given. */
  readonly missing: readonly string[]
}

export type StrengthAnswer = {
  readonly records: readonly { readonly id: RecordId; readonly salience: number }[]
}

const PAGE = 1000

/** The session is still as it was named. */
type CheckedAddition = Omit<Addition, 'createdIn'> & { readonly createdIn: string | null }

export type Records = ReturnType<typeof createRecords>

export function createRecords(context: Context, sessions: Sessions, listExtracted: Facts['ofNew']) {
  const { storage, indexer, scope, recalls, log, now, decay } = context

  /** Finds the session that a record was created in. */
  const locateCreator = async ({ createdIn, ...record }: CheckedAddition): Promise<Addition> => {
    if (createdIn === null) return record
    return { ...record, createdIn: (await sessions.locate(createdIn)).row }
  }

  const addMany = async (inputs: readonly requests.RecordInput[]): Promise<AddAnswer[]> => {
    if (!Array.isArray(inputs)) throw badInput('addMany takes a list of records.')
    const { additions, degraded } = await describeAdditions(context, inputs)
    return addChecked(additions, degraded)
  }

  const addChecked = async (given: readonly CheckedAddition[], degraded: Degraded = null) => {
    const records = await Promise.all(given.map(locateCreator))
    const vectors = await indexer.embedTexts(records)
    const outcomes = await storage.add(records, vectors ?? undefined)
    // Embeds turns of a session, whose neighbours are now known, and records that waited for the model.
    await indexer.embedPending(records.length)
    log('info', 'add', { records: outcomes.filter(({ created }) => created).length })
    const extracted = await listExtracted(outcomes.filter((_, i) => records[i]?.facts?.length))
    return outcomes.map(
      (outcome): AddAnswer => ({
        ...{ ...outcome, nearDuplicates: [], contradictions: [], degraded },
        facts: extracted.get(outcome.id) ?? [],
      }),
    )
  }

  /** Embeds again the turns of a session whose neighbours were changed. */
  const embedNeighbours = async <T>(outcome: T): Promise<T> => {
    await indexer.embedPending(0)
    return outcome
  }

  const change = async (before: CairnRecord, wanted: RecordChange): Promise<CairnRecord> => {
    const { id, sessionId } = before
    const { title = before.title, body = before.body } = wanted
    const isNewText = title !== before.title || body !== before.body
    const vectors = isNewText ? await indexer.embedTexts([{ title, body, sessionId }]) : null
    const whole = { ...wanted, ...addIdentities(before, wanted) }
    const record = await storage.update(id, whole, vectors ?? undefined)
    if (record === null) throw noRecord(id)
    await indexer.embedPending(1)
    return record
  }

  const strengthen = async (
    kind: Strengthening['kind'],
    ids: readonly string[],
    input: StrengthInput,
  ): Promise<StrengthAnswer> => {
    const { amount, session } = check(strengthRequest, input)
    const records = await scope.findAll(ids, 'live')
    const row = session === undefined ? null : (await sessions.locate(session)).row
    const how = { kind, amount, decay, session: row }
    const salience = await storage.memory.strengthen(idsOf(records), how)
    return { records: [...salience].map(([id, value]) => ({ id, salience: value })) }
  }

  return {
    addMany,
    addChecked,
    change,

    async add(input: requests.RecordInput): Promise<AddAnswer> {
      const { additions, single, degraded } = await describeAdditions(context, [input])
      const [addition] = additions
      const [answer] = await addChecked(additions, degraded)
      if (!addition || !answer) throw new Error('one record was added and no answer came back')
      const { id, created } = answer
      if (!created) return answer
      const similar = await listSimilar(storage, id, scope.pinnedNamespace !== null)
      return {
        ...answer,
        nearDuplicates: await findNearDuplicates(storage, id, similar),
        contradictions: await findContradicted(storage, { ...addition, id, single }, similar),
      }
    },

    async get(ids: readonly string[]): Promise<GetAnswer> {
      const resolved = await scope.findIds(ids)
      const known = resolved.filter((id) => id !== null)
      const records = (await storage.get(known)).filter(scope.contains)
      const found = new Set<string | null>(records.map(({ id }) => id))
      return { records, missing: ids.filter((_, i) => !found.has(resolved[i] ?? null)) }
    },

    async list(input: requests.ListInput = {}): Promise<RecordPage> {
      const request = check(requests.listRequest, input, now())
      const { limit, cursor, deleted } = request
      return storage.list({ filter: await scope.filter(request), limit, cursor, deleted })
    },

    async edit(id: string, patch: requests.RecordPatch): Promise<CairnRecord> {
      const { occurredAt, session, work, ...rest } = check(requests.recordPatch, patch, now())
      if (rest.namespace !== undefined) scope.assertContains(rest.namespace)
      const before = await scope.findOne(id)
      assertNotSuperseded(before, id)
      const editor = session === undefined ? null : await sessions.locate(session)
      const described = work && (await editWork(storage, before, { ...rest, work }))
      const wanted = {
        ...described,
        ...keepTexts({ ...before, ...described }, rest),
        ...(occurredAt !== undefined && { occurredAtMs: occurredAt }),
        ...(editor !== null && { editedIn: editor.row }),
      }
      return change(before, wanted as RecordChange)
    },

    async delete(ids: readonly string[]): Promise<RecordId[]> {
      const records = await scope.findAll(ids, 'live')
      return embedNeighbours(await storage.softDelete(idsOf(records)))
    },

    async restore(ids: readonly string[]): Promise<RecordId[]> {
      const records = await scope.findAll(ids, 'deleted')
      return embedNeighbours(await storage.restore(idsOf(records)))
    },

    async purge(ids: readonly string[]): Promise<PurgeOutcome> {
      const records = await scope.findAll(ids, 'any')
      await recalls.written()
      const summaries = await sessions.summariseWithout(records)
      return embedNeighbours(await storage.purge(idsOf(records), summaries))
    },

    reinforce: (ids: readonly string[], options: StrengthInput = {}): Promise<StrengthAnswer> =>
      strengthen('reinforce', ids, options),

    deemphasize: (ids: readonly string[], options: StrengthInput = {}): Promise<StrengthAnswer> =>
      strengthen('deemphasize', ids, options),

    shorten: (ids: readonly RecordId[]): Promise<string[]> =>
      storage.shorten(ids, scope.pinnedNamespace),
  }
}

/** Asks the language model for facts before the write, so that the file is not locked meanwhile. */
async function describeAdditions(
  { scope, now, loadModelMemory }: Context,
  inputs: readonly requests.RecordInput[],
) {
  const additions = inputs.map((input) => toAddition(input, scope, now()))
  const asked = additions.filter((_, i) => inputs[i]?.extractFacts)
  if (loadModelMemory === null || asked.length === 0) {
    return { additions, single: [], degraded: null }
  }
  const { extract } = await loadModelMemory()
  const { facts, single, degraded } = await extract(
    asked.map(({ body }) => body),
    asked.map(({ facts: byRules = [] }) => byRules),
  )
  const found = new Map(asked.map((addition, i) => [addition, facts[i] ?? []]))
  const described = additions.map((addition) => {
    const more = found.get(addition)
    return more === undefined ? addition : { ...addition, facts: more }
  })
  return { additions: described, single: single.flat(), degraded }
}

/** Fills in the defaults. A memory without a sector is classified by rules; documents and works have none. */
export function toAddition(
  input: requests.RecordInput,
  scope: Scope,
  nowMs: number,
): CheckedAddition {
  const given = check(requests.recordInput, input, nowMs)
  const { namespace = scope.namespace, kind, body, sector } = given
  scope.assertContains(namespace)
  // Listed one by one: copying the rest of the checked object costs 4 % of `addMany`.
  return {
    kind,
    namespace,
    title: given.title,
    body,
    tags: given.tags,
    people: given.people,
    source: given.source,
    metadata: given.metadata,
    importance: given.importance,
    sector: kind === 'memory' && sector === null ? classifySector(body).sector : sector,
    tier: given.tier,
    salience: given.salience,
    sessionId: given.session,
    occurredAtMs: given.occurredAt,
    facts: given.extractFacts ? extractFacts(body) : [],
    createdIn: given.createdIn,
  }
}

/** Every record of a list, read page by page. */
export async function* readPages(
  readPage: (page: { limit: number; cursor: string | null }) => Promise<RecordPage>,
): AsyncGenerator<CairnRecord, void> {
  let cursor: string | null = null
  do {
    const page: RecordPage = await readPage({ limit: PAGE, cursor })
    yield* page.records
    cursor = page.next
  } while (cursor !== null)
}

function idsOf(records: readonly CairnRecord[]): RecordId[] {
  return records.map(({ id }) => id)
}
