/** Promise: a long run of writes waits for a model that does not answer a few times, and not at every batch. */

import type { Meaning } from './meaning.js'

/** What a batch needs: vectors for its texts, and afterwards for what could not be read before it was stored. */
export type BatchReader = Pick<Meaning, 'read' | 'settle'>

/**
 * After a failure one batch is passed over, after the next three, then seven: a server that hangs for a minute costs an
 * import of a hundred batches a quarter of an hour otherwise. What was passed over waits for `embed`.
 */
export function sparing(meaning: BatchReader): BatchReader {
  let failures = 0
  let toPass = 0
  let isPassing = false
  const giveUp = (): void => {
    failures += 1
    toPass = 2 ** failures - 1
    isPassing = true
  }
  return {
    async read(texts) {
      if (toPass > 0) {
        toPass -= 1
        isPassing = true
        return null
      }
      isPassing = false
      const vectors = await meaning.read(texts)
      if (vectors === null && texts.length > 0) giveUp()
      return vectors
    },
    async settle(written) {
      if (isPassing) return false
      const hasAnswered = await meaning.settle(written)
      // Only now: turns of a session are asked about here alone.
      if (hasAnswered) failures = 0
      else giveUp()
      return hasAnswered
    },
  }
}
