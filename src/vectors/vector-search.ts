/** What a search by vector may ask, and an order without rounding for those who hold the full vectors. */

import { bestFirst, type VectorHit } from './best-owners.js'

export type VectorSearch = {
  /** Any length but zero: it is normalised. */
  readonly query: Float32Array
  readonly k: number
  /** A bit for each owner number: bit `owner & 7` of byte `owner >> 3`. Owners beyond its end are out. */
  readonly allow?: Uint8Array | undefined
  /** Owners to leave out. */
  readonly exclude?: Iterable<number> | undefined
  readonly minSimilarity?: number | undefined
  /** Gives the similarities of slots from the full vectors, for an order that does without rounding. */
  readonly exact?: ((slots: readonly number[]) => ArrayLike<number>) | undefined
}

/** int8 and exact order differ only among near neighbours: this many more are asked exactly. */
const EXACT_MARGIN = 1.5
const EXACT_EXTRA = 10
/** How far an int8 similarity may be from the exact one: a bound, not an average. */
const INT8_ERROR = 0.02

/** What to ask of the rounded vectors, so that the exact answer is within theirs. */
export function roundedGoal(request: VectorSearch): { k: number; minSimilarity: number } {
  const { k, exact, minSimilarity = Number.NEGATIVE_INFINITY } = request
  if (exact === undefined) return { k, minSimilarity }
  return { k: Math.ceil(k * EXACT_MARGIN) + EXACT_EXTRA, minSimilarity: minSimilarity - INT8_ERROR }
}

/** Orders hits again by the caller's own similarities, where it gives any. */
export function inExactOrder(hits: VectorHit[], request: VectorSearch): VectorHit[] {
  const { k, exact, minSimilarity = Number.NEGATIVE_INFINITY } = request
  if (exact === undefined) return hits
  const similarities = exact(hits.map((hit) => hit.slot))
  return hits
    .map((hit, i) => ({ ...hit, similarity: similarities[i] ?? Number.NaN }))
    .filter((hit) => hit.similarity >= minSimilarity)
    .sort(bestFirst)
    .slice(0, k)
}
