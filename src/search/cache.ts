/** Caches answers: an equal search is answered from memory until anyone writes to the file. */

import type { SearchAnswer } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { SearchRequest } from '../schemas/search-request.js'
import type { SearchState } from '../storage/storage.js'

export type CacheOptions = {
  /** How many answers are cached; 0 caches none. Default: 256. */
  readonly entries?: number
  /** How long an answer stays: salience, confidence and recency fade meanwhile. Default: 60000. */
  readonly ttlMs?: number
}

export const ENTRIES = 256
export const TTL_MS = 60_000
const PASSING: ReadonlySet<string | undefined> = new Set([
  'embedder_unavailable',
  'reranker_unavailable',
  'too_expensive',
])
const MAX_BYTES = 32 * 1024 * 1024

type CacheableSearch = {
  readonly request: SearchRequest
  readonly filter: Filter
  readonly elapsedMs: () => number
  /** Read before the search: an answer that a write overtook is stored under an old version and never given again. */
  readonly state: Promise<SearchState>
}

export type AnswerFromCache = (
  asked: CacheableSearch,
  search: (state: SearchState) => Promise<SearchAnswer>,
) => Promise<SearchAnswer>

/** Callers may share it: the filter names the namespace that one is pinned to, and is part of the key. */
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
    // A model that could not be reached, or a busy machine, may do better the next time.
    if (!PASSING.has(answer.degraded?.reason)) {
      results.store(key, version, { value: answer, size: freeze(answer) + freeze(key) })
    }
    return answer
  }
}

/**
 * All that an answer depends on besides the file: with defaults filled in, lenses, ids and dates resolved. The session
 * of a recall does not change what is found, and the time to live limits how far things have faded.
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

/** An LRU cache of one version of the file. A limit of zero caches nothing. */
export function createResultCache<T>({ maxEntries, maxSize, ttlMs, now }: ResultCacheLimits) {
  // A Map keeps the order of insertion, which makes it an LRU: asking again moves an entry to the end.
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
      // A clock that was set back says nothing about an age.
      if (entry === undefined || now() < entry.atMs || now() - entry.atMs >= ttlMs) return null
      entries.set(key, entry)
      size += entry.size
      return entry.value
    },
    /** `version` is the one from before the value was computed: a write in between makes it useless. */
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

/** Roughly: of each field or item, of an object or a list itself, and of text. */
const BYTES_OF_VALUE = 8
const BYTES_OF_OBJECT = 32
const BYTES_OF_CHARACTER = 2

/** Freezes plain data at every depth, so that no caller can change a shared answer; returns about how many bytes it takes. */
export function freeze(data: unknown): number {
  let bytes = 0
  // A stack of its own: metadata may be nested deeper than the call stack.
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
