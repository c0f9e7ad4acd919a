/** Reranks the first hits of an answer with the relevances that a reranker gives to their best passages. */

import type { Degradation, Explanation, Hit, SearchAnswer } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import { listAt, valueAt } from '../core/json-fields.js'
import { parseQuery } from '../query/parse.js'
import { toPlainText } from '../query/terms.js'
import type { SearchRequest } from '../schemas/search-request.js'
import { liftCorrections } from './corrections.js'
import { leaf, product, sum } from './explain.js'

/** This many of the best hits are reranked together; later hits keep their order. */
export const RERANK_DEPTH = 30
/** The share of the relevance in the new score; the rest is the old score. Chosen by hand, not measured. */
export const RERANKER_SHARE = 0.7
/** A cross-encoder reads about this much. */
export const MAX_PASSAGE_CHARS = 2000

/** 0..1 for each passage, null for a passage without a rating; or the reason of a failure. */
export type Relevances =
  | { readonly kind: 'rated'; readonly relevances: readonly (number | null)[] }
  | { readonly kind: 'failed'; readonly message: string }

export type Reranker = (query: string, passages: readonly string[]) => Promise<Relevances>

/** Searches for all hits to rerank, reranks them, and cuts out the page. If the reranker fails, the order stays. */
export async function searchReranked(
  request: SearchRequest,
  search: (request: SearchRequest) => Promise<SearchAnswer>,
  rerank: Reranker,
): Promise<SearchAnswer> {
  const { offset, limit, explain } = request
  if (offset >= RERANK_DEPTH || request.sort !== 'relevance') return search(request)
  const window = Math.max(RERANK_DEPTH, offset + limit)
  const answer = await search({ ...request, offset: 0, limit: window, explain: true })
  const { query, total } = answer
  const first = answer.hits.slice(0, RERANK_DEPTH).filter(({ weak }) => !weak)
  const text = toPlainText(parseQuery(query.searchedFor ?? query.text).root)
  const isAsked = text !== '' && first.length > 0
  const rated = isAsked ? await rerank(text, first.map(choosePassage)) : null
  const best = rated?.kind === 'rated' ? rerankHits(first, rated.relevances) : first
  // Weak hits follow the last hit, on its page.
  const rest = answer.hits
    .slice(first.length)
    .filter(({ weak }) => !weak || offset === 0 || offset < total.value)
  const hits = [...best, ...rest].slice(offset, offset + limit)
  return {
    ...answer,
    query: { ...query, rankedBy: explain ? query.rankedBy : null },
    degraded: rated?.kind === 'failed' ? describeFailure(answer, rated.message) : answer.degraded,
    hits: explain ? hits : hits.map((hit) => ({ ...hit, explanation: null })),
  }
}

function describeFailure({ degraded }: SearchAnswer, message: string): Degradation {
  const before = degraded === null ? '' : `${degraded.message} `
  return { reason: 'reranker_unavailable', message: `${before}${message}` }
}

/** The title, the snippet if it is elsewhere, and the chunk nearest to the query, or the text from the match on. */
function choosePassage({ title, snippet, chunks, record }: Hit): string {
  const [nearest] = chunks
  const from = snippet?.start ?? 0
  const isElsewhere = nearest && (from < nearest.start || from >= nearest.end)
  const matched = snippet && isElsewhere ? record.body.slice(from, snippet.end) : null
  const parts = [title, matched, nearest?.text ?? record.body.slice(from)]
  return parts.filter(Boolean).join('\n').trim().slice(0, MAX_PASSAGE_CHARS)
}

/**
 * lowest + (1 − lowest) · (.3 · old score + .7 · relevance), so that no later hit has a higher score.
 * By hand: the lowest score .4, a hit of .6 with relevance .9 → .4 + .6 · (.18 + .63) = .886.
 */
export function explainReranked(
  before: Explanation,
  relevance: number | null,
  lowest: number,
): Explanation {
  const rating =
    relevance === null ? leaf('not rated: as before', before.score) : leaf('relevance', relevance)
  const both = sum('both', [
    product('ranking', [leaf('share', 1 - RERANKER_SHARE), before]),
    product('reranker', [leaf('share', RERANKER_SHARE), rating]),
  ])
  return sum('reranked', [
    leaf(`lowest of the first ${RERANK_DEPTH}`, lowest),
    product('above it', [leaf('range', 1 - lowest), both]),
  ])
}

/** Best first. Ties keep their order, and a correction stays above the record it corrects. */
function rerankHits(hits: readonly Hit[], relevances: readonly (number | null)[]): readonly Hit[] {
  const lowest = Math.min(...hits.map(({ score }) => score))
  const ranked = hits
    .map((hit, i) => {
      const before = hit.explanation ?? leaf('score', hit.score)
      return { ...hit, explanation: explainReranked(before, relevances[i] ?? null, lowest) }
    })
    .sort((a, b) => b.explanation.score - a.explanation.score)
  const lifted = liftCorrections(ranked, followCorrections(hits), () => null)
  return lifted.map((hit) => ({ ...hit, score: hit.explanation.score }))
}

/** For each hit, the chain of records that supersede it, the newest last. */
function followCorrections(hits: readonly Hit[]): ReadonlyMap<RecordId, readonly RecordId[]> {
  const next = new Map(hits.map(({ id, supersededBy }) => [id, supersededBy?.id]))
  const follow = (id: RecordId): RecordId[] => {
    const chain = new Set<RecordId>()
    for (let at = next.get(id); at !== undefined && !chain.has(at); at = next.get(at)) chain.add(at)
    return [...chain]
  }
  return new Map(hits.map(({ id }) => [id, follow(id)]))
}

/** The JSON schema of a language model's reply. */
export const RATINGS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['ratings'],
  properties: {
    ratings: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['passage', 'relevance'],
        properties: { passage: { type: 'integer' }, relevance: { type: 'integer' } },
      },
    },
  },
}

const BEST_RATING = 10

/**
 * Reads the ratings of passages 1 to `count` as 0..1. Ignores unknown passages, second ratings of a passage, and ratings
 * outside 0 to 10; null if no rating is left.
 */
export function readRatings(reply: unknown, count: number): (number | null)[] | null {
  const relevances = Array.from({ length: count }, (): number | null => null)
  for (const rating of listAt(reply, 'ratings')) {
    const [passage, relevance] = ['passage', 'relevance'].map((key) => valueAt(rating, key))
    if (typeof relevance !== 'number' || !(relevance >= 0 && relevance <= BEST_RATING)) continue
    const at = Number.isInteger(passage) ? (passage as number) - 1 : -1
    if (relevances[at] === null) relevances[at] = relevance / BEST_RATING
  }
  return relevances.some((relevance) => relevance !== null) ? relevances : null
}
