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
import type { EmbedderConfig } from './embedding/open-embedder.js'
import type { BuildProgress, Meaning } from './indexing/meaning.js'
import { createReach, noRecord, type Reach } from './reach.js'
import { check } from './requests/check.js'
import * as requests from './requests/record-requests.js'
import { type SearchInput, searchRequest } from './requests/search-request.js'
import { findByMeaning } from './retrieval/vector.js'
import { search } from './search.js'
import type { StoredModel } from './storage/meaning.js'
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
}

export type AddAnswer = AddOutcome & {
  /** Live records of the namespace that say nearly the same; nothing is merged. */
  readonly nearDuplicates: readonly NearDuplicate[]
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
  readonly #parts: CairnParts
  readonly #storage: Storage
  readonly #reach: Reach

  constructor(parts: CairnParts) {
    this.#parts = parts
    this.#storage = parts.storage
    this.#reach = createReach(parts.storage, parts.namespace, parts.pinned)
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

  async edit(id: string, patch: requests.RecordPatch): Promise<CairnRecord> {
    const { occurredAt, session, ...rest } = check(requests.recordPatch, patch)
    if (rest.namespace !== undefined) this.#reach.assertContains(rest.namespace)
    const [before] = await this.#reach.findAll([id], 'live')
    if (before === undefined) throw noRecord(id)
    const change = {
      ...rest,
      ...(occurredAt === undefined ? {} : { occurredAtMs: occurredAt }),
      ...(session === undefined ? {} : { sessionId: session }),
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

  /** Finds records; `cairn.search('words')` is short for `cairn.search({ query: 'words' })`. */
  async search(input: string | SearchInput, options: SearchInput = {}): Promise<SearchAnswer> {
    const given = typeof input === 'string' ? { ...options, query: input } : input
    const request = check(searchRequest, given)
    const { storage, meaning, log } = this.#parts
    const rooms = {
      storage,
      readQuestion: meaning.readQuestion.bind(meaning),
      elapsedMs: this.#stopwatch(),
      now: this.#parts.now,
    }
    const answer = await search(rooms, request, await this.#reach.filter(request))
    log('info', 'search', {
      queryChars: request.query.length,
      mode: request.mode,
      hits: answer.hits.length,
      total: answer.total.value,
      ms: Math.round(answer.tookMs * 100) / 100,
    })
    log('debug', 'search.text', { query: request.query })
    return answer
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
    const options = { marker: plainMarker, withReasons: request.explain, wordsIn: null }
    const hits = await loadPage(this.#storage, page.found, options)
    const total = { value: page.total, exact: page.isExact }
    return { of: record.id, model: model.id, total, tookMs: elapsedMs(), hits }
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

  async close(): Promise<void> {
    await this.#parts.meaning.close()
    await this.#storage.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #newRecord(input: requests.RecordInput): NewRecord {
    const { occurredAt, namespace, session, ...rest } = check(requests.recordInput, input)
    const target = namespace ?? this.#parts.namespace
    this.#reach.assertContains(target)
    return {
      ...rest,
      namespace: target,
      occurredAtMs: occurredAt,
      salience: 0.5,
      sessionId: session,
    }
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

function idsOf(records: readonly CairnRecord[]): RecordId[] {
  return records.map(({ id }) => id)
}
