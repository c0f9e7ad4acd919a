/** The best stands first, two runs never differ, and no score is above 1. */

import type { Explanation } from '../core/answer.js'
import { compareIds, type Scored } from './candidate.js'
import { given, sumOf } from './explain.js'

const CAP = 'never above 1'

/**
 * Takes off what is above 1, as a part of its own. A subtraction and not a factor: x + (1 − x) is exactly 1 for
 * every x above 1, where x · (1/x) is sometimes a little less, and would then stand below its equals.
 */
export function capAtOne(tree: Explanation): Explanation {
  return tree.score > 1 ? sumOf(tree.name, [tree, given(CAP, 1 - tree.score)]) : tree
}

/** The score as it was before the cap: of two records at 1, the one that earned more stands first. */
export function scoreBeforeCap({ score, parts }: Explanation): number {
  const [first, last] = parts
  return first !== undefined && last?.name === CAP ? first.score : score
}

/** Best first; equal scores in the order of their ids. */
export function sortBestFirst(scored: readonly Scored[]): Scored[] {
  return [...scored].sort(
    (a, b) =>
      b.explanation.score - a.explanation.score ||
      scoreBeforeCap(b.explanation) - scoreBeforeCap(a.explanation) ||
      compareIds(a, b),
  )
}
