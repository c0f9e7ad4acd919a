/** Finds records that say nearly the same as a new one, with what changed; nothing is merged. */

import type { RecordId } from '../core/ids.js'
import type { NearDuplicate } from '../core/record.js'
import type { Storage } from '../storage/storage.js'
import { differences, sharedWords } from '../text/differences.js'

/** From this cosine on, two texts say the same except for a detail. */
export const NEAR_DUPLICATE = 0.9
/** One number changes more of a short text; then most of its words have to be the same. */
export const ALIKE = { similarity: 0.7, sharedWords: 0.75 } as const
const MAX_NEAR_DUPLICATES = 3

export async function findNearDuplicates(
  storage: Storage,
  id: RecordId,
  isPinned: boolean,
): Promise<NearDuplicate[]> {
  const model = await storage.vectors.active()
  if (model === null) return []
  const similar = (await storage.vectors.similarByWords(model.id, id, isPinned))
    .filter(({ similarity }) => similarity >= ALIKE.similarity)
    .slice(0, MAX_NEAR_DUPLICATES)
  if (similar.length === 0) return []
  const similarities = new Map(similar.map((one) => [one.id, one.similarity]))
  // Another process may have deleted one of them since.
  const [record, ...others] = await storage.get([id, ...similarities.keys()])
  if (record?.id !== id) return []
  return others.flatMap((other): NearDuplicate[] => {
    const similarity = similarities.get(other.id) ?? 0
    // The vectors of turns of one session resemble each other: between them words decide.
    const isSameSession = record.sessionId !== null && record.sessionId === other.sessionId
    const isNear =
      (similarity >= NEAR_DUPLICATE && !isSameSession) ||
      sharedWords(other.body, record.body) >= ALIKE.sharedWords
    if (!isNear) return []
    return [{ id: other.id, similarity, changed: differences(other.body, record.body) }]
  })
}
