/** One way of finding answers, the other stands behind it, and nobody stands there twice. */

import type { Explanation } from '../core/answer.js'
import { type Candidate, type Scored, similarityOf, strengthOf } from './candidate.js'
import { given, productOf, sumOf } from './explain.js'
import { HALF_STRENGTH } from './keyword-score.js'
import { sortBestFirst } from './order.js'

/** Each step has its own stretch of 0..1; the gap between them keeps the weakest of the first above all others. */
export const CASCADE_STEPS = {
  first: { name: 'first step', floor: 0.5, room: 0.5 },
  second: { name: 'second step', floor: 0, room: 0.45 },
} as const

export type CascadeSettings = {
  /** The cosine from which on a record is an answer by meaning; each model has its own. */
  readonly threshold: number
  /** The query has no semantic intent: quotes, fields, operators, a lone identifier. */
  readonly wordsFirst: boolean
}

type Step = (typeof CASCADE_STEPS)[keyof typeof CASCADE_STEPS]

/**
 * Those at or above the threshold by their cosine, behind them by their words those that are left; with `wordsFirst`
 * the other way round. Where the first step finds nothing, the second is the whole answer.
 * floor + room · cos, and floor + room · s/(s + 5) with s = −bm25.
 * By hand, threshold .5: cos .8 → .5 + .5 · .8 = .9; cos .3 and bm25 −5 → 0 + .45 · 5/10 = .225.
 */
export function cascade(
  candidates: readonly Candidate[],
  { threshold, wordsFirst }: CascadeSettings,
): Scored[] {
  const scored = candidates.flatMap((candidate) => {
    const isNear = candidate.similarity !== null && candidate.similarity >= threshold
    const hasWords = candidate.bm25 !== null
    if (!isNear && !hasWords) return []
    const byWords = hasWords && (wordsFirst || !isNear)
    const step = byWords === wordsFirst ? CASCADE_STEPS.first : CASCADE_STEPS.second
    const explain = byWords ? explainWords : explainMeaning
    return [{ id: candidate.id, explanation: explain(candidate, step) }]
  })
  return sortBestFirst(scored)
}

function explainMeaning(candidate: Candidate, { name, floor, room }: Step): Explanation {
  return sumOf('cascade', [
    given(name, floor),
    productOf('meaning', [given('room', room), given('similarity', similarityOf(candidate))]),
  ])
}

function explainWords(candidate: Candidate, { name, floor, room }: Step): Explanation {
  const strength = strengthOf(candidate)
  return sumOf('cascade', [
    given(name, floor),
    productOf('keyword', [
      given('room', room),
      given('strength', strength / (strength + HALF_STRENGTH)),
    ]),
  ])
}
