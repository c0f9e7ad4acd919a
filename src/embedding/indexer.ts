/** Embeds records and queries with the active model. If the model fails, writes and searches still succeed. */

import type { Degradation } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import type { Timers } from '../core/http-client.js'
import { omitUndefined } from '../core/json-fields.js'
import type { Log } from '../core/log.js'
import type { TextInContext, TitledText } from '../core/passage.js'
import type { NewRecord } from '../core/record.js'
import type { SearchState, Storage } from '../storage/storage.js'
import type {
  EmbeddedQuery,
  EmbeddedRecords,
  ModelConfig,
  ModelInfo,
  RecordVectors,
} from '../storage/vectors.js'
import { type Embedder, isBundled } from './embedder.js'
import { cacheQueries, type EmbedderConfig, openEmbedder } from './open-embedder.js'
import type { Outages } from './outages.js'
import type { OwnEmbedder } from './own-embedder.js'
import type { WorkerPool } from './worker-pool.js'

export type IndexerOptions = {
  readonly storage: Storage
  /** The model of a file that has none yet. Its address and time-out also apply to stored models. Null disables vectors. */
  readonly config: EmbedderConfig | null
  /** The program's own embedder, for files whose vectors it has made. */
  readonly embedder: OwnEmbedder | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timers: Timers
  readonly outages: Outages
  readonly log: Log
}

type ActiveModel = { readonly active: ModelInfo | null; readonly config: EmbedderConfig }

export type BuildProgress = { readonly done: number; readonly total: number }

/** Texts that are embedded and stored together. An interruption loses at most one batch. */
const BATCH = 256
/** The default weak floor is this far below the floor. */
const WEAK_MARGIN = 0.05
/** Larger, because the bundled model is faster and workers share a batch. */
const BUNDLED_BATCH = 1024

/** How many stored vectors `checkBundled` compares with new ones. */
const SAMPLE = 64
/** The lowest cosine of equal vectors. Quantisation changes a cosine by 0.00001. */
const SAME_VECTOR = 0.999

export class Indexer {
  readonly #options: IndexerOptions
  readonly #opened = new Map<string, Promise<Embedder>>()
  #pool: WorkerPool | null = null

  constructor(options: IndexerOptions) {
    this.#options = options
  }

  /**
   * Embeds new texts. Returns null if the model is unavailable; the texts are then stored as pending. Turns of a session
   * stay pending too, because their neighbours are known only after they are stored.
   */
  async embedTexts(
    texts: readonly (TitledText & Pick<NewRecord, 'sessionId'>)[],
  ): Promise<EmbeddedRecords | null> {
    if (this.#options.config === null || texts.length === 0) return null
    try {
      const { embedder, model } = await this.#openAnswering()
      const withoutSession = texts
        .filter(({ sessionId }) => sessionId === null)
        .map(({ title, body }) => ({ title, body, context: null }))
      const embedded = await this.#watch(this.#embed(embedder, withoutSession))
      let next = 0
      const vectors = texts.map(({ sessionId }) =>
        sessionId === null ? (embedded[next++] ?? null) : null,
      )
      return { model, vectors }
    } catch (error) {
      this.#logFailure(error, texts.length)
      return null
    }
  }

  /** Returns the vector of a query, or the reason why there is none. */
  async embedQuery(text: string, useVector: boolean, state: SearchState): Promise<EmbeddedQuery> {
    if (this.#options.config === null || !useVector) {
      return withoutVector('vectors_off', 'Vectors are switched off; these are matches by words.')
    }
    try {
      const [{ embedder, model, isStored }, degraded] = await Promise.all([
        this.#openAnswering(state),
        describeGaps(state),
      ])
      const [vector] = await this.#watch(embedder.embed([text], { as: 'query' }))
      if (!isStored) return { kind: 'none', degraded }
      if (vector?.some((value) => value !== 0)) {
        const weakFloor = embedder.model.weakFloor ?? model.floor - WEAK_MARGIN
        const countPieces = embedder.countPieces?.bind(embedder) ?? null
        return { kind: 'vector', vector, model, weakFloor, countPieces, degraded }
      }
      const message = 'The model knows none of these words; these are matches by words.'
      return withoutVector('no_known_word', message)
    } catch (error) {
      const hint = error instanceof CairnError && error.hint !== null ? ` ${error.hint}` : ''
      const later = isTimeout(error) ? ', and so are those of the next minute' : ''
      const message = `${getMessage(error)} These are matches by words${later}.${hint}`
      return withoutVector('embedder_unavailable', message)
    }
  }

  /** Embeds pending records after a write, at least the records just written. Returns false if the model is unavailable. */
  async embedPending(written: number): Promise<boolean> {
    if (this.#options.config === null) return true
    if (!(await this.#options.storage.vectors.anyPending())) return true
    try {
      await this.#openAnswering()
      await this.#watch(this.catchUp(written + BATCH))
      return true
    } catch (error) {
      this.#logFailure(error, written)
      return false
    }
  }

  /** Embeds at most `limit` pending records (default: one batch). Returns how many it embedded. */
  async catchUp(limit?: number): Promise<number> {
    if (this.#options.config === null) return 0
    const read = await this.#readActive()
    const { embedder, model } = await this.#openActive(read)
    const batch = getBatchSize(embedder)
    const most = limit ?? batch
    let done = 0
    while (done < most) {
      const count = await this.#embedBatch(embedder, model, Math.min(batch, most - done))
      if (count === 0) break
      done += count
    }
    if (done > 0 && mayHang(read.config)) this.#options.outages.end(JSON.stringify(read.config))
    return done
  }

  /**
   * Builds the vectors of another model while the active one stays in use, then activates it. An interrupted build
   * continues where it stopped. Records that are added meanwhile are embedded before the switch.
   */
  async build(config: EmbedderConfig, onProgress: (progress: BuildProgress) => void) {
    const embedder = await this.#open(config)
    const model = describeModel(embedder, config)
    const { vectors } = this.#options.storage
    await vectors.register(model)
    const { records: total } = await vectors.coverage()
    const stored = (await vectors.models()).find(({ id }) => id === model.id)
    let done = Math.min(total, stored?.records ?? 0)
    for (;;) {
      onProgress({ done, total: Math.max(done, total) })
      const count = await this.#embedBatch(embedder, model, getBatchSize(embedder))
      done += count
      if (count === 0 && (await vectors.activate(model.id))) return model
    }
  }

  /**
   * Describes damage of the bundled model: changed files, or stored vectors that differ from those it makes now. Returns
   * an empty text if there is none, or if another model is active.
   */
  async checkBundled(): Promise<string> {
    const { storage } = this.#options
    const changed = await this.listChangedFiles()
    if (changed === null) return ''
    if (changed.length > 0) return `${changed.join(' and ')} changed: install cairn-search again`
    const { embedder, model } = await this.#openActive()
    const texts = await storage.vectors.sample(model.id, SAMPLE)
    const expected = await this.#embed(embedder, texts)
    const different = texts.filter(({ vector: stored }, i) => {
      const vector = expected[i]?.whole ?? expected[i]?.chunks[0]?.vector
      const cosine = vector?.reduce((sum, value, at) => sum + value * (stored[at] ?? 0), 0) ?? 0
      return cosine < SAME_VECTOR
    }).length
    if (different === 0) return ''
    return `${different} of ${texts.length} vectors are not those of this model`
  }

  /** Returns null if the active model is not the bundled one. */
  async listChangedFiles(): Promise<readonly string[] | null> {
    const active = await this.#options.storage.vectors.active()
    if (this.#options.config === null || active === null || !isBundled({ model: active }))
      return null
    return (await import('./static/model-file.js')).listChangedFiles()
  }

  /** Names the active model, or the one that will embed the first record. Returns null if vectors are disabled. */
  async nameModel(): Promise<string | null> {
    const { config, storage } = this.#options
    if (config === null) return null
    const { provider, model } = config
    return (await storage.vectors.active())?.id ?? [provider, model].filter(Boolean).join('/')
  }

  /** Embeds a text that is in no cache, even if the model timed out in the last minute. Throws if that fails. */
  async probe(): Promise<void> {
    const { embedder } = await this.#openActive()
    await embedder.embed([`ready ${this.#options.timers.now()}`], { as: 'query' })
  }

  /** Embeds all past states that have no vector. */
  async embedPast(): Promise<void> {
    if (this.#options.config === null) return
    const { vectors } = this.#options.storage
    for (let after = -1; ; ) {
      const pending = await vectors.listPastPending(after, BATCH)
      if (pending.length === 0) return
      const { embedder, model } = await this.#openActive()
      const texts = pending.map(({ title, body }) => ({ title, body, context: null }))
      const embedded = await this.#embed(embedder, texts)
      const batch = pending.map(({ row }, i) => ({ row, vectors: embedded[i] as RecordVectors }))
      await vectors.storePast(model, batch)
      after = pending.at(-1)?.row ?? after
    }
  }

  async close(): Promise<void> {
    await this.#pool?.close()
    for (const embedder of this.#opened.values()) {
      // An embedder that failed to open has nothing to close.
      await embedder.then((opened) => opened.close()).catch(() => {})
    }
    this.#opened.clear()
  }

  async #embedBatch(embedder: Embedder, model: ModelInfo, limit: number): Promise<number> {
    const { vectors: storage } = this.#options.storage
    const pending = await storage.listPending(model.id, limit)
    const embedded = await this.#embed(embedder, pending)
    const batch = pending.map(({ id }, i) => ({ id, vectors: embedded[i] as RecordVectors }))
    if (batch.length > 0) await storage.storeVectors(model, batch)
    return batch.length
  }

  /** Embeds texts; many texts on several threads, which start on demand. */
  async #embed(embedder: Embedder, texts: readonly TextInContext[]): Promise<RecordVectors[]> {
    // Imported with the first text, because a search does not need these modules.
    const { embedRecords } = await import('./embed-records.js')
    const { isBulk, WorkerPool } = await import('./worker-pool.js')
    const embedHere = (some: readonly TextInContext[]) =>
      embedRecords(embedder, some, this.#options.storage.vectors)
    if (!isBundled(embedder) || !isBulk(texts)) return embedHere(texts)
    this.#pool ??= new WorkerPool()
    return this.#pool.embed(texts, embedHere)
  }

  /** Opens the active model of the file or, if the file has none (`isStored` is false), the configured model. */
  async #openActive(read?: ActiveModel) {
    const { active, config } = read ?? (await this.#readActive())
    const isKnown = active !== null && isRemote(config)
    const stored = isKnown ? { storedDimensions: active.dimensions } : {}
    const embedder = await this.#open({ ...config, ...stored })
    if (active !== null && embedder.model.id !== active.id) {
      const given = embedder.model.id.replace(/^own\//, '')
      const program = `\`cairn.embed({ provider: 'own', model: '${given}' })\``
      throw new CairnError('embedder_unavailable', {
        message: `The vectors were made by "${active.id}", but the model is now "${embedder.model.id}".`,
        hint: `Build new ones with ${config.provider === 'own' ? program : '`cairn embed --model …`'}.`,
      })
    }
    const model = active ?? describeModel(embedder, config)
    return { embedder, model, isStored: active !== null }
  }

  async #readActive(known?: SearchState): Promise<ActiveModel> {
    const given = this.#options.config
    const active = await (known ?? this.#options.storage.vectors).active()
    const stored = active && (active.config as unknown as EmbedderConfig)
    const config = stored === null ? given : applyAddress(stored, given)
    if (config === null) throw new Error('vectors are switched off')
    return { active, config }
  }

  /** Opens the active model. Throws if it timed out in the last minute. */
  async #openAnswering(known?: SearchState) {
    const read = await this.#readActive(known)
    const { config } = read
    const leftMs = mayHang(config) ? this.#options.outages.leftMs(JSON.stringify(config)) : 0
    if (leftMs === 0) return this.#watch(this.#openActive(read))
    const isOwn = config.provider === 'own'
    throw new CairnError('embedder_unavailable', {
      message: `${isOwn ? 'The embedder' : 'The server of the model'} did not answer; it is asked again in ${Math.ceil(leftMs / 1000)} s.`,
      hint: isOwn
        ? 'Give it a longer timeoutMs if it needs more time.'
        : 'Start it, or set vectorSearch.timeoutMs to wait longer.',
    })
  }

  /** After a time-out, blocks calls to the model for a minute. */
  async #watch<T>(result: Promise<T>): Promise<T> {
    try {
      return await result
    } catch (error) {
      if (isTimeout(error)) {
        const { config } = await this.#readActive()
        this.#options.outages.begin(JSON.stringify(config))
      }
      throw error
    }
  }

  async #open(config: EmbedderConfig): Promise<Embedder> {
    const key = JSON.stringify(config)
    const known = this.#opened.get(key)
    if (known !== undefined) return known
    const opening = this.#openUncached(config).then((embedder) => cacheQueries(embedder))
    this.#opened.set(key, opening)
    // A failure is not cached: the model may be available the next time.
    opening.catch(() => this.#opened.delete(key))
    return opening
  }

  async #openUncached(config: EmbedderConfig): Promise<Embedder> {
    const { embedder, env, timers } = this.#options
    if (config.provider !== 'own') return openEmbedder(config, env, timers)
    if (embedder !== null) return (await import('./own-embedder.js')).adaptEmbedder(embedder)
    throw new CairnError('embedder_unavailable', {
      message: `The vectors were made by the embedder "${config.model}" of another program.`,
      hint: 'Give that embedder to openCairn, or build new vectors with `cairn embed --model …`.',
    })
  }

  #logFailure(error: unknown, records: number): void {
    this.#options.log('warn', 'embed.failed', { reason: getMessage(error), records })
  }
}

function getBatchSize(embedder: Embedder): number {
  return isBundled(embedder) ? BUNDLED_BATCH : BATCH
}

function describeModel({ model }: Embedder, config: EmbedderConfig): ModelInfo {
  const { maxTokens, ...about } = model
  return { ...about, config: omitUndefined(config) as ModelConfig }
}

function isRemote({ provider }: EmbedderConfig): boolean {
  return provider === 'ollama' || provider === 'openai'
}

function mayHang(config: EmbedderConfig): boolean {
  return isRemote(config) || config.provider === 'own'
}

/** Applies the configured address and time-out to the stored model; the address only if it is not of another provider. */
function applyAddress(stored: EmbedderConfig, given: EmbedderConfig | null): EmbedderConfig {
  if (given === null || !isRemote(stored)) return stored
  const { provider, baseUrl, timeoutMs } = given
  const isSameServer = provider === stored.provider || !isRemote(given)
  return { ...stored, ...omitUndefined({ timeoutMs, ...(isSameServer && { baseUrl }) }) }
}

function isTimeout(error: unknown): boolean {
  return error instanceof CairnError && Object(error.cause).name === 'TimeoutError'
}

function withoutVector(reason: string, message: string): EmbeddedQuery {
  return { kind: 'none', degraded: { reason, message } }
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function describeGaps({ gaps }: SearchState): Promise<Degradation | null> {
  const found = await gaps()
  if (found === null || found.waiting === 0) return null
  const { waiting, records } = found
  const share = Math.max(1, Math.round((100 * waiting) / Math.max(1, records)))
  return {
    reason: 'partly_embedded',
    message: `${waiting} of ${records} records (${share} %) have no vectors yet; \`cairn embed\` makes them.`,
  }
}
