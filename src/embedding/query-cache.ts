/** A question asked again is not embedded again, and the memory this takes is bounded. */

import type { Embedder } from './embedder.js'

export const CACHED_QUERIES = 256
/** A longer query is a pasted document: it will not come again, and would crowd out those that do. */
const LONGEST_CACHED = 1_000

/** The same embedder with a memory for query vectors; the least recently asked goes first. */
export function cacheQueries(embedder: Embedder, maxEntries = CACHED_QUERIES): Embedder {
  // A Map keeps the order of insertion, which makes it an LRU: asking again moves an entry to the end.
  const cache = new Map<string, Float32Array>()

  function recall(text: string): Float32Array | null {
    const vector = cache.get(text)
    if (vector === undefined) return null
    cache.delete(text)
    cache.set(text, vector)
    return vector
  }

  function remember(text: string, vector: Float32Array): void {
    if (text.length > LONGEST_CACHED) return
    cache.delete(text)
    cache.set(text, vector)
    for (const oldest of cache.keys()) {
      if (cache.size <= maxEntries) break
      cache.delete(oldest)
    }
  }

  return {
    model: embedder.model,
    countTokens: (text) => embedder.countTokens(text),
    prepare: (text) => embedder.prepare?.(text) ?? null,
    async embed(texts, options) {
      if (options.as === 'passage') return embedder.embed(texts, options)
      const known = new Map(texts.map((text) => [text, recall(text)]))
      const missing = [...known].flatMap(([text, vector]) => (vector === null ? [text] : []))
      if (missing.length > 0) {
        for (const [i, vector] of (await embedder.embed(missing, options)).entries()) {
          const text = missing[i] ?? ''
          known.set(text, vector)
          remember(text, vector)
        }
      }
      // Copies: a caller that writes into its vector must not change the next answer.
      return texts.map((text) => known.get(text)?.slice() ?? new Float32Array(0))
    },
    async close() {
      cache.clear()
      await embedder.close()
    },
  }
}
