/** What says nearly the same as a new record is listed with what changed, and nothing is merged. */

import { CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { NearDuplicate } from '../core/record.js'
import type { Storage } from '../storage/storage.js'
import { differences, sharedWords } from '../text/differences.js'

/** From this cosine on, two texts say the same but for a detail. */
export const NEAR_DUPLICATE = 0.9
/** A short text may differ more by one number; then most of its words have to be the same. */
export const ALIKE = { similarity: 0.7, sharedWords: 0.75 } as const
const MOST = 3

export async function findNearDuplicates(storage: Storage, id: RecordId): Promise<NearDuplicate[]> {
  const model = await storage.vectors.active()
  const [record] = model === null ? [] : await storage.get([id])
  const vector = model && (await storage.vectors.vectorOf(model.id, id))
  if (!model || !record || !vector) return []
  const near = await storage.vectors
    .nearest({
      model: model.id,
      vector,
      limit: MOST,
      minSimilarity: ALIKE.similarity,
      filter: { namespaces: [record.namespace] },
      required: null,
      unwanted: null,
      fields: null,
      exclude: [id],
    })
    .catch(noneIfForgotten)
  const similarities = new Map(near.map((one) => [one.id, one.similarity]))
  // Another process may have deleted one of them since.
  const others = await storage.get([...similarities.keys()])
  return others.flatMap((other): NearDuplicate[] => {
    const similarity = similarities.get(other.id) ?? 0
    // The vectors of one session's turns lean towards each other: between them words decide.
    const leans = record.sessionId !== null && record.sessionId === other.sessionId
    const isNear =
      (similarity >= NEAR_DUPLICATE && !leans) ||
      sharedWords(other.body, record.body) >= ALIKE.sharedWords
    if (!isNear) return []
    return [{ id: other.id, similarity, changed: differences(other.body, record.body) }]
  })
}

/** A model that another process removed at this moment has nothing to say, and the record is stored all the same. */
function noneIfForgotten(error: unknown): [] {
  if (error instanceof CairnError && error.code === 'embedder_unavailable') return []
  throw error
}
