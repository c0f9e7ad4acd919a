/** Caches answers: a repeated search is answered from memory until the file changes. */

import type { SearchAnswer } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { SearchRequest } from '../schemas/search-request.js'
import type { SearchState } from '../storage/storage.js'

export type CacheOptions = {
  /** How many answers are cached; 0 caches none. Default: 256. */
  readonly entries?: number
  /** The time to live: salience, confidence and recency change with time. Default: 60000. */
  readonly ttlMs?: number
}

export const ENTRIES = 256
export const TTL_MS = 60_000
/** An answer with one of these problems is not cached: the next search may do better. */
const TRANSIENT: ReadonlySet<string | undefined> = new Set([
  'embedder_unavailable',
  'reranker_unavailable',
  'too_expensive',
])
const MAX_BYTES = 32 * 1024 * 1024

type CacheableSearch = {
  readonly request: SearchRequest
  readonly filter: Filter
  readonly elapsedMs: () => number
  /** Read before the search: an answer computed during a write gets the old version and is never reused. */
  readonly state: Promise<SearchState>
}

export type AnswerFromCache = (
  asked: CacheableSearch,
  search: (state: SearchState) => Promise<SearchAnswer>,
) => Promise<SearchAnswer>

/** Callers may share a cache: the key includes the filter, which holds the pinned namespace. */
export function createSearchCache(cache: CacheOptions | false, now: () => number): AnswerFromCache {
  if (cache === false) return async ({ state }, search) => search(await state)
  const { entries: maxEntries = ENTRIES, ttlMs = TTL_MS } = cache
  const results = createResultCache<SearchAnswer>({ maxEntries, maxSize: MAX_BYTES, ttlMs, now })
  return async (asked, search) => {
    const key = toKey(asked)
    const state = await asked.state
    const version = await state.version()
    const cached = results.find(key, version)
    if (cached !== null) return { ...cached, cached: true, tookMs: asked.elapsedMs() }
    const answer = await search(state)
    if (!TRANSIENT.has(answer.degraded?.reason)) {
      results.store(key, version, { value: answer, size: freeze(answer) + freeze(key) })
    }
    return answer
  }
}

/**
 * Everything that an answer depends on besides the file, with defaults, lenses, ids and dates resolved. The recall session
 * does not change the answer. The time to live bounds the effect of decay, so the current time is left out.
 */
function toKey({ request, filter }: CacheableSearch): string {
  const { recallSession: _, ids: __, ...options } = request
  const { minSalience, minConfidence, ...passes } = filter
  return JSON.stringify([options, passes, minSalience?.least, minConfidence?.least])
}

export type ResultCacheLimits = {
  readonly maxEntries: number
  readonly maxSize: number
  readonly ttlMs: number
  readonly now: () => number
}

type Sized<T> = { readonly value: T; readonly size: number }

/** An LRU cache for one version of the file. A limit of zero caches nothing. */
export function createResultCache<T>({ maxEntries, maxSize, ttlMs, now }: ResultCacheLimits) {
  // A Map keeps insertion order: a lookup moves its entry to the end, so the first entry is the oldest.
  const entries = new Map<string, Sized<T> & { readonly atMs: number }>()
  let size = 0
  let knownVersion: string | null = null

  const take = (key: string) => {
    const entry = entries.get(key)
    if (entries.delete(key)) size -= entry?.size ?? 0
    return entry
  }
  return {
    find(key: string, version: string): T | null {
      if (version !== knownVersion) {
        entries.clear()
        size = 0
        knownVersion = version
      }
      const entry = take(key)
      // If the clock was set back, the age is unknown.
      if (entry === undefined || now() < entry.atMs || now() - entry.atMs >= ttlMs) return null
      entries.set(key, entry)
      size += entry.size
      return entry.value
    },
    /** `version` was read before the value was computed: a write in between makes the value stale. */
    store(key: string, version: string, result: Sized<T>): void {
      if (version !== knownVersion || result.size > maxSize) return
      take(key)
      entries.set(key, { ...result, atMs: now() })
      size += result.size
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && size <= maxSize) break
        take(oldest)
      }
    },
  }
}

/** Rough estimates. */
const BYTES_OF_VALUE = 8
const BYTES_OF_OBJECT = 32
const BYTES_OF_CHARACTER = 2

/** Freezes plain data deeply, so that no caller can change a shared answer; returns its approximate size in bytes. */
export function freeze(data: unknown): number {
  let bytes = 0
  // Not recursive: metadata may be nested deeper than the call stack.
  const left = [data]
  while (left.length > 0) {
    const value = left.pop()
    bytes += BYTES_OF_VALUE
    if (typeof value === 'string') bytes += value.length * BYTES_OF_CHARACTER
    if (typeof value !== 'object' || value === null) continue
    Object.freeze(value)
    bytes += BYTES_OF_OBJECT
    for (const part of Object.values(value)) left.push(part)
  }
  return bytes
}
