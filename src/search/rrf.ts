/** Only the places in the two lists count, never the numbers that led to them. */

import type { RecordId } from '../core/ids.js'
import { type Candidate, compareIds, type Scored } from './candidate.js'
import { given, productOf, sumOf } from './explain.js'
import { sortBestFirst } from './order.js'

/** How little the first places stand out: the larger, the more alike all places are. */
export const RANK_K = 60
/** The share of meaning; words have the rest. */
export const ALPHA = 0.5

export type RrfSettings = {
  /** At least 0. */
  readonly k?: number
  /** 0..1: 0 is exactly the keyword list, 1 exactly the semantic one. */
  readonly alpha?: number
}

type Side = {
  readonly name: string
  readonly weight: number
  readonly ranks: ReadonlyMap<RecordId, number>
}

/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): Σ weight / (k + rank), ranks from 1, with the weights
 * 1 − alpha for words and alpha for meaning. A side of weight 0 does not take part: who stands only there is left out.
 * By hand, k = 60, alpha = .5: first by words, second by meaning → .5/61 + .5/62 = .01626.
 */
export function rrf(
  candidates: readonly Candidate[],
  { k = RANK_K, alpha = ALPHA }: RrfSettings = {},
): Scored[] {
  const sides: Side[] = [
    // bm25 is below zero: the least is the best.
    { name: 'keyword', weight: 1 - alpha, ranks: ranksOf(candidates, ({ bm25 }) => bm25) },
    { name: 'meaning', weight: alpha, ranks: ranksOf(candidates, distanceOf) },
  ]
  const counting = sides.filter(({ weight }) => weight > 0)
  const scored = candidates.flatMap(({ id }) => {
    const parts = counting.flatMap(({ name, weight, ranks }) => {
      const rank = ranks.get(id)
      if (rank === undefined) return []
      return productOf(name, [
        given('weight', weight),
        given(`1 / (${k} + rank ${rank})`, 1 / (k + rank)),
      ])
    })
    return parts.length === 0 ? [] : [{ id, explanation: sumOf('rank fusion', parts) }]
  })
  return sortBestFirst(scored)
}

function distanceOf({ similarity }: Candidate): number | null {
  return similarity === null ? null : -similarity
}

/** Places from 1, the least first, of those who have the number; equal ones in the order of their ids. */
function ranksOf(
  candidates: readonly Candidate[],
  distanceOf: (candidate: Candidate) => number | null,
): Map<RecordId, number> {
  const listed = candidates.flatMap((candidate) => {
    const distance = distanceOf(candidate)
    return distance === null || Number.isNaN(distance) ? [] : [{ id: candidate.id, distance }]
  })
  // Compared and not subtracted: two infinities would differ by what is not a number.
  listed.sort((a, b) =>
    a.distance < b.distance ? -1 : a.distance > b.distance ? 1 : compareIds(a, b),
  )
  return new Map(listed.map(({ id }, place) => [id, place + 1]))
}
