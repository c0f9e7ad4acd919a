/** Opens the rerankers that searches ask for, remembers what they said of a pair, and limits their time. */

import { createHash } from 'node:crypto'
import type { SearchAnswer } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import type { SearchRequest } from '../schemas/search-request.js'
import { type Relevances, searchReranked } from '../search/rerank.js'

/** A reranker has at most so long, also where a search has no limit. */
export const RERANK_LIMIT_MS = 15_000
/** Of 30 pairs each: the last hundred searches. */
const CACHED_PAIRS = 3000

/** A model that judges passages: 0..1 each, null for one that it did not rate. */
type PairScorer = {
  readonly id: string
  score(
    query: string,
    passages: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (number | null)[]>
  close(): Promise<void>
}

type Pairs = { readonly query: string; readonly passages: readonly string[] }

export type Reranking = ReturnType<typeof createReranking>

export function createReranking() {
  const opened = new Map<string, Promise<PairScorer>>()
  const scores = new Map<string, number>()

  const open = (name: string): Promise<PairScorer> => {
    const known = opened.get(name)
    if (known !== undefined) return known
    const opening = openScorer(name)
    opened.set(name, opening)
    // A model that could not be opened may be available the next time.
    opening.catch(() => opened.delete(name))
    return opening
  }

  const score = async (
    scorer: PairScorer,
    { query, passages }: Pairs,
    signal: AbortSignal,
  ): Promise<(number | null)[]> => {
    const keys = passages.map((passage) => toKey([scorer.id, query, passage]))
    const unknown = passages.filter((_, i) => !scores.has(keys[i] ?? ''))
    const made = unknown.length === 0 ? [] : await scorer.score(query, unknown, signal)
    let next = 0
    const all = keys.map((key) => scores.get(key) ?? made[next++] ?? null)
    for (const [i, key] of keys.entries()) {
      const value = all[i] ?? null
      scores.delete(key)
      if (value !== null) scores.set(key, value)
    }
    for (const oldest of scores.keys()) {
      if (scores.size <= CACHED_PAIRS) break
      scores.delete(oldest)
    }
    return all
  }

  /** Never throws: a reranker that fails or is too slow is told in a message. */
  const rerank = async (name: string, asked: Pairs, limitMs: number): Promise<Relevances> => {
    const ms = Math.max(0, Math.ceil(Math.min(limitMs, RERANK_LIMIT_MS)))
    const signal = AbortSignal.timeout(ms)
    try {
      const scored = open(name).then((scorer) => score(scorer, asked, signal))
      return { kind: 'rated', relevances: await Promise.race([scored, rejectOnAbort(signal)]) }
    } catch (error) {
      const reason = signal.aborted
        ? `The reranker "${name}" took longer than ${ms} ms.`
        : explain(error)
      return { kind: 'failed', message: `${reason} The hits are ranked without it.` }
    }
  }

  return {
    /** `leftMs`: how much of the time of this search is left. */
    search: (
      request: SearchRequest,
      run: (request: SearchRequest) => Promise<SearchAnswer>,
      leftMs: () => number,
    ): Promise<SearchAnswer> =>
      searchReranked(request, run, (query, passages) =>
        rerank(request.rerank, { query, passages }, leftMs()),
      ),

    async close(): Promise<void> {
      for (const scorer of opened.values()) {
        await scorer.then((one) => one.close()).catch(() => {})
      }
      opened.clear()
    },
  }
}

/** Loads only the code of that model. */
async function openScorer(name: string): Promise<PairScorer> {
  const { openCrossEncoder } = await import('../embedding/onnx/cross-encoder.js')
  return openCrossEncoder(name.slice('onnx:'.length))
}

function toKey(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

function explain(error: unknown): string {
  const hint = error instanceof CairnError && error.hint !== null ? ` ${error.hint}` : ''
  return `${error instanceof Error ? error.message : String(error)}${hint}`
}
