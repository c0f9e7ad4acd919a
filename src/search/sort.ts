/** Sorts hits by something other than relevance, over all records found, not only the best. */

import type { Storage } from '../storage/storage.js'
import { describeFound } from './answer.js'
import { scoreListed } from './explain.js'
import type { SearchPlan } from './plan.js'
import { gatherAndRank, type Ranked, type RankedList } from './ranking.js'

/** Returns only the records of the page, each with its score. The order stays by relevance if the time limit is exceeded. */
export async function sortRanked(
  storage: Storage,
  plan: SearchPlan,
  found: RankedList,
): Promise<RankedList> {
  const { sort, limit, offset } = plan.request
  if (sort === 'relevance') return found
  const page = { order: sort, limit, offset }
  const sorted = await storage.sorted(describeFound(plan, found), page)
  if (sorted === null) return { ...found, records: found.records.slice(offset, offset + limit) }
  const { ids, total } = sorted
  const known = new Map(found.records.map((record) => [record.id, record]))
  const others = ids.filter((id) => !known.has(id))
  if (others.length > 0) {
    const scope = { ...plan.scope, idsIn: others }
    const steps = plan.planned.steps.filter(({ relaxed }) => relaxed === found.widest)
    const planned = steps.length === 0 ? plan.planned : { ...plan.planned, steps }
    const among = await gatherAndRank(storage, { ...plan, planned, scope, window: others.length })
    for (const record of among.records) known.set(record.id, record)
  }
  const records = ids.map((id) => known.get(id) ?? { ...UNRANKED, id })
  return { ...found, records, total, isExact: true }
}

/** A correction that does not match the query by itself. */
const UNRANKED: Omit<Ranked, 'id'> = {
  ...{ bm25: null, similarity: null, chunk: null, relaxed: null },
  isSuperseded: false,
  matchType: 'keyword',
  explanation: scoreListed(),
}
