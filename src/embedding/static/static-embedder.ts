/** The bundled model: embeds a text in microseconds, without a download, a network or a native runtime. */

import { CairnError } from '../../core/errors.js'
import { stem } from '../../text/stem.js'
import {
  closedEmbedder,
  type Embedder,
  type EmbedderModel,
  type EmbedOptions,
  mapInTurns,
  type PreparedText,
} from '../embedder.js'
import { GatedSum } from './gated-sum.js'
import { badModel, DIMENSIONS, findBundledModel } from './model-file.js'
import { listWords, type TokenizedText, Tokenizer } from './tokenizer.js'
import { readPieces } from './vocabulary.js'

export const STATIC_MODEL: EmbedderModel = {
  id: 'cairn/static@2',
  dimensions: DIMENSIONS,
  // A sum has no window. This bound only limits the buffers for a hostile text.
  maxTokens: 2 ** 20,
  // Measured: unrelated texts have a 99th percentile of 0.27, titles and their abstracts a median of 0.72.
  floor: 0.25,
  // Short questions and the everyday notes that answer them often have a cosine as low as this.
  weakFloor: 0.12,
  cascadeThreshold: 0.55,
}

/** The span table of a longer text would take several times its size. */
const LONGEST_PREPARED = 200_000

export type StaticOptions = {
  /** The folder of the model. Default: the bundled one. */
  readonly folder?: string
  /** False uses plain JavaScript: the same vectors, several times slower. */
  readonly wasm?: boolean
}

/** Reads its files with the first text. */
export class StaticEmbedder implements Embedder {
  readonly model = STATIC_MODEL
  readonly #options: StaticOptions
  #loaded: Loaded | null = null
  #isClosed = false

  constructor(options: StaticOptions = {}) {
    this.#options = options
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions): Promise<Float32Array[]> {
    return mapInTurns(
      texts,
      ({ length }) => length,
      (text) => {
        signal?.throwIfAborted()
        return this.#embedOne(text)
      },
    )
  }

  /** Embeds synchronously, for benchmarks and tests. */
  embedSync(texts: readonly string[]): Float32Array[] {
    return texts.map((text) => this.#embedOne(text))
  }

  countTokens(text: string): number {
    return this.#load().tokenizer.tokenize(text).tokens
  }

  /**
   * Tokenizes a text once for many ranges. The spans between white space are tokenized independently, so a range that does
   * not cut a span has the same ids as in the whole text. Any other range is tokenized again. Chunking and embedding an
   * abstract then tokenizes every word once instead of four to five times.
   */
  prepare(text: string): PreparedText | null {
    if (text.length > LONGEST_PREPARED) return null
    const { tokenizer, sum } = this.#load()
    const tokenized = tokenizer.tokenize(text)
    return {
      countTokens: (start, end) => {
        const [from, to] = [countSpans(tokenized, start), countSpans(tokenized, end)]
        if (from === null || to === null) return this.countTokens(text.slice(start, end))
        return countBefore(tokenized, to, TOKENS) - countBefore(tokenized, from, TOKENS)
      },
      embed: (start, end) => {
        const [from, to] = [countSpans(tokenized, start), countSpans(tokenized, end)]
        if (from === null || to === null) return this.#embedOne(text.slice(start, end))
        const ids = [countBefore(tokenized, from, IDS), countBefore(tokenized, to, IDS)] as const
        return sum.embed(tokenized.ids, ...ids)
      },
    }
  }

  countPieces(word: string): number {
    const parts = listWords(word)
    // The model knows "baking" if it knows "bake".
    const forms = parts.flatMap((part) => [part, stem(part), `${stem(part)}e`])
    const counts = forms.map((form) => this.listIds(form).length).filter((count) => count > 0)
    return Math.min(...counts, word.length)
  }

  /** Returns the ids of a text's word pieces. */
  listIds(text: string): readonly number[] {
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
    const tokenizer = new Tokenizer(readPieces(folder), STATIC_MODEL.maxTokens)
    return { tokenizer, sum: new GatedSum(folder, tokenizer.size, { wasm }) }
  } catch (cause) {
    if (cause instanceof CairnError) throw cause
    throw badModel('The bundled model cannot be read.', cause)
  }
}

/** The columns of ids and of tokens among the four numbers of a span. */
const IDS = 2
const TOKENS = 3

/** Returns the number of ids or tokens of the first `count` spans. */
function countBefore({ spans }: TokenizedText, count: number, column: number): number {
  return count === 0 ? 0 : (spans[4 * (count - 1) + column] as number)
}

/** Counts the spans that end at or before an offset, by binary search. Returns null if the offset is inside a span. */
function countSpans({ spans }: TokenizedText, offset: number): number | null {
  let [low, high] = [0, spans.length / 4]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[4 * middle + 1] as number) <= offset) low = middle + 1
    else high = middle
  }
  const start = spans[4 * low]
  return start === undefined || offset <= start ? low : null
}
