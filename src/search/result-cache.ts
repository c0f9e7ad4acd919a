/** What is given back was kept under this key and this version, and not too long ago; its memory is bounded. */

export type ResultCacheLimits = {
  readonly maxEntries: number
  /** Of all values together, in the unit that they are kept with. */
  readonly maxSize: number
  readonly ttlMs: number
  readonly now: () => number
}

export type ResultCache<T> = {
  /** Everything of another version than this is forgotten. */
  find(key: string, version: string): T | null
  /** `version` is the one that was found before the value was computed: a write in between makes it useless. */
  keep(key: string, version: string, kept: { readonly value: T; readonly size: number }): void
}

type Entry<T> = { readonly value: T; readonly size: number; readonly atMs: number }

/** The least recently asked goes first. A limit of zero keeps nothing. */
export function createResultCache<T>(limits: ResultCacheLimits): ResultCache<T> {
  const { maxEntries, maxSize, ttlMs, now } = limits
  // A Map keeps the order of insertion, which makes it an LRU: asking again moves an entry to the end.
  const entries = new Map<string, Entry<T>>()
  let size = 0
  let knownVersion: string | null = null

  const take = (key: string): Entry<T> | undefined => {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    entries.delete(key)
    size -= entry.size
    return entry
  }
  const put = (key: string, entry: Entry<T>): void => {
    entries.set(key, entry)
    size += entry.size
  }
  /** A clock that was set back says nothing about an age. */
  const isFresh = ({ atMs }: Entry<T>): boolean => now() >= atMs && now() - atMs < ttlMs

  return {
    find(key, version) {
      if (version !== knownVersion) {
        entries.clear()
        size = 0
        knownVersion = version
      }
      const entry = take(key)
      if (entry === undefined || !isFresh(entry)) return null
      put(key, entry)
      return entry.value
    },
    keep(key, version, kept) {
      if (version !== knownVersion || kept.size > maxSize) return
      take(key)
      put(key, { ...kept, atMs: now() })
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && size <= maxSize) break
        take(oldest)
      }
    },
  }
}
