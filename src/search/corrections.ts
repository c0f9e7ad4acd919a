/** A correction stands above what it corrects, also where only the corrected record matched. */

import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import { END_OF_TIME } from '../core/time.js'
import type { Node } from '../query/tree.js'
import type { Page, Storage } from '../storage/storage.js'
import { given, sumOf } from './explain.js'
import type { Found, FoundPage } from './found.js'
import { reasonsFor } from './reasons.js'

/** How far beyond its page a search looks for what was superseded; further only where the page is not full. */
export const CORRECTION_REACH = 50

export type CorrectedSearch = {
  readonly filter: Filter
  readonly page: Page
  /** What the query refuses, a correction must not have either. */
  readonly unwanted: Node | null
}

export type Find = (filter: Filter, page: Page) => Promise<FoundPage>

export async function withCorrections(
  storage: Storage,
  search: CorrectedSearch,
  find: Find,
): Promise<FoundPage> {
  const { filter, page } = search
  const isShown = filter.includeSuperseded === true
  if (!isShown && !(await storage.anySuperseded())) return find(filter, page)
  const wide = withSuperseded(filter)
  const enough = page.offset + page.limit
  let reach = enough + CORRECTION_REACH
  for (;;) {
    const all = await find(wide, { limit: reach, offset: 0 })
    const replaced = all.found.filter(({ isSuperseded }) => isSuperseded).map(({ id }) => id)
    const chains =
      replaced.length === 0
        ? NO_CHAINS
        : await storage.successors(replaced, filter.asOfMs ?? END_OF_TIME)
    const fetched = await mayBeFetched(storage, search, absentFrom(all.found, chains, isShown))
    const placed = placeCorrections(all.found, chains, new Set(fetched))
    const found = isShown ? placed : placed.filter(({ isSuperseded }) => !isSuperseded)
    const isWhole = all.found.length < reach
    const seesAll = replaced.length >= all.superseded
    if (isWhole || found.length >= enough) {
      const isCounted =
        isWhole || fetched.length === 0 ? 0 : await countMatching(find, wide, fetched)
      return {
        ...all,
        found: found.slice(page.offset, enough),
        total: all.total - (isShown ? 0 : all.superseded) + fetched.length - isCounted,
        superseded: isShown ? all.superseded : 0,
        isExact: all.isExact && seesAll,
      }
    }
    // So many were replaced that what replaces them, or what was not, is further down.
    reach *= 4
  }
}

/** Lets what was replaced pass as well; where it is not shown, whatever its facets are. */
export function withSuperseded(filter: Filter): Filter {
  const isShown = filter.includeSuperseded === true
  return { ...filter, includeSuperseded: true, ...(!isShown && { supersededLoosely: true }) }
}

/** From what was replaced to what stands in its place now, step by step. */
export type Chains = ReadonlyMap<RecordId, readonly RecordId[]>

const NO_CHAINS: Chains = new Map()

/** Where superseded records are hidden, only the end of each chain can be seen. */
function absentFrom(found: readonly Found[], chains: Chains, isShown: boolean): RecordId[] {
  const known = new Set(found.map(({ id }) => id))
  const wanted = [...chains.values()].flatMap((chain) => (isShown ? chain : chain.slice(-1)))
  return [...new Set(wanted)].filter((id) => !known.has(id))
}

/** Those that pass the filter and hold nothing that the query refuses. */
async function mayBeFetched(
  storage: Storage,
  { filter, unwanted }: CorrectedSearch,
  ids: readonly RecordId[],
): Promise<RecordId[]> {
  if (ids.length === 0) return []
  const asked = filter.idsIn === undefined ? ids : ids.filter((id) => filter.idsIn?.includes(id))
  const narrow = { ...filter, idsIn: asked }
  const refused = unwanted === null ? null : { root: unwanted, fields: null, filter: narrow }
  const { listed } = await storage.newest(narrow, refused, { limit: ids.length, offset: 0 })
  return listed.map(({ id }) => id)
}

async function countMatching(find: Find, wide: Filter, ids: readonly RecordId[]): Promise<number> {
  const page = { limit: ids.length, offset: 0 }
  return (await find({ ...wide, idsIn: ids }, page)).found.length
}

/**
 * The list with every correction directly above the first record it corrects, unless it stands higher already. What
 * is lifted takes the score of what it corrects, and says so; the newest of a chain stands first.
 */
export function placeCorrections(
  found: readonly Found[],
  chains: Chains,
  fetched: ReadonlySet<RecordId>,
): Found[] {
  const byId = new Map(found.map((one) => [one.id, one]))
  const placed = new Map<RecordId, Found>()
  for (const one of found) {
    if (placed.has(one.id)) continue
    for (const id of [...(chains.get(one.id) ?? [])].reverse()) {
      if (placed.has(id)) continue
      const own = byId.get(id) ?? null
      if (own === null && !fetched.has(id)) continue
      placed.set(id, liftedTo(one, own, id))
    }
    placed.set(one.id, one)
  }
  return [...placed.values()]
}

/** `own` is null where the correction did not match by itself. */
function liftedTo(corrected: Found, own: Found | null, id: RecordId): Found {
  const { score } = reasonsFor(corrected)
  const before = own === null ? null : reasonsFor(own)
  const reason = given(`corrects ${corrected.id}`, score - (before?.score ?? 0))
  return {
    ...(own ?? { ...corrected, bm25: null, similarity: null, chunk: null, isSuperseded: false }),
    id,
    explanation: sumOf('correction', before === null ? [reason] : [before, reason]),
  }
}
