/** Checks and runs searches, and queues the recall of an answer that was asked for in a session. */

import type { SearchAnswer, SimilarAnswer } from '../core/answer.js'
import { badInput, CairnError } from '../core/errors.js'
import { omitUndefined } from '../core/json-fields.js'
import type { Log } from '../core/log.js'
import { check } from '../schemas/check.js'
import { resolveNames } from '../schemas/names.js'
import { type SearchInput, type SearchRequest, searchRequest } from '../schemas/search-request.js'
import { gatherByVector } from '../search/candidates.js'
import { plainMarker } from '../search/marks.js'
import { loadHits } from '../search/page.js'
import type { QueryEmbedder } from '../search/plan.js'
import { explainFound } from '../search/ranking.js'
import { search as runSearch } from '../search/search.js'
import { createStageTimer, type Stages } from '../search/stages.js'
import type { SearchState } from '../storage/storage.js'
import type { Lenses } from './lenses.js'
import type { Context } from './scope.js'
import type { Sessions } from './sessions.js'

/** A text and options, or options alone. */
export type SearchArguments =
  | [query: string, options?: SearchInput | undefined]
  | [options: SearchInput]

/** Also a text, a project and a limit. */
export type DocumentArguments =
  | SearchArguments
  | [query: string, project?: string | null | undefined, limit?: number | undefined]

export type Searches = ReturnType<typeof createSearch>

export function createSearch(
  context: Context,
  { sessions, lenses }: { readonly sessions: Sessions; readonly lenses: Lenses },
) {
  const { storage, indexer, scope, recalls, log, now, timer, decay } = context
  const { defaults, answerFromCache, timeLimitMs, loadReranking } = context

  const searchReranked = async (
    request: SearchRequest,
    run: (request: SearchRequest) => Promise<SearchAnswer>,
    elapsedMs: () => number,
  ): Promise<SearchAnswer> => {
    const reranking = await loadReranking()
    const leftMs = () => (timeLimitMs ? timeLimitMs - elapsedMs() : null)
    return { ...(await reranking.search(request, run, leftMs)), tookMs: elapsedMs() }
  }

  const search = async (...asked: SearchArguments): Promise<SearchAnswer> => {
    const given = resolveNames(searchRequest, readArguments(asked))
    const startMs = timer()
    const elapsedMs = () => timer() - startMs
    const state = storage.state(scope.pinnedNamespace)
    // It is awaited below; another error may come before.
    state.catch(() => {})
    const request = check(searchRequest, await lenses.apply(given), now())
    const { recallSession } = request
    const [session, filter] = await Promise.all([
      recallSession === undefined ? null : sessions.locate(recallSession),
      scope.filter(request),
    ])
    const stageTimer = createStageTimer(timer)
    const { stages, measure } = stageTimer
    const found = await answerFromCache({ request, filter, elapsedMs, state }, (first) => {
      let known: SearchState | null = first
      const embedAndMeasure: QueryEmbedder = async (...asked) => {
        known ??= await storage.state(scope.pinnedNamespace)
        const current = known
        const embedded = await measure('embedding', () => indexer.embedQuery(...asked, current))
        if (embedded.kind === 'vector') stages.model = embedded.model.id
        return embedded
      }
      return searchWithModel(embedAndMeasure, (embedQuery) => {
        const context = { storage, embedQuery, elapsedMs, stageTimer, now, decay, timeLimitMs }
        const run = (asked: SearchRequest) => runSearch(context, asked, filter)
        const answer =
          request.rerank === 'off' ? run(request) : searchReranked(request, run, elapsedMs)
        // The next attempt may be with another model.
        answer.catch(() => {
          known = null
        })
        return answer
      })
    })
    const lens = given.lens ?? defaults.lens ?? found.query.lens
    // The cache is emptied by every write, also to namespaces that a pinned caller must not know of.
    const cached = found.cached && scope.pinnedNamespace === null
    const answer = { ...found, cached, query: { ...found.query, lens } }
    logSearch(log, request, { answer: found, stages })
    if (session !== null) {
      const hits = answer.hits.filter(({ weak }) => !weak)
      recalls.add(session, given, { ...answer, hits })
    }
    return answer
  }

  return {
    search,
    limited: <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
      storage.limited({ timeLimitMs, signal }, work),

    searchDocuments: async (...asked: DocumentArguments): Promise<SearchAnswer> => {
      const [query, project, limit] = asked
      const namespaces = typeof project === 'string' ? [project] : undefined
      const isPositional = namespaces !== undefined || limit !== undefined
      const given =
        typeof query === 'string' && isPositional
          ? { query, ...omitUndefined({ namespaces, limit }) }
          : readArguments(asked as SearchArguments)
      return search({ ...given, kinds: 'document', includeDocuments: true })
    },

    async recall(session: string, answer: SearchAnswer, request: SearchInput = {}): Promise<void> {
      recalls.add(await sessions.locate(session), request, answer)
    },

    async similar(id: string, input: SearchInput = {}): Promise<SimilarAnswer> {
      const startMs = timer()
      const request = check(searchRequest, input, now())
      const record = await scope.findOne(id)
      const model = await storage.vectors.active()
      const vector = model && (await storage.vectors.getVector(model.id, record.id))
      if (!model || !vector) {
        throw new CairnError('not_found', {
          message: `The record "${id}" has no vectors yet.`,
          hint: '`cairn embed` makes them; a text without a word that the model knows never has any.',
        })
      }
      const filter = await scope.filter(request)
      const { limit, offset } = request
      const { found, hits } = await storage.snapshot(async (snapshot) => {
        const found = await gatherByVector(snapshot, {
          model,
          vector,
          minSimilarity: request.threshold ?? defaults.threshold ?? model.floor,
          limit: offset + limit,
          filter,
          fields: null,
          required: null,
          unwanted: null,
          exclude: [record.id],
        })
        const hits = await loadHits(snapshot, found.records.slice(offset).map(explainFound), {
          request,
          marker: plainMarker,
          words: 0,
          now: now(),
          pinnedNamespace: scope.pinnedNamespace,
        })
        return { found, hits }
      })
      const total = { value: found.total, exact: found.isExact }
      return { of: record.id, model: model.id, total, tookMs: timer() - startMs, hits }
    },
  }
}

function logSearch(
  log: Log,
  request: SearchRequest,
  { answer, stages }: { readonly answer: SearchAnswer; readonly stages: Stages },
): void {
  log('info', 'search', {
    queryChars: request.query.length,
    mode: request.mode,
    hits: answer.hits.length,
    total: answer.total.value,
    cached: answer.cached,
    ms: roundMs(answer.tookMs),
  })
  log('debug', 'search.text', { query: request.query })
  const { model, ...times } = stages
  const rounded = Object.entries(times).map(([stage, ms]) => [stage, roundMs(ms)])
  log('debug', 'search.stages', { model, cached: answer.cached, ...Object.fromEntries(rounded) })
}

function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100
}

const MAX_TRIES = 3

/**
 * Searches again with the model that is active then, if a model is removed during a search. If no model stays, the
 * search uses keywords alone and says so.
 */
export async function searchWithModel(
  embedQuery: QueryEmbedder,
  search: (embedQuery: QueryEmbedder) => Promise<SearchAnswer>,
): Promise<SearchAnswer> {
  let message = ''
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      return await search(embedQuery)
    } catch (error) {
      // A model that cannot be reached is no error of a search; one that storage no longer knows is.
      if (!(error instanceof CairnError) || error.code !== 'embedder_unavailable') throw error
      message = error.message
    }
  }
  const reason = 'embedder_unavailable'
  const degraded = { reason, message: `${message} These are matches by words.` }
  return search(async () => ({ kind: 'none', degraded }))
}

function readArguments([first, second]: SearchArguments): SearchInput {
  if (typeof first === 'string') return { ...second, query: first }
  if (second === undefined && typeof first === 'object' && first !== null) return first
  throw badInput(
    'search takes a text and options, or one object.',
    "Write search('words', { limit: 5 }) or search({ query: 'words', limit: 5 }).",
  )
}
