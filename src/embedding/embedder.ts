/** The interface of all embedding models: text in, vectors of length 1 out. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { CairnError } from '../core/errors.js'

export type EmbedderModel = {
  /** `provider/name@revision`: the key of stored vectors, so any change of the vectors needs another id. */
  readonly id: string
  readonly dimensions: number
  /** The window of the model in tokens of `countTokens`; the rest of a longer text is ignored. */
  readonly maxTokens: number
  /** Below this cosine two texts do not match. */
  readonly floor: number
  /** From this cosine on, a text may be related; used if a search finds little else. Default: slightly below the floor. */
  readonly weakFloor?: number
  /** From this cosine on, the cascade lens accepts a match by vectors alone. */
  readonly cascadeThreshold: number
}

export type EmbedOptions = {
  /** Some models embed queries and passages differently. */
  readonly as: 'query' | 'passage'
  readonly signal?: AbortSignal
}

/** A tokenized text whose ranges can be counted and embedded without tokenizing them again. */
export interface PreparedText {
  /** The same as `countTokens(text.slice(start, end))`. */
  countTokens(start: number, end: number): number
  /** The same as `embed([text.slice(start, end)], { as: 'passage' })`. */
  embed(start: number, end: number): Float32Array
}

export interface Embedder {
  readonly model: EmbedderModel
  /** Returns one vector per text, in order: of length 1, or all zero for "no opinion". */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>
  /**
   * Counts tokens as `maxTokens` does. `countTokens('')` is the fixed cost of a text (its start and end markers), so the
   * counts of the parts of a text add up after subtracting it from each.
   */
  countTokens(text: string): number
  /** Counts the pieces into which the model splits a word; 1 is a word it knows. Absent if the model cannot tell. */
  countPieces?(word: string): number
  /** Only for models that are fast enough to run synchronously. Returns null for a very long text. */
  prepare?(text: string): PreparedText | null
  close(): Promise<void>
}

export function isBundled({ model }: { readonly model: { readonly id: string } }): boolean {
  return model.id.startsWith('cairn/static')
}

/** Returns a copy of `values` at length 1. The zero vector stays zero, which means "no opinion". */
export function normalise(values: ArrayLike<number>): Float32Array {
  const vector = new Float32Array(values.length)
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i] as number) ** 2
  if (squares === 0) return vector
  const length = Math.sqrt(squares)
  for (let i = 0; i < values.length; i++) vector[i] = (values[i] as number) / length
  return vector
}

/** Characters between two turns of the event loop: some tens of milliseconds of work with the bundled model. */
const CHARACTERS_PER_TURN = 500_000

/** Maps items one by one, and lets the event loop run after every 500,000 characters. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  countCharacters: (item: Item) => number,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let sinceTurn = 0
  for (const item of items) {
    results.push(map(item))
    sinceTurn += countCharacters(item)
    if (sinceTurn <= CHARACTERS_PER_TURN) continue
    sinceTurn = 0
    await nextTurn()
  }
  return results
}

/** The error of every call after `close()`. */
export function closedEmbedder(id: string): CairnError {
  return new CairnError('closed', {
    message: `The embedder "${id}" is closed.`,
    hint: 'Open the engine again before searching or adding.',
  })
}
