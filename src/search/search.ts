/** Runs a search from top to bottom: plan, candidates, ranking, corrections, page, advice. */

import type { SearchAnswer } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { SearchRequest } from '../schemas/search-request.js'
import { adviseOn, TOO_EXPENSIVE } from './advice.js'
import { buildAnswer, countFacets } from './answer.js'
import { enlargeWindow, placeCorrections, prepareCorrections } from './corrections.js'
import { loadPage } from './page.js'
import { planSearch, type SearchContext } from './plan.js'
import { findRanked, type RankedList } from './ranking.js'

export async function search(
  context: SearchContext,
  request: SearchRequest,
  filter: Filter,
): Promise<SearchAnswer> {
  const asked = await planSearch(context, request, filter)
  // Embedding the query may take long; from here on everything is read from one snapshot of the file.
  return context.storage.snapshot(async (storage) => {
    let plan = await prepareCorrections(storage, asked)
    let corrected: RankedList | null = null
    while (corrected === null) {
      const ranked = await findRanked(storage, plan)
      corrected = await placeCorrections(storage, plan, ranked)
      plan = enlargeWindow(plan)
    }
    const hits = await loadPage(storage, plan, corrected)
    const relaxed = corrected.relaxed || hits.some((hit) => hit.relaxed !== null)
    const found = { ...corrected, relaxed }
    const isCut = storage.isCut()
    const facets = request.facets && !isCut ? await countFacets(storage, plan, found) : null
    const advice = isCut ? TOO_EXPENSIVE : await adviseOn(storage, plan, found)
    const parts = { hits, facets, advice, isCut, tookMs: context.elapsedMs() }
    return buildAnswer(plan, found, parts)
  }, context.timeLimitMs)
}
