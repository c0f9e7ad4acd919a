/** Words count as far as they cover the question, meaning as far as a text is long enough to have one. */

import type { Explanation } from '../core/answer.js'
import {
  type Candidate,
  type Cover,
  clampUnit,
  largestOf,
  type Match,
  type Scored,
  shareOfBest,
  similarityOf,
  strengthOf,
} from './candidate.js'
import { given, productOf, sumOf } from './explain.js'
import { sortBestFirst } from './order.js'

/** What each side counts: words and meaning are worth the same. */
export const HALF = 0.5
/** A record of so many words has half of its similarity: vectors of very short texts are unreliable. */
export const SHORT_RECORD_WORDS = 4

/**
 * ½ · cover · kw/kw_max + ½ · cos · n/(n + 4), with kw = −bm25 and n the words of the record.
 * By hand: cover .8, kw 6 of at most 12, cos .5, n 16 → ½ · .8 · .5 + ½ · .5 · 16/20 = .2 + .2 = .4.
 *
 * No list is stretched to fill 0..1: where nothing is near in meaning, that side stays small and the words decide.
 */
export function calibrated(candidates: readonly Candidate[], context: Cover): Scored[] {
  const best = context.strongest ?? largestOf(candidates.map(strengthOf))
  const half = given('half', HALF)
  const covered = given('cover', clampUnit(context.cover))
  return sortBestFirst(
    candidates.map((candidate) => {
      const strength = shareOfBest(strengthOf(candidate), best)
      const length = candidate.words / (candidate.words + SHORT_RECORD_WORDS)
      const explanation = sumOf('calibrated', [
        productOf('keyword', [half, covered, given('strength', strength)]),
        productOf('meaning', [half, explainSimilarity(candidate), given('length', length)]),
      ])
      return { id: candidate.id, explanation }
    }),
  )
}

/** The same as a number alone, for those who may never be shown. */
export function calibratedScores(matches: readonly Match[], context: Cover): Float64Array {
  const best = context.strongest ?? largestOf(matches.map(strengthOf))
  const covered = HALF * clampUnit(context.cover)
  return Float64Array.from(matches, (match) => {
    const length = match.words / (match.words + SHORT_RECORD_WORDS)
    return covered * shareOfBest(strengthOf(match), best) + HALF * meanSimilarity(match) * length
  })
}

function meanSimilarity(match: Match): number {
  const { similarity, wholeSimilarity } = match
  if (similarity === null || wholeSimilarity === null || Number.isNaN(wholeSimilarity)) {
    return similarityOf(match)
  }
  return Math.max(0, HALF * Math.min(1, similarity) + HALF * Math.min(1, wholeSimilarity))
}

/** Of one chunk its cosine; of several the mean of the best chunk's and the whole record's. */
function explainSimilarity(candidate: Match): Explanation {
  const { similarity, wholeSimilarity } = candidate
  if (similarity === null || wholeSimilarity === null || Number.isNaN(wholeSimilarity)) {
    return given('similarity', similarityOf(candidate))
  }
  const half = given('half', HALF)
  const mean = sumOf('similarity', [
    productOf('best chunk', [half, given('cosine', Math.min(1, similarity))]),
    productOf('whole record', [half, given('cosine', Math.min(1, wholeSimilarity))]),
  ])
  return mean.score > 0 ? mean : given('similarity', 0)
}
