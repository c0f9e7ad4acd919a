/** Runs a search from top to bottom: plan, candidates, ranking, corrections, page, advice. */

import type { SearchAnswer } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { SearchRequest } from '../schemas/search-request.js'
import { adviseOn } from './advice.js'
import { buildAnswer, chooseAnswer, countFacets } from './answer.js'
import { placeCorrections, widenToSuperseded } from './corrections.js'
import { loadPage } from './page.js'
import { dropUnknownWords, planSearch, type SearchContext } from './plan.js'
import { gatherAndRank } from './ranking.js'
import { sortRanked } from './sort.js'
import { findWeak } from './weak.js'

/** If no record matches the query as written, runs the query that was probably meant. */
export async function search(
  context: SearchContext,
  request: SearchRequest,
  filter: Filter,
): Promise<SearchAnswer> {
  const asWritten = await searchOnce(context, request, filter)
  const { searchedFor } = asWritten.query
  if (searchedFor === null) return asWritten
  const asMeant = await searchOnce(context, { ...request, query: searchedFor }, filter)
  return chooseAnswer(asWritten, asMeant)
}

async function searchOnce(
  context: SearchContext,
  request: SearchRequest,
  filter: Filter,
): Promise<SearchAnswer> {
  const { watch, measure } = context.stageTimer
  const asked = await planSearch(context, request, filter)
  // Embedding the query may take long, so the snapshot of the file begins only now.
  return context.storage.snapshot(async (snapshot) => {
    const storage = watch(snapshot)
    const first = await widenToSuperseded(storage, asked)
    const gathered = await measure('fusion', () => gatherAndRank(storage, first))
    const hasWord = gathered.records.some(
      ({ bm25, relaxed }) => bm25 !== null && relaxed !== 'prefix',
    )
    const plan = hasWord || storage.isCut() ? first : await dropUnknownWords(storage, first)
    const ranked =
      plan === first ? gathered : await measure('fusion', () => gatherAndRank(storage, plan))
    const corrected = await measure('fusion', () => placeCorrections(storage, plan, ranked))
    const sorted = await sortRanked(storage, plan, corrected)
    const found = { ...sorted, weak: await findWeak(storage, plan, corrected) }
    // These reads start together: on a server they share a round trip.
    const loading = measure('page', () => loadPage(storage, plan, found))
    const [hits, facets, advice] = await Promise.all([
      loading,
      countFacets(storage, plan, found),
      adviseOn(storage, plan, { ...found, hits: loading }),
    ])
    const [isCut, tookMs] = [storage.isCut(), context.elapsedMs()]
    return buildAnswer(plan, found, { hits, facets, advice, isCut, tookMs })
  }, context.timeLimitMs)
}
