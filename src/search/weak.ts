/** Finds weak hits for a search with few hits: the nearest records below the similarity floor. */

import type { Storage } from '../storage/storage.js'
import { constrainVectors, gatherByVector } from './candidates.js'
import type { SearchPlan } from './plan.js'
import { explainFound, type Ranked, type RankedList } from './ranking.js'

/** A search with fewer hits than this gets up to this many weak hits. */
export const FEW_HITS = 3

/** Best first. Weak hits follow the last hit, on its page. */
export async function findWeak(
  storage: Storage,
  plan: SearchPlan,
  found: RankedList,
): Promise<Ranked[]> {
  const { embedding, request, filter, fields } = plan
  const { offset, limit } = request
  const isLastPage = offset === 0 || offset < found.total
  const most = Math.min(FEW_HITS, offset + limit - found.total)
  if (embedding === null || found.total >= FEW_HITS || !isLastPage || most <= 0) return []
  const { records } = await gatherByVector(storage, {
    ...embedding,
    ...constrainVectors(plan, 'any'),
    ...{ filter, fields, limit: most, exclude: found.records.map(({ id }) => id) },
    minSimilarity: Math.min(embedding.weakFloor, embedding.minSimilarity),
  })
  return records.map((record) => ({ ...explainFound(record), weak: true }))
}
