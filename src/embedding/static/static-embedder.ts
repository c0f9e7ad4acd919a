/** Meaning without a download, a network or a native runtime, in microseconds a text. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  closedEmbedder,
  type Embedder,
  type EmbedderModel,
  type EmbedOptions,
  type ReadText,
} from '../embedder.js'
import { type GatedSum, openGatedSum } from './gated-sum.js'
import { DIMENSIONS, findBundledModel, readVocabularyText } from './model-file.js'
import { WordReader } from './read-words.js'
import { type PieceReader, WordPieces } from './word-pieces.js'

export const STATIC_MODEL: EmbedderModel = {
  id: 'cairn/static@1',
  dimensions: DIMENSIONS,
  // A sum has no window. This bound only keeps a hostile text from growing the buffers for ever.
  maxTokens: 2 ** 20,
  // Measured on unrelated texts (99th percentile .26) and on titles with their abstracts (median .61).
  floor: 0.25,
  cascadeThreshold: 0.5,
}

/** Characters between two breaths of the event loop: some tens of milliseconds of work. */
const CHARACTERS_PER_TURN = 500_000
/** A longer text is read part by part: what is noted of its words would take several times its size. */
const LONGEST_READ_WHOLE = 200_000

export type StaticOptions = {
  /** The folder of the model; the bundled one where absent. */
  readonly folder?: string
  /** False leaves everything to plain JavaScript: the same words, and vectors as near as makes no difference, more slowly. */
  readonly wasm?: boolean
}

/** Nothing is read until the first text comes. */
export class StaticEmbedder implements Embedder {
  readonly model = STATIC_MODEL
  readonly #options: StaticOptions
  #loaded: Loaded | null = null
  #isClosed = false

  constructor(options: StaticOptions = {}) {
    this.#options = options
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    let sinceTurn = 0
    for (const text of texts) {
      signal?.throwIfAborted()
      vectors.push(this.#embedOne(text))
      sinceTurn += text.length
      if (sinceTurn > CHARACTERS_PER_TURN) {
        sinceTurn = 0
        await nextTurn()
      }
    }
    return vectors
  }

  /** The same vectors without a promise: for worker threads and other places with nothing else to do. */
  embedSync(texts: readonly string[]): Float32Array[] {
    return texts.map((text) => this.#embedOne(text))
  }

  countTokens(text: string): number {
    const { count, unknownTokens } = this.#load().pieces.read(text)
    return count + unknownTokens
  }

  readText(text: string): ReadText | null {
    if (text.length > LONGEST_READ_WHOLE) return null
    return this.#load().words.read(text)
  }

  /** The ids of a text, as the model's own definition numbers them. */
  idsOf(text: string): number[] {
    const { ids, count } = this.#load().pieces.read(text)
    return [...ids.subarray(0, count)]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#loaded = null
  }

  #embedOne(text: string): Float32Array {
    const { pieces, sum } = this.#load()
    const { ids, count } = pieces.read(text)
    return sum.vectorOf(ids.subarray(0, count))
  }

  #load(): Loaded {
    if (this.#isClosed) throw closedEmbedder(this.model.id)
    this.#loaded ??= this.#read(this.#options)
    return this.#loaded
  }

  #read({ folder = findBundledModel(), wasm = true }: StaticOptions): Loaded {
    const { size, whole, noting } = new WordPieces(() => readVocabularyText(folder), {
      maxIds: STATIC_MODEL.maxTokens,
      wasm,
    })
    const sum = openGatedSum(folder, size, { wasm })
    const words = new WordReader({
      pieces: noting,
      sum,
      countTokens: (part) => this.countTokens(part),
      embed: (part) => this.#embedOne(part),
    })
    return { pieces: whole, sum, words }
  }
}

type Loaded = { readonly pieces: PieceReader; readonly sum: GatedSum; readonly words: WordReader }
