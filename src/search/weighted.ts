/** Each list is measured by its own best, so that the weights mean what they say. */

import {
  type Candidate,
  largestOf,
  type Scored,
  shareOfBest,
  similarityOf,
  strengthOf,
} from './candidate.js'
import { given, productOf, sumOf } from './explain.js'
import { capAtOne, sortBestFirst } from './order.js'

/** The weights of the literature lens. */
export const KEYWORD_WEIGHT = 0.3
export const SEMANTIC_WEIGHT = 0.7

/** Shares: 3 and 7 say the same as 0.3 and 0.7. */
export type WeightedSettings = {
  readonly keywordWeight?: number
  readonly semanticWeight?: number
}

/**
 * Σ weight · value / best value of its list, the weights divided by their sum so that nothing is above 1.
 * A side of weight 0 does not take part: who stands only there is left out.
 * By hand, .3 and .7: kw 6 of at most 12, cos .4 of at most .8 → .3 · .5 + .7 · .5 = .5.
 */
export function weighted(
  candidates: readonly Candidate[],
  { keywordWeight = KEYWORD_WEIGHT, semanticWeight = SEMANTIC_WEIGHT }: WeightedSettings = {},
): Scored[] {
  const total = keywordWeight + semanticWeight
  const bestStrength = largestOf(candidates.map(strengthOf))
  const bestSimilarity = largestOf(candidates.map(similarityOf))
  const scored = candidates.flatMap((candidate) => {
    const parts = []
    if (keywordWeight > 0 && candidate.bm25 !== null) {
      const strength = shareOfBest(strengthOf(candidate), bestStrength)
      const weight = given('weight', keywordWeight / total)
      parts.push(productOf('keyword', [weight, given('share of the best', strength)]))
    }
    if (semanticWeight > 0 && candidate.similarity !== null) {
      const similarity = shareOfBest(similarityOf(candidate), bestSimilarity)
      const weight = given('weight', semanticWeight / total)
      parts.push(productOf('meaning', [weight, given('share of the best', similarity)]))
    }
    if (parts.length === 0) return []
    return [{ id: candidate.id, explanation: capAtOne(sumOf('weighted', parts)) }]
  })
  return sortBestFirst(scored)
}
