/** Bm25, which is below zero and has no end, becomes a score from 0 to 1 that keeps its order. */

import type { Explanation } from '../core/answer.js'
import { given, productOf, sumOf } from './explain.js'

/** The strength at which a match has half of the points of its step: a clear match of two or three words. */
export const HALF_STRENGTH = 5

/** Each step has its own stretch of 0..1, so that a relaxed hit never stands above one that has every word. */
export const STEPS = {
  asked: { name: 'as asked', floor: 0.5, room: 0.5 },
  any: { name: 'any word', floor: 0.25, room: 0.25 },
  prefix: { name: 'word beginnings', floor: 0, room: 0.25 },
} as const

/**
 * floor + room · s / (s + 5), with s = −bm25.
 * By hand: bm25 = −5 with every word → 0.5 + 0.5 · 5/10 = 0.75; the same as any word → 0.25 + 0.25 · 0.5 = 0.375.
 */
export function scoreKeywords(bm25: number, relaxed: null | 'any' | 'prefix'): Explanation {
  const step = STEPS[relaxed ?? 'asked']
  const strength = Math.max(0, -bm25)
  return sumOf('keyword', [
    given(step.name, step.floor),
    productOf('words', [
      given('room', step.room),
      given('strength', strength / (strength + HALF_STRENGTH)),
    ]),
  ])
}

/** Records that were listed, not ranked: all alike. */
export function scoreListed(): Explanation {
  return sumOf('listed', [given('passes the filters', 1)])
}
