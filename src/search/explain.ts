/** A score is computed from its explanation, so the two cannot differ. */

import type { Explanation } from '../core/answer.js'

/** A number that stands for itself. */
export function given(name: string, score: number): Explanation {
  return { name, score, op: 'sum', parts: [] }
}

export function sumOf(name: string, parts: readonly Explanation[]): Explanation {
  return { name, op: 'sum', parts, score: parts.reduce((sum, part) => sum + part.score, 0) }
}

export function productOf(name: string, parts: readonly Explanation[]): Explanation {
  return {
    name,
    op: 'product',
    parts,
    score: parts.reduce((product, part) => product * part.score, 1),
  }
}
