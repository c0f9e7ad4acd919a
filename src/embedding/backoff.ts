/** A long run of writes waits for a model that does not answer a few times, and not at every batch. */

import type { Indexer } from './indexer.js'

/**
 * What a batch needs: vectors for its texts, and afterwards, where it got some, for what could not be read before it was
 * stored.
 */
export type BatchEmbedder = Pick<Indexer, 'embedTexts' | 'embedPending'>

/**
 * After a failure one batch is passed over, after the next three, then seven: a server that hangs for a minute costs an
 * import of a hundred batches a quarter of an hour otherwise. What was passed over waits for `embed`. The texts of a batch
 * may be read before those of the one before it are there; a model in doubt is asked for one batch at a time.
 */
export function withBackoff(meaning: BatchEmbedder): BatchEmbedder {
  let failures = 0
  let toPass = 0
  let underWay = 0
  /** Those under way when the model failed tell nothing new by failing too. */
  let failedAt = 0
  let asked = 0
  const giveUp = (question: number): void => {
    if (question <= failedAt) return
    failedAt = asked
    failures += 1
    toPass = 2 ** failures - 1
  }
  const isPassed = (): boolean => {
    if (toPass > 0) {
      toPass -= 1
      return true
    }
    return failures > 0 && underWay > 0
  }
  return {
    async embedTexts(texts) {
      if (isPassed()) return null
      const question = ++asked
      underWay += 1
      const vectors = await meaning.embedTexts(texts)
      underWay -= 1
      if (vectors === null && texts.length > 0) giveUp(question)
      return vectors
    },
    async embedPending(written) {
      if (toPass > 0) return false
      const question = ++asked
      const hasAnswered = await meaning.embedPending(written)
      // Only now: turns of a session are asked about here alone.
      if (hasAnswered) failures = 0
      else giveUp(question)
      return hasAnswered
    },
  }
}
