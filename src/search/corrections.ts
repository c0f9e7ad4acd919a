/** Places every correction above the record it corrects, also where only the corrected record matched. */

import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import { END_OF_TIME } from '../core/time.js'
import type { Storage } from '../storage/storage.js'
import { leaf, type Scored, sum } from './explain.js'
import type { SearchPlan } from './plan.js'
import { findRanked, type Ranked, type RankedList } from './ranking.js'

/** How far beyond its page a search looks for superseded records; further only where the page is not full. */
export const CORRECTION_REACH = 50

export async function prepareCorrections(storage: Storage, plan: SearchPlan): Promise<SearchPlan> {
  const isShown = plan.filter.includeSuperseded === true
  if (!isShown && !(await storage.anySuperseded())) return plan
  const window = plan.window + CORRECTION_REACH
  return { ...plan, scope: includeSuperseded(plan.filter), window }
}

/** For the next attempt, where so many records were replaced that the page is not full. */
export function enlargeWindow(plan: SearchPlan): SearchPlan {
  return { ...plan, window: 4 * plan.window }
}

/** Superseded records pass as well; where they are not shown, whatever their facets are. */
export function includeSuperseded(filter: Filter): Filter {
  const isShown = filter.includeSuperseded === true
  return { ...filter, includeSuperseded: true, ...(!isShown && { supersededLoosely: true }) }
}

/** The list as it is shown; null where the window was too small to fill the page. */
export async function placeCorrections(
  storage: Storage,
  plan: SearchPlan,
  ranked: RankedList,
): Promise<RankedList | null> {
  const { filter, scope, window, request } = plan
  if (scope === filter) return ranked
  const isShown = filter.includeSuperseded === true
  const replaced = ranked.records.filter(({ isSuperseded }) => isSuperseded).map(({ id }) => id)
  const chains: Chains =
    replaced.length === 0
      ? new Map()
      : await storage.successors(replaced, filter.asOfMs ?? END_OF_TIME)
  const fetched = await checkFetched(storage, plan, findAbsent(ranked.records, chains, isShown))
  const isFetched = new Set(fetched)
  const lifted = liftCorrections(ranked.records, chains, (id, corrected) =>
    isFetched.has(id) ? createUnmatched(id, corrected) : null,
  )
  const records = isShown ? lifted : lifted.filter(({ isSuperseded }) => !isSuperseded)
  const isWhole = ranked.records.length < window
  if (!isWhole && records.length < request.offset + request.limit) return null
  // A fetched correction that also matches by itself, beyond the window, is in the total already.
  const isCounted =
    isWhole || fetched.length === 0 ? 0 : await countMatching(storage, plan, fetched)
  return {
    ...ranked,
    records,
    total: ranked.total - (isShown ? 0 : ranked.superseded) + fetched.length - isCounted,
    superseded: isShown ? ranked.superseded : 0,
    isExact: ranked.isExact && replaced.length >= ranked.superseded,
  }
}

type Chains = ReadonlyMap<RecordId, readonly RecordId[]>

/** Where superseded records are hidden, only the end of each chain can be seen. */
function findAbsent(records: readonly Ranked[], chains: Chains, isShown: boolean): RecordId[] {
  const known = new Set(records.map(({ id }) => id))
  const wanted = [...chains.values()].flatMap((chain) => (isShown ? chain : chain.slice(-1)))
  return [...new Set(wanted)].filter((id) => !known.has(id))
}

/** Those that pass the filter and hold nothing that the query refuses. */
async function checkFetched(
  storage: Storage,
  { filter, planned }: SearchPlan,
  ids: readonly RecordId[],
): Promise<RecordId[]> {
  if (ids.length === 0) return []
  const idsIn = filter.idsIn === undefined ? ids : ids.filter((id) => filter.idsIn?.includes(id))
  const own = { ...filter, idsIn }
  const { unwanted } = planned
  const refused = unwanted === null ? null : { root: unwanted, fields: null, filter: own }
  const { listed } = await storage.newest(own, refused, { limit: ids.length, offset: 0 })
  return listed.map(({ id }) => id)
}

async function countMatching(
  storage: Storage,
  plan: SearchPlan,
  ids: readonly RecordId[],
): Promise<number> {
  const among = { ...plan, scope: { ...plan.scope, idsIn: ids }, window: ids.length }
  return (await findRanked(storage, among)).records.length
}

/**
 * Puts every correction directly above the first record it corrects, unless it ranks higher already. What is lifted
 * takes the score of what it corrects, as a named part of its explanation; the newest of a chain comes first.
 * @param fetch Gives a correction that is not among the records, or null.
 */
export function liftCorrections<T extends Scored>(
  records: readonly T[],
  chains: Chains,
  fetch: (id: RecordId, corrected: T) => T | null,
): T[] {
  const byId = new Map(records.map((record) => [record.id, record]))
  const placed = new Map<RecordId, T>()
  for (const record of records) {
    if (placed.has(record.id)) continue
    for (const id of [...(chains.get(record.id) ?? [])].reverse()) {
      if (placed.has(id)) continue
      const own = byId.get(id)
      const lifted = own === undefined ? fetch(id, record) : liftTo(own, record)
      if (lifted !== null) placed.set(id, lifted)
    }
    placed.set(record.id, record)
  }
  return [...placed.values()]
}

function liftTo<T extends Scored>(own: T, { id, explanation }: Scored): T {
  const reason = leaf(`corrects ${id}`, explanation.score - own.explanation.score)
  return { ...own, explanation: sum('correction', [own.explanation, reason]) }
}

/** A correction that did not match by itself. */
function createUnmatched(id: RecordId, corrected: Ranked): Ranked {
  const unmatched = { bm25: null, similarity: null, chunk: null, isSuperseded: false }
  const reason = leaf(`corrects ${corrected.id}`, corrected.explanation.score)
  return { ...corrected, ...unmatched, id, explanation: sum('correction', [reason]) }
}
