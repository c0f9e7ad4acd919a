/** Finds records nearly equal to a new one and lists the differences; nothing is merged. */

import type { RecordId } from '../core/ids.js'
import type { NearDuplicate } from '../core/record.js'
import type { Storage } from '../storage/storage.js'
import type { SimilarRecord } from '../storage/vectors.js'
import { differences, sharedWords } from '../text/differences.js'

/** From this cosine on, two texts differ only in details. */
export const NEAR_DUPLICATE = 0.9
/** A changed number lowers the cosine of a short text more. Below the other limit, most words must be equal. */
export const NEAR_DUPLICATE_BY_WORDS = { similarity: 0.7, sharedWords: 0.75 } as const
const MAX_NEAR_DUPLICATES = 3

/** Records of the same namespace that share rare words with this one, best first. */
export async function listSimilar(
  storage: Storage,
  id: RecordId,
  isPinned: boolean,
): Promise<SimilarRecord[]> {
  const model = await storage.vectors.active()
  return model === null ? [] : storage.vectors.similarByWords(model.id, id, isPinned)
}

export async function findNearDuplicates(
  storage: Storage,
  id: RecordId,
  all: readonly SimilarRecord[],
): Promise<NearDuplicate[]> {
  const similar = all
    .filter(({ similarity }) => similarity >= NEAR_DUPLICATE_BY_WORDS.similarity)
    .slice(0, MAX_NEAR_DUPLICATES)
  if (similar.length === 0) return []
  const similarities = new Map(similar.map((one) => [one.id, one.similarity]))
  // Another process may have deleted one of them since.
  const [record, ...others] = await storage.get([id, ...similarities.keys()])
  if (record?.id !== id) return []
  return others.flatMap((other): NearDuplicate[] => {
    const similarity = similarities.get(other.id) ?? 0
    // Turns of one session have similar vectors, so their words decide.
    const isSameSession = record.sessionId !== null && record.sessionId === other.sessionId
    const isNear =
      (similarity >= NEAR_DUPLICATE && !isSameSession) ||
      sharedWords(other.body, record.body) >= NEAR_DUPLICATE_BY_WORDS.sharedWords
    if (!isNear) return []
    return [{ id: other.id, similarity, changed: differences(other.body, record.body) }]
  })
}
