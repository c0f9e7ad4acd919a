/** Opens rerankers, caches their scores of pairs, and limits their time. */

import { createHash } from 'node:crypto'
import type { SearchAnswer } from '../core/answer.js'
import { rejectOnAbort } from '../core/http-client.js'
import type { CrossEncoder } from '../embedding/onnx/cross-encoder.js'
import type { SearchRequest } from '../schemas/search-request.js'
import { RATINGS_SCHEMA, type Relevances, readRatings, searchReranked } from '../search/rerank.js'
import { type Chat, completeJson, explainFailure } from './chat.js'

/** The time limit of a reranker in a search without a limit. */
export const RERANK_LIMIT_MS = 30_000
/** A language model reads 30 of them in one prompt. */
const MAX_RATED_CHARS = 800
/** Of 30 pairs each: the last hundred searches. */
const CACHED_PAIRS = 3000

type Pairs = { readonly query: string; readonly passages: readonly string[] }

/** 0..1 for each passage, null for one that was not rated. */
type Scores = readonly (number | null)[]

export type Reranking = ReturnType<typeof createReranking>

export function createReranking(chat: Chat | null) {
  const encoders = new Map<string, Promise<CrossEncoder>>()
  const scores = new Map<string, number>()

  const openEncoder = (path: string): Promise<CrossEncoder> => {
    const known = encoders.get(path)
    if (known !== undefined) return known
    const opening = import('../embedding/onnx/cross-encoder.js').then(({ openCrossEncoder }) =>
      openCrossEncoder(path),
    )
    encoders.set(path, opening)
    // A model that could not be opened may be available the next time.
    opening.catch(() => encoders.delete(path))
    return opening
  }

  const judge = async (name: string, asked: Pairs, limitMs: number): Promise<Scores> => {
    if (name === 'llm') return ratePassages(chat, asked, limitMs)
    const signal = AbortSignal.timeout(limitMs)
    const scored = openEncoder(name.slice('onnx:'.length)).then((encoder) =>
      encoder.score(asked.query, asked.passages, signal),
    )
    // Loading a model cannot be stopped: it goes on for the next search.
    return Promise.race([scored, rejectOnAbort(signal)])
  }

  const judgeUnknown = async (
    name: string,
    { query, passages }: Pairs,
    limitMs: number,
  ): Promise<Scores> => {
    const keys = passages.map((passage) => toKey([name, query, passage]))
    const known = keys.map((key) => scores.get(key) ?? null)
    const unknown = passages.filter((_, i) => known[i] === null)
    const judged =
      unknown.length === 0 ? [] : await judge(name, { query, passages: unknown }, limitMs)
    let next = 0
    const all = known.map((score) => score ?? judged[next++] ?? null)
    for (const [i, key] of keys.entries()) {
      const score = all[i] ?? null
      scores.delete(key)
      if (score !== null) scores.set(key, score)
    }
    for (const oldest of scores.keys()) {
      if (scores.size <= CACHED_PAIRS) break
      scores.delete(oldest)
    }
    return all
  }

  /** Never throws: the failure or delay of a reranker becomes a message. */
  const rerank = async (name: string, asked: Pairs, leftMs: number | null): Promise<Relevances> => {
    const limitMs = Math.max(1, Math.ceil(leftMs ?? RERANK_LIMIT_MS))
    try {
      return { kind: 'rated', relevances: await judgeUnknown(name, asked, limitMs) }
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      const reason = isLate ? `The reranker took longer than ${limitMs} ms.` : explainFailure(error)
      return { kind: 'failed', message: `${reason} The hits are ranked without it.` }
    }
  }

  return {
    /** `leftMs` is the remaining time of this search; null if it has no limit. */
    search: (
      request: SearchRequest,
      run: (request: SearchRequest) => Promise<SearchAnswer>,
      leftMs: () => number | null,
    ): Promise<SearchAnswer> =>
      searchReranked(request, run, (query, passages) =>
        rerank(request.rerank, { query, passages }, leftMs()),
      ),

    /** Fails if the reranker does. */
    probe: (name: string): Promise<Scores> =>
      judge(name, { query: 'ready', passages: ['ready'] }, RERANK_LIMIT_MS),

    async close(): Promise<void> {
      for (const encoder of encoders.values()) {
        await encoder.then((opened) => opened.close()).catch(() => {})
      }
      encoders.clear()
    },
  }
}

function ratePassages(chat: Chat | null, { query, passages }: Pairs, limitMs: number) {
  const cut = passages.map((text) => text.slice(0, MAX_RATED_CHARS))
  const texts = {
    query: { label: 'query', of: query },
    passages: { label: 'passage', of: cut },
  }
  const values = { count: passages.length }
  const asked = { prompt: 'rerank', values, texts, schema: RATINGS_SCHEMA, limitMs }
  return completeJson(chat, asked, (reply) => readRatings(reply, passages.length))
}

function toKey(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
