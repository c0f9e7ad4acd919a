/** Builds explanation trees. Every score is computed from its explanation, so the two cannot differ. */

import type { Explanation } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import type { Relaxation } from '../query/steps.js'

export type Scored = { readonly id: RecordId; readonly explanation: Explanation }

/** One list for all leaves: a search makes a thousand of them. */
const NO_PARTS: Explanation['parts'] = []

export function leaf(name: string, score: number): Explanation {
  return { name, score, op: 'sum', parts: NO_PARTS }
}

export function sum(name: string, parts: readonly Explanation[]): Explanation {
  return { name, op: 'sum', parts, score: parts.reduce((total, part) => total + part.score, 0) }
}

export function product(name: string, parts: readonly Explanation[]): Explanation {
  const score = parts.reduce((total, part) => total * part.score, 1)
  return { name, op: 'product', parts, score }
}

const CAP = 'never above 1'

/**
 * Subtracts the excess over 1, as a part of its own. It is a sum, not a factor: x + (1 − x) is exactly 1 for every x above
 * 1, but x · (1/x) is sometimes slightly less and would rank below its equals.
 */
export function capAtOne(tree: Explanation): Explanation {
  return tree.score > 1 ? sum(tree.name, [tree, leaf(CAP, 1 - tree.score)]) : tree
}

/** The score before the cap, which orders records that are capped at 1. */
export function scoreBeforeCap({ score, parts }: Explanation): number {
  const [first, last] = parts
  return first !== undefined && last?.name === CAP ? first.score : score
}

/** Best first. Ties break by id, so that two runs never differ. */
export function sortBestFirst<T extends Scored>(scored: readonly T[]): T[] {
  return [...scored].sort(
    (a, b) =>
      b.explanation.score - a.explanation.score ||
      scoreBeforeCap(b.explanation) - scoreBeforeCap(a.explanation) ||
      compareIds(a.id, b.id),
  )
}

/** Compares code units, which does not depend on the locale. */
export function compareIds(a: RecordId, b: RecordId): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** A match of this strength gets half of the range of its step: a clear match of two or three words. */
export const HALF_STRENGTH = 5

/** Each step has its own range of scores, so a relaxed hit never ranks above one that has every word. */
export const STEPS = {
  asked: { name: 'as asked', floor: 0.5, range: 0.5 },
  any: { name: 'any word', floor: 0.25, range: 0.25 },
  prefix: { name: 'word beginnings', floor: 0, range: 0.25 },
} as const

/**
 * floor + range · s / (s + 5), with s = −bm25.
 * By hand: bm25 = −5 with every word → 0.5 + 0.5 · 5/10 = 0.75; the same as any word → 0.25 + 0.25 · 0.5 = 0.375.
 */
export function scoreKeywords(bm25: number, relaxed: Relaxation): Explanation {
  const step = STEPS[relaxed ?? 'asked']
  const strength = Math.max(0, -bm25)
  return sum('keyword', [
    leaf(step.name, step.floor),
    product('words', [
      leaf('range', step.range),
      leaf('strength', strength / (strength + HALF_STRENGTH)),
    ]),
  ])
}

/** The raw cosine; a negative one counts as 0. */
export function scoreSimilarity(similarity: number): Explanation {
  return sum('semantic', [leaf('similarity', Math.min(1, Math.max(0, similarity)))])
}

/** All records that are listed, not ranked, score 1. */
export function scoreListed(): Explanation {
  return sum('listed', [leaf('passes the filters', 1)])
}
