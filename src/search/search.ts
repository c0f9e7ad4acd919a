/** Runs a search from top to bottom: plan, candidates, ranking, corrections, page, advice. */

import type { SearchAnswer } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { SearchRequest } from '../schemas/search-request.js'
import type { Storage } from '../storage/storage.js'
import { adviseOn, TOO_EXPENSIVE } from './advice.js'
import { buildAnswer, countFacets } from './answer.js'
import { enlargeWindow, placeCorrections, prepareCorrections } from './corrections.js'
import { loadPage } from './page.js'
import { planSearch, type SearchContext, type SearchPlan } from './plan.js'
import { findRanked, type RankedList } from './ranking.js'
import { sortRanked } from './sort.js'
import { findWeak } from './weak.js'

/** Where no record has the words or the phrases as they were written, the answer is that of what was probably meant. */
export async function search(
  context: SearchContext,
  request: SearchRequest,
  filter: Filter,
): Promise<SearchAnswer> {
  const answer = await searchOnce(context, request, filter)
  const { searchedFor } = answer.query
  if (searchedFor === null) return answer
  const meant = await searchOnce(context, { ...request, query: searchedFor }, filter)
  return meant.total.value === 0
    ? { ...answer, query: { ...answer.query, searchedFor: null }, hint: answer.hint ?? meant.hint }
    : { ...meant, query: answer.query, hint: answer.hint }
}

async function searchOnce(
  context: SearchContext,
  request: SearchRequest,
  filter: Filter,
): Promise<SearchAnswer> {
  const asked = await planSearch(context, request, filter)
  // Embedding the query may take long; from here on everything is read from one snapshot of the file.
  return context.storage.snapshot(async (snapshot) => {
    const { watch, measure } = context.stageTimer
    const storage = watch(snapshot)
    const { plan, corrected } = await measure('fusion', () => rank(storage, asked))
    const sorted = await sortRanked(storage, plan, corrected)
    const near = await findWeak(storage, plan, corrected)
    // A threshold that was given is kept; the hint says what lies below it.
    const weak = request.threshold === undefined ? near : []
    const found = { ...sorted, nearest: near[0]?.similarity ?? null }
    // What does not need the hits is read with them: on a server, in the same round trip.
    const [hits, facets, advice] = await Promise.all([
      measure('page', () => loadPage(storage, plan, { ...sorted, weak })),
      request.facets && !storage.isCut() ? countFacets(storage, plan, found) : null,
      storage.isCut() ? TOO_EXPENSIVE : adviseOn(storage, plan, found),
    ])
    const relaxed = found.relaxed || hits.some((hit) => hit.relaxed !== null)
    const shown = { ...found, relaxed }
    const isAdvised = relaxed === found.relaxed || storage.isCut()
    return buildAnswer(plan, shown, {
      hits,
      facets,
      advice: isAdvised ? advice : await adviseOn(storage, plan, shown),
      isCut: storage.isCut(),
      tookMs: context.elapsedMs(),
    })
  }, context.timeLimitMs)
}

/** Ranks in a larger window as long as corrections need records from below it. */
async function rank(storage: Storage, asked: SearchPlan) {
  let plan = await prepareCorrections(storage, asked)
  let corrected: RankedList | null = null
  while (corrected === null) {
    const ranked = await findRanked(storage, plan)
    corrected = await placeCorrections(storage, plan, ranked)
    plan = enlargeWindow(plan)
  }
  return { plan, corrected }
}
