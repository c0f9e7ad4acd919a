/** Asks a model that fails less and less often during a long run of writes. */

import type { Indexer } from './indexer.js'

export type BatchEmbedder = Pick<Indexer, 'embedTexts' | 'embedPending'>

/**
 * After a failure one batch is skipped, after the next failure three, then seven: otherwise a server that hangs for a
 * minute costs an import of a hundred batches a quarter of an hour. Skipped texts stay pending until `embed`. Batches
 * may overlap; a model that has failed gets one batch at a time.
 */
export function withBackoff(indexer: BatchEmbedder): BatchEmbedder {
  let failures = 0
  let toSkip = 0
  let running = 0
  let requests = 0
  /** Requests up to this one were running when the model last failed: their failures are the same one. */
  let failedAt = 0
  const noteFailure = (request: number): void => {
    if (request <= failedAt) return
    failedAt = requests
    failures += 1
    toSkip = 2 ** failures - 1
  }
  return {
    async embedTexts(texts) {
      if (toSkip > 0) {
        toSkip -= 1
        return null
      }
      if (failures > 0 && running > 0) return null
      const request = ++requests
      running += 1
      const vectors = await indexer.embedTexts(texts)
      running -= 1
      if (vectors === null && texts.length > 0) noteFailure(request)
      return vectors
    },
    async embedPending(written) {
      if (toSkip > 0) return false
      const request = ++requests
      const isDone = await indexer.embedPending(written)
      // Reset only here: turns of a session are embedded by this call alone.
      if (isDone) failures = 0
      else noteFailure(request)
      return isDone
    },
  }
}
