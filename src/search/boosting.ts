/** What is favoured rises in a list of one side as it does where both are joined, and says why. */

import type { Boost } from '../core/filter.js'
import type { Page, Storage } from '../storage/storage.js'
import { applyBoosts } from './boosts.js'
import type { Scored } from './candidate.js'
import type { Found, FoundPage } from './found.js'
import { reasonsFor } from './reasons.js'

/** So many of the best are looked at: what stands further down is not lifted into the first page. */
export const BOOST_REACH = 300

export type Boosting = {
  readonly boosts: readonly Boost[]
  /** Who is favoured is decided by what a record was then. */
  readonly asOfMs: number | undefined
}

/** The page of a list in its new order. */
export async function withBoosts(
  storage: Storage,
  boosting: Boosting,
  page: Page,
  find: (page: Page) => Promise<FoundPage>,
): Promise<FoundPage> {
  if (boosting.boosts.length === 0) return find(page)
  const end = page.offset + page.limit
  const all = await find({ limit: Math.max(BOOST_REACH, end), offset: 0 })
  const byId = new Map(all.found.map((one) => [one.id, one]))
  const scored = all.found.map((one) => ({ id: one.id, explanation: reasonsFor(one) }))
  const boosted = await boost(storage, scored, boosting)
  const found = boosted.flatMap(({ id, explanation }): Found[] => {
    const one = byId.get(id)
    return one === undefined ? [] : [{ ...one, explanation }]
  })
  return { ...all, found: found.slice(page.offset, end) }
}

/** What a boost looks at is read only where there is one. */
export async function boost(
  storage: Storage,
  ranked: readonly Scored[],
  { boosts, asOfMs }: Boosting,
): Promise<readonly Scored[]> {
  if (boosts.length === 0) return ranked
  const ids = ranked.map(({ id }) => id)
  const records = await storage.get(ids, { asOfMs })
  return applyBoosts(ranked, new Map(records.map((record) => [record.id, record])), boosts)
}
