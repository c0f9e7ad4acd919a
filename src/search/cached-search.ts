/** An equal search is answered from memory until anyone writes anything, and such an answer says so. */

import type { SearchAnswer } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { SearchRequest } from '../schemas/search-request.js'
import type { Storage } from '../storage/storage.js'
import { freeze } from './freeze.js'
import { createResultCache } from './result-cache.js'

export type CacheOptions = {
  /** How many answers are kept; 0 keeps none. Default: 256. */
  readonly entries?: number
  /** How long one is given again: salience, confidence and recency fade meanwhile. Default: 60000. */
  readonly ttlMs?: number
}

export const ENTRIES = 256
export const TTL_MS = 60_000
const MAX_BYTES = 32 * 1024 * 1024

export type CachedSearchParts = {
  readonly storage: Storage
  readonly now: () => number
  readonly cache: CacheOptions | false
}

export type Asked = {
  readonly request: SearchRequest
  readonly filter: Filter
  readonly elapsedMs: () => number
}

/** Gives an answer from memory, else the one that `search` finds. */
export type CachedSearch = (
  asked: Asked,
  search: () => Promise<SearchAnswer>,
) => Promise<SearchAnswer>

export function createCachedSearch({ storage, now, cache }: CachedSearchParts): CachedSearch {
  if (cache === false) return (_, search) => search()
  const { entries: maxEntries = ENTRIES, ttlMs = TTL_MS } = cache
  const kept = createResultCache<SearchAnswer>({ maxEntries, maxSize: MAX_BYTES, ttlMs, now })
  return async (asked, search) => {
    const key = keyOf(asked)
    // Before the search: an answer that a write overtook is kept under a version that is over, and never given again.
    const version = await storage.version()
    const known = kept.find(key, version)
    if (known !== null) return { ...known, cached: true, tookMs: asked.elapsedMs() }
    const answer = await search()
    if (dependsOnFileAlone(answer)) {
      kept.keep(key, version, { value: answer, size: freeze(answer) + freeze(key) })
    }
    return answer
  }
}

/**
 * All that an answer depends on besides the file: with defaults filled in, lenses, ids and dates resolved. The session
 * of a recall does not change what is found, and how far things have faded is what the time to live is for.
 */
function keyOf({ request, filter }: Asked): string {
  const { recallSession: _, ids: __, ...options } = request
  const { minSalience, minConfidence, ...passes } = filter
  return JSON.stringify([options, passes, minSalience?.least, minConfidence?.least])
}

/** A model that could not be reached may be there the next time. */
function dependsOnFileAlone({ degraded }: SearchAnswer): boolean {
  return degraded?.reason !== 'embedder_unavailable'
}
