/** Places every correction above the record it corrects, even if only the corrected record matched. */

import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import { END_OF_TIME } from '../core/time.js'
import type { Storage } from '../storage/storage.js'
import { leaf, type Scored, sum } from './explain.js'
import type { SearchPlan } from './plan.js'
import { gatherAndRank, type Ranked, type RankedList } from './ranking.js'

/** How many more records than its page a search ranks, because superseded ones may be hidden. */
export const CORRECTION_DEPTH = 50
/** The window grows by this factor if hidden records leave the page short. */
const WINDOW_GROWTH = 4

/** Adds superseded records to the scope of the search, because a match may lead to its correction. */
export async function widenToSuperseded(storage: Storage, plan: SearchPlan): Promise<SearchPlan> {
  const isShown = plan.filter.includeSuperseded === true
  if (!isShown && !(await storage.anySuperseded())) return plan
  const window = plan.window + CORRECTION_DEPTH
  return { ...plan, scope: includeSuperseded(plan.filter), window }
}

/** Lets superseded records pass the filter. If they are not shown, their own facets do not matter. */
export function includeSuperseded(filter: Filter): Filter {
  const isShown = filter.includeSuperseded === true
  return { ...filter, includeSuperseded: true, ...(!isShown && { supersededLoosely: true }) }
}

/** Lifts corrections, hides superseded records, and ranks a larger window if the page is not full. */
export async function placeCorrections(
  storage: Storage,
  plan: SearchPlan,
  ranked: RankedList,
): Promise<RankedList> {
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
  if (!isWhole && records.length < request.offset + request.limit) {
    const larger = { ...plan, window: WINDOW_GROWTH * window }
    return placeCorrections(storage, larger, await gatherAndRank(storage, larger))
  }
  // The total already counts a fetched correction that also matches by itself, below the window.
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

/** The corrections that are not ranked. If superseded records are hidden, only the end of a chain is shown. */
function findAbsent(records: readonly Ranked[], chains: Chains, isShown: boolean): RecordId[] {
  const known = new Set(records.map(({ id }) => id))
  const wanted = [...chains.values()].flatMap((chain) => (isShown ? chain : chain.slice(-1)))
  return [...new Set(wanted)].filter((id) => !known.has(id))
}

/** Keeps the ids that pass the filter and match no negation of the query. */
async function checkFetched(
  storage: Storage,
  { filter, planned }: SearchPlan,
  ids: readonly RecordId[],
): Promise<RecordId[]> {
  if (ids.length === 0) return []
  const idsIn = filter.idsIn === undefined ? ids : ids.filter((id) => filter.idsIn?.includes(id))
  const own = { ...filter, idsIn }
  const { unwanted } = planned
  const negated = unwanted === null ? null : { root: unwanted, fields: null, filter: own }
  const { listed } = await storage.newest(own, negated, { limit: ids.length, offset: 0 })
  return listed.map(({ id }) => id)
}

async function countMatching(
  storage: Storage,
  plan: SearchPlan,
  ids: readonly RecordId[],
): Promise<number> {
  const among = { ...plan, scope: { ...plan.scope, idsIn: ids }, window: ids.length }
  return (await gatherAndRank(storage, among)).records.length
}

/**
 * Puts every correction directly above the first record it corrects, unless it already ranks higher. A lifted record
 * takes the score of the record it corrects, as a named part of its explanation. The newest of a chain comes first.
 * @param fetch Returns a correction that is not among the records, or null.
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

/** Describes a correction that did not match by itself. */
function createUnmatched(id: RecordId, corrected: Ranked): Ranked {
  const unmatched = { bm25: null, similarity: null, chunk: null, isSuperseded: false }
  const reason = leaf(`corrects ${corrected.id}`, corrected.explanation.score)
  return { ...corrected, ...unmatched, id, explanation: sum('correction', [reason]) }
}
