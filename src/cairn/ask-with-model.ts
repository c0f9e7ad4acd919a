/** A model that is forgotten in the middle of a search costs another try, at worst the meaning, never the answer. */

import type { SearchAnswer } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import type { QueryEmbedder } from '../search/vector.js'

/** Each time the question is read anew, by the model that is in charge then. */
const MOST_TRIES = 3

export async function askWithModel(
  readQuestion: QueryEmbedder,
  ask: (readQuestion: QueryEmbedder) => Promise<SearchAnswer>,
): Promise<SearchAnswer> {
  let message = ''
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      return await ask(readQuestion)
    } catch (error) {
      if (!isForgotten(error)) throw error
      message = error.message
    }
  }
  const degraded = {
    reason: 'embedder_unavailable',
    message: `${message} These are matches by words.`,
  }
  return ask(async () => ({ kind: 'none', degraded }))
}

/** A model that cannot be reached is no error of a search; one that storage no longer knows is. */
function isForgotten(error: unknown): error is CairnError {
  return error instanceof CairnError && error.code === 'embedder_unavailable'
}
