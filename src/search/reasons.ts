/** The score of whatever was found is computed from why it was found. */

import type { Explanation } from '../core/answer.js'
import type { Found } from './found.js'
import { scoreKeywords, scoreListed } from './keyword-score.js'
import { scoreSimilarity } from './similarity-score.js'

export function reasonsFor({ bm25, similarity, relaxed, explanation }: Found): Explanation {
  if (explanation !== null) return explanation
  if (similarity !== null) return scoreSimilarity(similarity)
  return bm25 === null ? scoreListed() : scoreKeywords(bm25, relaxed)
}
