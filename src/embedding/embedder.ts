/** The interface of all embedding models: text in, vectors of length 1 out. */

import { CairnError } from '../core/errors.js'

export type EmbedderModel = {
  /** `provider/name@revision`: stored vectors are keyed by it, so another recipe is another id. */
  readonly id: string
  readonly dimensions: number
  /** What the model reads of one text, in the units of `countTokens`; the rest of the text is cut. */
  readonly maxTokens: number
  /** Below this cosine two texts do not match. */
  readonly floor: number
  /** From this cosine on, a text is perhaps related where little else is found. Default: a little below the floor. */
  readonly weakFloor?: number
  /** From this cosine on, a match by vectors alone is good enough (the cascade lens). */
  readonly cascadeThreshold: number
}

export type EmbedOptions = {
  /** Some models embed queries and passages differently. */
  readonly as: 'query' | 'passage'
  readonly signal?: AbortSignal
}

/** A tokenized text whose ranges can be counted and embedded without tokenizing them again. */
export interface PreparedText {
  /** As `countTokens(text.slice(start, end))`. */
  countTokens(start: number, end: number): number
  /** As `embed([text.slice(start, end)], { as: 'passage' })`. */
  embed(start: number, end: number): Float32Array
}

export interface Embedder {
  readonly model: EmbedderModel
  /** One vector per text, in the order of the texts: of length 1, or all zero for "no opinion". */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>
  /**
   * What `maxTokens` counts. `countTokens('')` is the fixed cost of a text (markers at its start and end),
   * so the parts of a text add up as `count(part) - count('')`.
   */
  countTokens(text: string): number
  /** Into how many pieces the model splits a word: 1 is a word it knows. Absent where it cannot tell. */
  countPieces?(word: string): number
  /** Only for models that are quick enough to do without promises; null for a very long text. */
  prepare?(text: string): PreparedText | null
  close(): Promise<void>
}

export function isBundled({ model }: { readonly model: { readonly id: string } }): boolean {
  return model.id.startsWith('cairn/static')
}

/** A copy of `values` at length 1; the zero vector stays zero, which means "no opinion". */
export function normalise(values: ArrayLike<number>): Float32Array {
  const vector = new Float32Array(values.length)
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i] as number) ** 2
  if (squares === 0) return vector
  const length = Math.sqrt(squares)
  for (let i = 0; i < values.length; i++) vector[i] = (values[i] as number) / length
  return vector
}

/** An embedder after `close()`: a clear sentence rather than a crash in freed memory. */
export function closedEmbedder(id: string): CairnError {
  return new CairnError('closed', {
    message: `The embedder "${id}" is closed.`,
    hint: 'Open the engine again before searching or adding.',
  })
}
