/** Explores the citations around a query or a work, over the stored graph and, if asked, over OpenAlex. */

import type { Degradation } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import {
  type CitationGraph,
  type Direction,
  type Exploration,
  type ExploredWork,
  explore,
} from '../literature/explore.js'
import { check } from '../schemas/check.js'
import type { SearchInput } from '../schemas/search-request.js'
import * as requests from '../schemas/work-requests.js'
import { ONLINE_FRONTIER, type Online } from './openalex.js'
import type { Context } from './scope.js'
import type { Searches } from './search.js'
import { type CitedWork, noWork, toCited, type Works } from './works.js'

/** How many hits of a search an exploration starts from. */
export const START_WORKS = 10

/** `relevance` is the hybrid score for the query, or the cosine to the work at the start. */
export type ExploredNode = CitedWork & Omit<ExploredWork, 'id'>

export type ExploreAnswer = Omit<Exploration, 'works'> & {
  readonly start: { readonly query: string } | { readonly id: RecordId }
  /** The best score first. */
  readonly nodes: readonly ExploredNode[]
  /** The works that were imported from OpenAlex; null if OpenAlex was not asked. */
  readonly online: { readonly created: number } | null
  readonly degraded: Degradation | null
  readonly tookMs: number
}

type Relevance = (ids: readonly RecordId[]) => Promise<ReadonlyMap<string, number>>
type FetchMore = (ids: readonly RecordId[], direction: Direction) => Promise<void>

export function createExplore(
  { storage, scope, now, timer }: Context,
  { search }: Searches,
  { findWork, online }: { readonly findWork: Works['get']; readonly online: Online },
) {
  const startFromQuery = async (query: string, narrowing: SearchInput) => {
    const plain = { kinds: 'work', highlight: false, includeFacts: false, rerank: 'off' } as const
    const asked = { ...narrowing, ...plain, query }
    const answer = await search({ ...asked, limit: START_WORKS })
    const first = answer.hits.map(({ id, score }) => ({ id, relevance: score }))
    const anchors = first.map(({ id }) => id)
    // Scores are relative to the best keyword match: with the start among the ids, all hops use one scale.
    const relevance: Relevance = async (ids) => {
      const limit = Math.min(ids.length + anchors.length, requests.MAX_WORKS)
      const found = await search({ ...asked, ids: { in: [...anchors, ...ids] }, limit })
      return new Map(found.hits.map(({ id, score }) => [id, score]))
    }
    return { start: { query }, first, relevance, degraded: answer.degraded }
  }

  const startFromWork = async (text: string, narrowing: SearchInput) => {
    const record = (await findWork(text))?.record
    if (record === undefined) throw noWork(text)
    const start = { id: record.id }
    const first = [{ id: record.id, relevance: 1 }]
    const model = await storage.vectors.active()
    const vector = model && (await storage.vectors.getVector(model.id, record.id))
    if (model && vector) {
      const relevance: Relevance = async (ids) => {
        const nearest = await storage.vectors.bestChunks(model.id, vector, ids)
        return new Map(nearest.map(({ id, similarity }) => [id, Math.max(0, similarity)]))
      }
      return { start, first, relevance, degraded: null }
    }
    // Without a vector the title is the query.
    const byTitle = await startFromQuery(record.title ?? record.body, narrowing)
    return { ...byTitle, start, first }
  }

  /** Fetches neighbours from OpenAlex. After the first failure, only the stored graph is used. */
  const createFetching = () => {
    let created = 0
    let degraded: Degradation | null = null
    const fetch: FetchMore = async (ids, direction) => {
      if (degraded !== null) return
      const found = await Promise.all(ids.slice(0, ONLINE_FRONTIER).map(findWork))
      const stored = found.filter((work) => work !== null)
      const { failure, ...fetched } = await online.fetchAround(stored, direction)
      created += fetched.created
      if (failure === null) return
      const message = `${failure.message} The rest comes from what is stored.`
      degraded = { reason: failure.code, message }
    }
    return { fetch, created: () => created, degraded: () => degraded }
  }

  /** The stored citations among works that pass the filter: two statements a hop and direction. */
  const createGraph = (
    filter: Filter,
    relevance: Relevance,
    fetchMore: FetchMore | undefined,
  ): CitationGraph => {
    const isAllowed = new Map<string, boolean>()
    const checkFilter = async (ids: readonly RecordId[]): Promise<void> => {
      const idsIn = [...new Set(ids)].filter((id) => !isAllowed.has(id))
      if (idsIn.length === 0) return
      const page = { limit: idsIn.length, offset: 0 }
      const { listed } = await storage.newest({ ...filter, idsIn }, null, page)
      const passing = new Set(listed.map(({ id }) => id))
      for (const id of idsIn) isAllowed.set(id, passing.has(id))
    }
    return {
      async neighbours(given, direction, purpose) {
        const ids = given as readonly RecordId[]
        if (purpose === 'expand') await fetchMore?.(ids, direction)
        const edges = await storage.works.citations(ids, direction)
        const farEnd = direction === 'references' ? 'to' : 'from'
        await checkFilter(edges.map((edge) => edge[farEnd]))
        return edges.filter((edge) => isAllowed.get(edge[farEnd]))
      },
      relevance: (ids) => relevance(ids as readonly RecordId[]),
    }
  }

  return async (
    from: requests.ExploreStart,
    input: requests.ExploreInput = {},
  ): Promise<ExploreAnswer> => {
    const startMs = timer()
    const given = check(requests.exploreStart, from)
    const request = check(requests.exploreRequest, input, now())
    const { depth, maxWorks, references, citations, decay, online: isOnline, ...rest } = request
    const kinds = { kinds: ['work' as const], includeDocuments: true, ids: undefined }
    const filter = await scope.filter({ ...rest, ...kinds })
    const narrowing = { ...narrowingOf(input), lens: request.lens }
    const { start, first, relevance, degraded } =
      'query' in given
        ? await startFromQuery(given.query, narrowing)
        : await startFromWork(given.id, narrowing)
    const fetching = isOnline ? createFetching() : null
    const graph = createGraph(filter, relevance, fetching?.fetch)
    const steps = { depth, maxWorks, references, citations, decay }
    const { works, ...reached } = await explore(graph, first, steps)
    const records = await storage.get(works.map(({ id }) => id as RecordId))
    const byId = new Map<string, CairnRecord>(records.map((record) => [record.id, record]))
    return {
      start,
      nodes: works.flatMap(({ id, ...work }) => {
        const record = byId.get(id)
        return record === undefined ? [] : [{ ...toCited(record), ...work }]
      }),
      ...reached,
      online: fetching === null ? null : { created: fetching.created() },
      degraded: degraded ?? fetching?.degraded() ?? null,
      tookMs: timer() - startMs,
    }
  }
}

function narrowingOf(input: requests.ExploreInput): SearchInput {
  const { depth: _, maxWorks: _m, references: _r, citations: _c, ...rest } = input
  const { decay: _d, online: _o, ...narrowing } = rest
  return narrowing
}
