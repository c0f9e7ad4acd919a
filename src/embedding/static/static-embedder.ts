/** The bundled model: embeds a text in microseconds, without a download, a network or a native runtime. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { CairnError } from '../../core/errors.js'
import { stem } from '../../text/stem.js'
import {
  closedEmbedder,
  type Embedder,
  type EmbedderModel,
  type EmbedOptions,
  type PreparedText,
} from '../embedder.js'
import { GatedSum } from './gated-sum.js'
import { badModel, DIMENSIONS, findBundledModel, readVocabulary } from './model-file.js'
import { listWords, type TokenizedText, Tokenizer } from './tokenizer.js'

export const STATIC_MODEL: EmbedderModel = {
  id: 'cairn/static@2',
  dimensions: DIMENSIONS,
  // A sum has no window. This bound only keeps a hostile text from growing the buffers for ever.
  maxTokens: 2 ** 20,
  // Measured on unrelated texts (99th percentile .27) and on titles with their abstracts (median .72).
  floor: 0.25,
  // Short questions about everyday notes lie here even when they are right.
  weakFloor: 0.12,
  cascadeThreshold: 0.55,
}

/** Characters between two turns of the event loop: some tens of milliseconds of work. */
const CHARACTERS_PER_TURN = 500_000
/** The offsets of a longer text would take several times its size. */
const LONGEST_PREPARED = 200_000

export type StaticOptions = {
  /** The folder of the model; by default the bundled one. */
  readonly folder?: string
  /** False computes in plain JavaScript: the same vectors, several times slower. */
  readonly wasm?: boolean
}

/** Reads no file until the first text comes. */
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

  /** The same vectors without a promise. */
  embedSync(texts: readonly string[]): Float32Array[] {
    return texts.map((text) => this.#embedOne(text))
  }

  countTokens(text: string): number {
    return this.#load().tokenizer.tokenize(text).tokens
  }

  /**
   * Stretches between white space are independent, so a range that begins and ends between two of them has the ids that
   * the whole text has there. Any other range is read alone. Cutting an abstract into chunks and embedding them then
   * reads every word once instead of four to five times.
   */
  prepare(text: string): PreparedText | null {
    if (text.length > LONGEST_PREPARED) return null
    const { tokenizer, sum } = this.#load()
    const read = tokenizer.tokenize(text)
    return {
      countTokens: (start, end) => {
        const [from, to] = [countStretches(read, start), countStretches(read, end)]
        if (from === null || to === null) return this.countTokens(text.slice(start, end))
        return countBefore(read, to, TOKENS) - countBefore(read, from, TOKENS)
      },
      embed: (start, end) => {
        const [from, to] = [countStretches(read, start), countStretches(read, end)]
        if (from === null || to === null) return this.#embedOne(text.slice(start, end))
        return sum.embed(read.ids, countBefore(read, from, IDS), countBefore(read, to, IDS))
      },
    }
  }

  /** The ids of a text, as the model's own definition numbers them. */
  countPieces(word: string): number {
    const parts = listWords(word)
    // "baking" is known by "bake".
    const forms = parts.flatMap((part) => [part, stem(part), `${stem(part)}e`])
    const counts = forms.map((form) => this.idsOf(form).length).filter((count) => count > 0)
    return Math.min(...counts, word.length)
  }

  idsOf(text: string): readonly number[] {
    return this.#load().tokenizer.tokenize(text).ids
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#loaded = null
  }

  #embedOne(text: string): Float32Array {
    const { tokenizer, sum } = this.#load()
    return sum.embed(tokenizer.tokenize(text).ids)
  }

  #load(): Loaded {
    if (this.#isClosed) throw closedEmbedder(this.model.id)
    this.#loaded ??= load(this.#options)
    return this.#loaded
  }
}

type Loaded = { readonly tokenizer: Tokenizer; readonly sum: GatedSum }

function load({ folder = findBundledModel(), wasm = true }: StaticOptions): Loaded {
  try {
    const tokenizer = new Tokenizer(readVocabulary(folder), STATIC_MODEL.maxTokens, wasm)
    return { tokenizer, sum: new GatedSum(folder, tokenizer.size, { wasm }) }
  } catch (cause) {
    if (cause instanceof CairnError) throw cause
    throw badModel('The bundled model cannot be read.', cause)
  }
}

/** Where these two stand among the four numbers of a stretch. */
const IDS = 2
const TOKENS = 3

/** The ids or tokens of the first `count` stretches. */
function countBefore({ stretches }: TokenizedText, count: number, column: number): number {
  return count === 0 ? 0 : (stretches[4 * (count - 1) + column] as number)
}

/** How many stretches end at or before an offset; null where it lies inside one. */
function countStretches({ stretches }: TokenizedText, offset: number): number | null {
  let [low, high] = [0, stretches.length / 4]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((stretches[4 * middle + 1] as number) <= offset) low = middle + 1
    else high = middle
  }
  const start = stretches[4 * low]
  return start === undefined || offset <= start ? low : null
}
