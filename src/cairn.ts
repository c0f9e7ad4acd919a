/** Promise: everything a user can do with a file, each checked at the door and done whole or not at all. */

import { loadPage } from './answering/load-page.js'
import { plainMarker } from './answering/marks.js'
import { findNearDuplicates } from './answering/near-duplicates.js'
import type { SearchAnswer, SimilarAnswer } from './core/answer.js'
import { CairnError } from './core/errors.js'
import type { RecordId } from './core/ids.js'
import type { Log } from './core/log.js'
import type {
  AddOutcome,
  CairnRecord,
  NearDuplicate,
  NewRecord,
  RecordChange,
} from './core/record.js'
import { BY_HAND } from './core/salience.js'
import type { SessionContext } from './core/session.js'
import type { EmbedderConfig } from './embedding/open-embedder.js'
import type { BuildProgress, Meaning } from './indexing/meaning.js'
import { createFacts, type Facts } from './library/facts.js'
import { createLenses, type Lenses } from './library/lenses.js'
import { createLinks, type Links } from './library/links.js'
import {
  assertNotSuperseded,
  createPast,
  type HistoryAnswer,
  type Past,
  type SupersedeAnswer,
} from './library/past.js'
import {
  createProvenance,
  type Provenance,
  type ReplayAnswer,
  type WhyAnswer,
} from './library/provenance.js'
import { type RecallParts, Recalls } from './library/recalls.js'
import { createSessions, type SessionParts, type Sessions } from './library/sessions.js'
import { createTimeline } from './library/timeline.js'
import { classifySector } from './memory/classify-sector.js'
import { extractFacts } from './memory/extract-facts.js'
import { createReach, noRecord, type Reach } from './reach.js'
import { check } from './requests/check.js'
import {
  amount as amountOf,
  type ReplayInput,
  type SupersedeInput,
} from './requests/memory-requests.js'
import * as requests from './requests/record-requests.js'
import { type SearchInput, searchRequest } from './requests/search-request.js'
import { findByMeaning } from './retrieval/vector.js'
import { search } from './search.js'
import type { StoredModel } from './storage/meaning.js'
import type { Strengthening } from './storage/memory.js'
import type { Check, PurgeOutcome, RecordPage, Statistics, Storage } from './storage/storage.js'

export type CairnParts = {
  readonly storage: Storage
  readonly meaning: Meaning
  readonly file: string
  readonly namespace: string
  readonly pinned: boolean
  readonly log: Log
  readonly timer: () => number
  readonly now: () => number
  readonly reinforcement: number
  readonly decay: number
} & Pick<SessionParts, 'self' | 'isAlive'> &
  Pick<RecallParts, 'onExit'>

export type AddAnswer = AddOutcome & {
  /** Live records of the namespace that say nearly the same; nothing is merged. */
  readonly nearDuplicates: readonly NearDuplicate[]
}
export type StrengthInput = {
  /** 0..1. Default: 0.1. */
  readonly amount?: number
  /** The session in which it is done. */
  readonly session?: string
}
export type StrengthAnswer = {
  readonly records: readonly { readonly id: RecordId; readonly salience: number }[]
}
export type GetAnswer = {
  readonly records: readonly CairnRecord[]
  /** What was asked for and is not there, as it was asked. */
  readonly missing: readonly string[]
}
export type StatsAnswer = Statistics & {
  readonly file: string
  readonly chunks: number
  /** Vectors by model. */
  readonly vectors: Readonly<Record<string, number>>
  /** Records that have no vectors yet. */
  readonly waiting: number
}
export type DoctorAnswer = {
  readonly ok: boolean
  readonly checks: readonly Check[]
  readonly repaired: boolean
}
export type ModelsAnswer = {
  readonly models: readonly (StoredModel & {
    /** Share of the live records, 0..1. */ readonly coverage: number
  })[]
  readonly waiting: number
}

/** An open Cairn file. Ids may be shortened to any beginning of eight characters or more that names one record. */
export class Cairn {
  readonly sessions: Sessions
  readonly links: Links
  readonly facts: Facts
  readonly lenses: Lenses
  readonly #parts: CairnParts
  readonly #storage: Storage
  readonly #reach: Reach
  readonly #past: Past
  readonly #provenance: Provenance
  readonly #recalls: Recalls
  /** Records in the order of time: around an anchor, or over a stretch of it. */
  readonly timeline: ReturnType<typeof createTimeline>

  constructor(parts: CairnParts) {
    const { storage, now, decay } = parts
    this.#parts = parts
    this.#storage = storage
    const reach = createReach({ ...parts, moment: () => ({ nowMs: now(), decay }) })
    this.#reach = reach
    this.sessions = createSessions({ ...parts, reach })
    this.links = createLinks(storage, reach)
    this.facts = createFacts(storage, reach, now)
    this.lenses = createLenses(storage)
    this.timeline = createTimeline({ storage, reach, now })
    this.#past = createPast(storage, reach, (id, patch) => this.edit(id, patch))
    this.#recalls = new Recalls(parts)
    this.#provenance = createProvenance({
      storage,
      reach,
      now,
      search: (request) => this.search(request),
      findSession: (text) => this.sessions.find(text),
    })
  }

  /** Adds one record and lists what is nearly the same. */
  async add(input: requests.RecordInput): Promise<AddAnswer> {
    const [answer] = await this.addMany([input])
    if (answer === undefined) throw new Error('one record was added and no answer came back')
    if (!answer.created) return answer
    return { ...answer, nearDuplicates: await findNearDuplicates(this.#storage, answer.id) }
  }

  /** Adds all of them or, where one is refused, none. Does not look for near-duplicates. */
  async addMany(inputs: readonly requests.RecordInput[]): Promise<AddAnswer[]> {
    const { storage, meaning, log } = this.#parts
    const records = inputs.map((input) => this.#newRecord(input))
    const vectors = await meaning.read(records)
    const outcomes = await storage.add(records, vectors ?? undefined)
    await this.#extractFacts(inputs, outcomes)
    // Turns of a session are read once their neighbours are known, and what had to wait now that the model answers.
    await meaning.settle(records.length)
    log('info', 'add', { records: outcomes.filter(({ created }) => created).length })
    return outcomes.map((outcome) => ({ ...outcome, nearDuplicates: [] }))
  }

  async get(ids: readonly string[]): Promise<GetAnswer> {
    const resolved = await Promise.all(ids.map((id) => this.#reach.find(id)))
    const known = resolved.filter((id) => id !== null)
    const records = (await this.#storage.get(known)).filter(this.#reach.contains)
    const found = new Set(records.map(({ id }) => id))
    const missing = ids.filter((_, i) => {
      const id = resolved[i] ?? null
      return id === null || !found.has(id)
    })
    return { records, missing }
  }

  async list(input: requests.ListInput = {}): Promise<RecordPage> {
    const request = check(requests.listRequest, input)
    const { limit, cursor, deleted } = request
    return this.#storage.list({ filter: await this.#reach.filter(request), limit, cursor, deleted })
  }

  /** Changes a record; what it was is kept. With a session, the edit is noted there. */
  async edit(id: string, patch: requests.RecordPatch): Promise<CairnRecord> {
    const { occurredAt, session, ...rest } = check(requests.recordPatch, patch)
    if (rest.namespace !== undefined) this.#reach.assertContains(rest.namespace)
    const [before] = await this.#reach.findAll([id], 'live')
    if (before === undefined) throw noRecord(id)
    assertNotSuperseded(before, id)
    const editor = session === undefined ? null : await this.sessions.find(session)
    const change = {
      ...rest,
      ...(occurredAt === undefined ? {} : { occurredAtMs: occurredAt }),
    }
    const title = rest.title === undefined ? before.title : rest.title
    const body = rest.body ?? before.body
    const isNewText = title !== before.title || body !== before.body
    const vectors = isNewText
      ? await this.#parts.meaning.read([{ title, body, sessionId: before.sessionId }])
      : null
    const record = await this.#storage.update(
      before.id,
      change as RecordChange,
      vectors ?? undefined,
    )
    if (record === null) throw noRecord(id)
    if (editor !== null) await this.#storage.memory.touch(editor.id, [record.id], 'updated')
    await this.#parts.meaning.settle(1)
    return record
  }

  /** Hides records everywhere, until they are restored or purged. */
  async delete(ids: readonly string[]): Promise<RecordId[]> {
    return this.#settled(this.#storage.softDelete(idsOf(await this.#reach.findAll(ids, 'live'))))
  }

  async restore(ids: readonly string[]): Promise<RecordId[]> {
    return this.#settled(this.#storage.restore(idsOf(await this.#reach.findAll(ids, 'deleted'))))
  }

  /** Removes records for good: from the table, the index, the vectors and the bytes of the file. */
  async purge(ids: readonly string[]): Promise<PurgeOutcome> {
    return this.#settled(this.#storage.purge(idsOf(await this.#reach.findAll(ids, 'any'))))
  }

  /**
   * Finds records; `cairn.search('words')` is short for `cairn.search({ query: 'words' })`. With `recallSession` the
   * answer leaves a trace: what it showed is linked to the session, logged and remembered a little better.
   */
  async search(input: string | SearchInput, options: SearchInput = {}): Promise<SearchAnswer> {
    const given = typeof input === 'string' ? { ...options, query: input } : input
    const asked = await this.lenses.through(given)
    const request = check(searchRequest, asked)
    const session =
      request.recallSession === undefined ? null : await this.sessions.find(request.recallSession)
    const { storage, meaning, log, decay, now } = this.#parts
    const rooms = {
      storage,
      readQuestion: meaning.readQuestion.bind(meaning),
      elapsedMs: this.#stopwatch(),
      now,
      decay,
    }
    const found = await search(rooms, request, await this.#reach.filter(request))
    const lens = given.lens ?? found.query.lens
    const answer = { ...found, query: { ...found.query, lens } }
    log('info', 'search', {
      queryChars: request.query.length,
      mode: request.mode,
      hits: answer.hits.length,
      total: answer.total.value,
      ms: Math.round(answer.tookMs * 100) / 100,
    })
    log('debug', 'search.text', { query: request.query })
    if (session !== null) this.#recalls.add(session.id, withoutRecall(given), answer)
    return answer
  }

  /** The same search over documents alone. */
  async searchDocuments(
    input: string | SearchInput,
    options: SearchInput = {},
  ): Promise<SearchAnswer> {
    const given = typeof input === 'string' ? { ...options, query: input } : input
    return this.search({ ...given, kinds: 'document', includeDocuments: true })
  }

  /** Records near to this one in meaning, itself left out. */
  async similar(id: string, input: SearchInput = {}): Promise<SimilarAnswer> {
    const elapsedMs = this.#stopwatch()
    const request = check(searchRequest, input)
    const [record] = await this.#reach.findAll([id], 'live')
    const model = await this.#storage.meaning.active()
    const vector = record && model && (await this.#storage.meaning.vectorOf(model.id, record.id))
    if (!record || !model || !vector) {
      throw new CairnError('not_found', {
        message: `The record "${id}" has no vectors yet.`,
        hint: '`cairn embed` makes them; a text without a word that the model knows never has any.',
      })
    }
    const page = await findByMeaning(this.#storage, {
      model,
      vector,
      root: null,
      fields: null,
      filter: await this.#reach.filter(request),
      threshold: request.threshold ?? null,
      exclude: [record.id],
      page: { limit: request.limit, offset: request.offset },
    })
    const options = {
      marker: plainMarker,
      withReasons: request.explain,
      wordsIn: null,
      withFacts: request.includeFacts,
      context: request.context,
      now: this.#parts.now(),
      asOfMs: request.asOf,
    }
    const hits = await loadPage(this.#storage, page.found, options)
    const total = { value: page.total, exact: page.isExact }
    return { of: record.id, model: model.id, total, tookMs: elapsedMs(), hits }
  }

  /** What a record was before each change. */
  history(id: string): Promise<HistoryAnswer> {
    return this.#past.history(id)
  }

  /** Gives a record back what it was: before its last edit, or in the revision of that number. */
  undo(id: string, revision?: number): Promise<CairnRecord> {
    return this.#past.undo(id, revision)
  }

  /** From now on `newer` stands in the place of `older`, which is no longer valid. */
  async supersede(
    older: string,
    newer: string,
    input: SupersedeInput = {},
  ): Promise<SupersedeAnswer> {
    return this.#settled(this.#past.supersede(older, newer, input))
  }

  /** Where a record came from, who recalled it for which queries, and what corrected it. */
  async why(id: string): Promise<WhyAnswer> {
    await this.#recalls.settled()
    return this.#provenance.why(id)
  }

  /** Runs logged queries again and says what moved; writes nothing. */
  async replay(input: ReplayInput = {}): Promise<ReplayAnswer> {
    await this.#recalls.settled()
    return this.#provenance.replay(input)
  }

  /** The latest session that touched a record, how, and how many records it holds; null where none did. */
  async sessionContext(id: string): Promise<SessionContext | null> {
    await this.#recalls.settled()
    return this.sessions.contextOf(id)
  }

  /** Makes records more salient: s + amount · (1 − s). */
  reinforce(ids: readonly string[], options: StrengthInput = {}): Promise<StrengthAnswer> {
    return this.#strengthen('reinforce', ids, options)
  }

  /** Makes records less salient, never below 0.05. */
  deemphasize(ids: readonly string[], options: StrengthInput = {}): Promise<StrengthAnswer> {
    return this.#strengthen('deemphasize', ids, options)
  }

  /**
   * Makes the vectors that are missing; with a configuration, all vectors of another model, which is put in charge
   * once it has read everything. Searches go on with the old one until then.
   */
  async embed(
    config: EmbedderConfig | null = null,
    onProgress: (progress: BuildProgress) => void = () => {},
  ): Promise<ModelsAnswer> {
    const { meaning, storage } = this.#parts
    if (config !== null) await meaning.build(config, onProgress)
    const { waiting } = await storage.meaning.coverage()
    for (let done = 0; ; ) {
      onProgress({ done, total: Math.max(done, waiting) })
      const read = await meaning.catchUp()
      if (read === 0) break
      done += read
    }
    return this.models()
  }

  async models(): Promise<ModelsAnswer> {
    const models = await this.#storage.meaning.models()
    const { waiting, records } = await this.#storage.meaning.coverage()
    return {
      waiting,
      models: models.map((model) => ({
        ...model,
        coverage: records === 0 ? 1 : Math.min(1, model.records / records),
      })),
    }
  }

  /** Forgets the vectors of a model that is not in charge. */
  async removeModel(id: string): Promise<void> {
    if (await this.#storage.meaning.remove(id)) return
    const known = (await this.#storage.meaning.models()).map((model) => model.id)
    throw new CairnError('not_found', {
      message: `There is no model "${id}" in this file.`,
      hint: known.length === 0 ? 'It has no vectors at all.' : `There are: ${known.join(', ')}.`,
    })
  }

  async stats(): Promise<StatsAnswer> {
    const statistics = await this.#storage.statistics()
    const models = await this.#storage.meaning.models()
    const active = models.find(({ state }) => state === 'active')
    const { waiting } = await this.#storage.meaning.coverage()
    return {
      file: this.#parts.file,
      ...statistics,
      chunks: active?.vectors ?? 0,
      vectors: Object.fromEntries(models.map(({ id, vectors }) => [id, vectors])),
      waiting,
    }
  }

  /** Looks for damage; with `repair` builds the index and everything derived anew, then looks again. */
  async doctor({ repair = false }: { readonly repair?: boolean } = {}): Promise<DoctorAnswer> {
    if (repair) {
      await this.#storage.rebuild()
      const { checks } = await this.doctor()
      if (checks.some(({ name, ok }) => name === 'vectors' && !ok)) {
        await this.#storage.meaning.clear()
        await this.embed()
      }
    }
    const checks = await this.#storage.check()
    return { ok: checks.every(({ ok }) => ok), checks, repaired: repair }
  }

  /** The shortest beginnings that still name each record alone. */
  async shorten(ids: readonly RecordId[]): Promise<string[]> {
    return this.#storage.shorten(ids)
  }

  /** Waits until every recall is written. */
  async close(): Promise<void> {
    await this.#recalls.settled()
    await this.#parts.meaning.close()
    await this.#storage.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #newRecord(input: requests.RecordInput): NewRecord {
    const { occurredAt, namespace, session, extractFacts, ...rest } = check(
      requests.recordInput,
      input,
    )
    const target = namespace ?? this.#parts.namespace
    this.#reach.assertContains(target)
    const isUnsorted = rest.kind === 'memory' && rest.sector === null
    return {
      ...rest,
      sector: isUnsorted ? classifySector(rest.body).sector : rest.sector,
      namespace: target,
      occurredAtMs: occurredAt,
      sessionId: session,
    }
  }

  async #extractFacts(
    inputs: readonly requests.RecordInput[],
    outcomes: readonly AddOutcome[],
  ): Promise<void> {
    for (const [i, { extractFacts: isAsked, body }] of inputs.entries()) {
      const outcome = outcomes[i]
      if (!isAsked || !outcome?.created) continue
      const facts = extractFacts(body)
      if (facts.length > 0) await this.#storage.memory.addFacts(outcome.id, facts)
    }
  }

  async #strengthen(
    kind: Strengthening['kind'],
    ids: readonly string[],
    { amount = BY_HAND, session }: StrengthInput,
  ): Promise<StrengthAnswer> {
    const checked = check(amountOf, amount)
    const records = await this.#reach.findAll(ids, 'live')
    const sessionId = session === undefined ? null : (await this.sessions.find(session)).id
    const { decay } = this.#parts
    const salience = await this.#storage.memory.strengthen(idsOf(records), {
      kind,
      amount: checked,
      decay,
      sessionId,
    })
    return { records: [...salience].map(([id, value]) => ({ id, salience: value })) }
  }

  /** Neighbours of what was changed are read again in their new surroundings. */
  async #settled<T>(change: Promise<T>): Promise<T> {
    const outcome = await change
    await this.#parts.meaning.settle(0)
    return outcome
  }

  #stopwatch(): () => number {
    const start = this.#parts.timer()
    return () => this.#parts.timer() - start
  }
}

/** A query that is run again is no recall. */
function withoutRecall({ recallSession: _, ...request }: SearchInput): SearchInput {
  return request
}

function idsOf(records: readonly CairnRecord[]): RecordId[] {
  return records.map(({ id }) => id)
}
