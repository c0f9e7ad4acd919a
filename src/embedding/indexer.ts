/** Texts and questions get vectors of the model in charge, and where that fails nothing else does. */

import type { Degradation } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { Log } from '../core/log.js'
import type { TitledText } from '../core/passage.js'
import type { NewRecord } from '../core/record.js'
import type { Storage } from '../storage/storage.js'
import type { EmbeddedQuery, EmbeddedRecords, ModelConfig, ModelInfo } from '../storage/vectors.js'
import { type Embedder, isBundled } from './embedder.js'
import type { EmbedderConfig } from './open-embedder.js'
import { openEmbedder } from './open-embedder.js'
import { cacheQueries } from './query-cache.js'
import { RecordEmbedder } from './record-embedder.js'

export type IndexerOptions = {
  readonly storage: Storage
  /** The model of a file that has none yet; null switches vectors off. */
  readonly config: EmbedderConfig | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
}

export type BuildProgress = { readonly done: number; readonly total: number }

/** Texts that are read and kept together: what an interruption loses at most. */
const BATCH = 256
/** The bundled model reads as many in less time, and threads share them. */
const BUNDLED_BATCH = 1024

export type NewText = TitledText & Pick<NewRecord, 'sessionId'>

type ActiveModel = {
  readonly embedder: Embedder
  readonly model: ModelInfo
  /** False for a file that no model has written to yet. */
  readonly isKnown: boolean
}

/** Holds the opened models until it is closed. */
export class Indexer {
  readonly #options: IndexerOptions
  readonly #opened = new Map<string, Promise<Embedder>>()
  readonly #reader = new RecordEmbedder()

  constructor(options: IndexerOptions) {
    this.#options = options
  }

  /**
   * Vectors for new texts; null where the model cannot be reached: then they wait. So do turns of a session: their
   * neighbours are known only once they are stored.
   */
  async embedTexts(texts: readonly NewText[]): Promise<EmbeddedRecords | null> {
    if (this.#options.config === null || texts.length === 0) return null
    try {
      const { embedder, model } = await this.#inCharge()
      const alone = texts.filter(({ sessionId }) => sessionId === null)
      const surrounded = alone.map(({ title, body }) => ({ title, body, context: null }))
      const read = await this.#reader.read(embedder, surrounded, this.#options.storage.vectors)
      let next = 0
      const vectors = texts.map(({ sessionId }) =>
        sessionId === null ? (read[next++] ?? null) : null,
      )
      return { model, vectors }
    } catch (error) {
      this.#options.log('warn', 'embed.failed', { reason: messageOf(error), records: texts.length })
      return null
    }
  }

  /** The vector of a question, or in the words of the answer why there is none. */
  async embedQuery(text: string, useVector: boolean): Promise<EmbeddedQuery> {
    if (this.#options.config === null || !useVector) {
      return without('vectors_off', 'Vectors are switched off; these are matches by words.')
    }
    try {
      const { embedder, model, isKnown } = await this.#inCharge()
      const [vector] = await embedder.embed([text], { as: 'query' })
      // Nothing was read yet, so there is nothing to compare with.
      if (!isKnown) return { kind: 'none', degraded: await this.#gaps() }
      if (vector?.some((value) => value !== 0)) {
        return { kind: 'vector', vector, model, degraded: await this.#gaps() }
      }
      return without(
        'no_known_word',
        'The model knows none of these words; these are matches by words.',
      )
    } catch (error) {
      const hint = error instanceof CairnError && error.hint !== null ? ` ${error.hint}` : ''
      return without(
        'embedder_unavailable',
        `${messageOf(error)} These are matches by words.${hint}`,
      )
    }
  }

  /** Which part of the records cannot be found by meaning yet. */
  async #gaps(): Promise<Degradation | null> {
    if (!(await this.#options.storage.vectors.anyWaiting())) return null
    const { waiting, records } = await this.#options.storage.vectors.coverage()
    const share = Math.max(1, Math.round((100 * waiting) / Math.max(1, records)))
    return {
      reason: 'partly_embedded',
      message: `${waiting} of ${records} records (${share} %) have no vectors yet; \`cairn embed\` makes them.`,
    }
  }

  /**
   * After a write: reads what waits, the records just written at least. A model that is down is no error here: it gives
   * false.
   */
  async embedPending(written: number): Promise<boolean> {
    if (this.#options.config === null) return true
    if (!(await this.#options.storage.vectors.anyWaiting())) return true
    try {
      await this.catchUp(written + BATCH)
      return true
    } catch (error) {
      this.#options.log('warn', 'embed.failed', { reason: messageOf(error), records: written })
      return false
    }
  }

  /** Reads texts that still wait, at most this many or one batch; gives how many were read. */
  async catchUp(given?: number): Promise<number> {
    if (this.#options.config === null) return 0
    const { embedder, model } = await this.#inCharge()
    const batch = batchFor(embedder)
    const most = given ?? batch
    let done = 0
    while (done < most) {
      const read = await this.#readBatch(embedder, model, Math.min(batch, most - done))
      if (read === 0) break
      done += read
    }
    return done
  }

  /**
   * Builds another model's vectors beside those in charge and then puts it in charge. What was built before an
   * interruption is kept, and texts that arrive meanwhile are read before the switch.
   */
  async build(
    config: EmbedderConfig,
    onProgress: (progress: BuildProgress) => void,
  ): Promise<ModelInfo> {
    const embedder = await this.#open(config)
    const model = infoOf(embedder, config)
    const { vectors: meaning } = this.#options.storage
    await meaning.register(model)
    const { records: total } = await meaning.coverage()
    const [stored] = (await meaning.models()).filter(({ id }) => id === model.id)
    let done = Math.min(total, stored?.records ?? 0)
    for (;;) {
      onProgress({ done, total: Math.max(done, total) })
      const read = await this.#readBatch(embedder, model, batchFor(embedder))
      done += read
      if (read === 0 && (await meaning.activate(model.id))) return model
    }
  }

  async close(): Promise<void> {
    await this.#reader.close()
    for (const embedder of this.#opened.values()) {
      // One that never opened has nothing to close.
      await embedder.then((opened) => opened.close()).catch(() => {})
    }
    this.#opened.clear()
  }

  async #readBatch(embedder: Embedder, model: ModelInfo, limit: number): Promise<number> {
    const { vectors: meaning } = this.#options.storage
    const texts = await meaning.waiting(model.id, limit)
    const vectors = await this.#reader.read(embedder, texts, meaning)
    const read = texts.flatMap(({ id }, i) => {
      const own = vectors[i]
      return own === undefined ? [] : [{ id: id as RecordId, vectors: own }]
    })
    if (read.length > 0) await meaning.keep(model, read)
    return read.length
  }

  /** The model that the file says is in charge, or the configured one for a file without any. */
  async #inCharge(): Promise<ActiveModel> {
    const active = await this.#options.storage.vectors.active()
    const config = active === null ? this.#options.config : toEmbedderConfig(active.config)
    if (config === null) throw new Error('vectors are switched off')
    const embedder = await this.#open(config)
    if (active !== null && embedder.model.id !== active.id) {
      throw new CairnError('embedder_unavailable', {
        message: `The vectors were made by "${active.id}", and what is there now is "${embedder.model.id}".`,
        hint: 'Build new ones with `cairn embed --model …`.',
      })
    }
    return { embedder, model: active ?? infoOf(embedder, config), isKnown: active !== null }
  }

  async #open(config: EmbedderConfig): Promise<Embedder> {
    const key = JSON.stringify(config)
    const known = this.#opened.get(key)
    if (known !== undefined) return known
    const opening = openEmbedder(config, this.#options.env).then((embedder) =>
      cacheQueries(embedder),
    )
    this.#opened.set(key, opening)
    // A model that could not be opened may be there the next time.
    opening.catch(() => this.#opened.delete(key))
    return opening
  }
}

function batchFor(embedder: Embedder): number {
  return isBundled(embedder) ? BUNDLED_BATCH : BATCH
}

function infoOf({ model }: Embedder, config: EmbedderConfig): ModelInfo {
  const { id, dimensions, floor, cascadeThreshold } = model
  return { id, dimensions, floor, cascadeThreshold, config: toModelConfig(config) }
}

function toModelConfig(config: EmbedderConfig): ModelConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined))
}

function toEmbedderConfig(config: ModelConfig): EmbedderConfig {
  return config as unknown as EmbedderConfig
}

function without(reason: string, message: string): EmbeddedQuery {
  return { kind: 'none', degraded: { reason, message } }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
