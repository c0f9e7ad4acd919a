/** The vectors of a text's tokens become one vector of length 1, as the model was trained. */

import { normalise } from '../embedder.js'

export const POOLINGS = ['mean', 'cls', 'max', 'mean_sqrt_len'] as const
export type Pooling = (typeof POOLINGS)[number]

/** One text of a batch: `width` numbers for each token, of which the first `tokens` are not padding. */
export type TokenVectors = {
  readonly data: ArrayLike<number>
  readonly start: number
  readonly tokens: number
  readonly width: number
}

/** Dividing by the count or its root would be undone by the last step, so mean and mean_sqrt_len only add up. */
export function pool(vectors: TokenVectors, pooling: Pooling): Float32Array {
  const { data, start, tokens, width } = vectors
  const pooled = new Float64Array(width)
  const last = pooling === 'cls' ? Math.min(tokens, 1) : tokens
  if (pooling === 'max') pooled.fill(last === 0 ? 0 : Number.NEGATIVE_INFINITY)
  for (let token = 0; token < last; token++) {
    const row = start + token * width
    for (let j = 0; j < width; j++) {
      const value = data[row + j] as number
      const before = pooled[j] as number
      pooled[j] = pooling === 'max' ? Math.max(before, value) : before + value
    }
  }
  return normalise(pooled)
}
