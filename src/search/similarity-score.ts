/** A cosine becomes a score from 0 to 1 without being bent: what was measured is what is shown. */

import type { Explanation } from '../core/answer.js'
import { given, sumOf } from './explain.js'

/** The cosine itself; one below zero says "unrelated" as 0 does. */
export function scoreSimilarity(similarity: number): Explanation {
  return sumOf('semantic', [given('similarity', Math.min(1, Math.max(0, similarity)))])
}
