/** Calls a failing model less and less often during a long run of writes. */

import type { Indexer } from './indexer.js'

export type BatchEmbedder = Pick<Indexer, 'embedTexts' | 'embedPending'>

/**
 * Skips one batch after the first failure, three after the next, then seven. Otherwise an import of a hundred batches would
 * wait a quarter of an hour for a server that hangs. Skipped texts stay pending until `embed`. Batches may overlap, but a
 * model that has failed gets one batch at a time.
 */
export function withBackoff(indexer: BatchEmbedder): BatchEmbedder {
  let failures = 0
  let toSkip = 0
  let running = 0
  let requests = 0
  /** The requests up to this number were running when the model last failed. Their failures count once. */
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
      // Reset only here, because `embedTexts` does not embed turns of a session and may succeed without the model.
      if (isDone) failures = 0
      else noteFailure(request)
      return isDone
    },
  }
}
