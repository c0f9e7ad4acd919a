/** From a question or a work to what it cites and what cites it, offline, each with the way it was reached. */

import type { Degradation, SearchAnswer } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type {
  CitationEdge,
  CitationGraph,
  Direction,
  Exploration,
  Scored,
  Step,
} from '../literature/explore.js'
import { explore } from '../literature/explore.js'
import { check } from '../schemas/check.js'
import type { SearchInput } from '../schemas/search-request.js'
import * as requests from '../schemas/work-requests.js'
import type { Storage } from '../storage/storage.js'
import type { ModelInfo } from '../storage/vectors.js'
import { noWork, type StoredWork } from './find-works.js'
import { ONLINE_FRONTIER, type Online } from './openalex.js'
import type { Scope } from './scope.js'
import { toCited } from './works.js'

/** How many hits of a search an exploration starts from. */
export const START_WORKS = 10

export type ExploredNode = {
  readonly id: RecordId
  readonly title: string | null
  readonly year: number | null
  /** 0 for a work of the start. */
  readonly hop: number
  /** relevance · 0.7 ^ hop, the best first. */
  readonly score: number
  /** The hybrid score for the question, or the cosine to the work at the start. */
  readonly relevance: number
  /** Every step that led here at its first hop; null for a work of the start. */
  readonly via: readonly Step[] | null
}

export type ExploreAnswer = {
  readonly start: { readonly query: string } | { readonly id: RecordId }
  readonly nodes: readonly ExploredNode[]
  /** The citations among these works. */
  readonly edges: readonly CitationEdge[]
  readonly endedBy: Exploration['endedBy']
  /** How many works of the last hop were found and left out because of the cap. */
  readonly leftOut: number
  /** What OpenAlex told on the way; null where it was not asked. */
  readonly online: { readonly created: number } | null
  readonly degraded: Degradation | null
  readonly tookMs: number
}

export type ExploreParts = {
  readonly storage: Storage
  readonly scope: Scope
  readonly timer: () => number
  readonly search: (input: SearchInput) => Promise<SearchAnswer>
  readonly findWork: (text: string) => Promise<StoredWork | null>
  readonly online: Pick<Online, 'fetchAround'>
}

/** How well works fit what is looked for. */
type Relevance = (ids: readonly RecordId[]) => Promise<ReadonlyMap<string, number>>
type Beginning = {
  readonly start: ExploreAnswer['start']
  readonly first: readonly Scored[]
  readonly relevance: Relevance
  readonly degraded: Degradation | null
}

export type Explore = ReturnType<typeof createExplore>

export function createExplore(parts: ExploreParts) {
  const { storage, scope, timer } = parts

  const fromQuery = async (query: string, narrowing: SearchInput): Promise<Beginning> => {
    const asked = { ...narrowing, ...PLAIN, query, kinds: 'work' as const }
    const answer = await parts.search({ ...asked, limit: START_WORKS })
    const first = answer.hits.map(({ id, score }) => ({ id, relevance: score }))
    const anchors = first.map(({ id }) => id)
    /** Scores are shares of the best match by words: with the start among them all hops are measured alike. */
    const relevance: Relevance = async (ids) => {
      const limit = Math.min(ids.length + anchors.length, requests.MAX_WORKS)
      const found = await parts.search({ ...asked, ids: { in: [...anchors, ...ids] }, limit })
      return new Map(found.hits.map(({ id, score }) => [id, score]))
    }
    return { start: { query }, first, relevance, degraded: answer.degraded }
  }

  const fromWork = async (text: string, narrowing: SearchInput): Promise<Beginning> => {
    const record = (await parts.findWork(text))?.record
    if (record === undefined) throw noWork(text)
    const model = await storage.vectors.active()
    const vector = model && (await storage.vectors.vectorOf(model.id, record.id))
    const start = { id: record.id }
    const first = [{ id: record.id, relevance: 1 }]
    if (model && vector) {
      return { start, first, relevance: byVector(storage, model, vector), degraded: null }
    }
    // Without a vector the words of its title say what it is about.
    const { relevance, degraded } = await fromQuery(record.title ?? record.body, narrowing)
    return { start, first, relevance, degraded }
  }

  return async (
    from: requests.ExploreStart,
    input: requests.ExploreInput = {},
  ): Promise<ExploreAnswer> => {
    const startedMs = timer()
    const begin = check(requests.exploreStart, from)
    const request = check(requests.exploreRequest, input)
    const { depth, maxWorks, references, citations, decay, online, lens, ...rest } = request
    const filter = await scope.filter({
      ...rest,
      kinds: ['work'],
      includeDocuments: true,
      ids: undefined,
    })
    const narrowing = narrowingOf(input)
    const beginning =
      'query' in begin
        ? await fromQuery(begin.query, { ...narrowing, lens })
        : await fromWork(begin.id, { ...narrowing, lens })
    const { start, first, relevance } = beginning
    const more = online ? createFetching(parts) : null
    const graph = createGraph(storage, { filter, relevance, fetchMore: more?.fetch ?? null })
    const found = await explore(graph, first, { depth, maxWorks, references, citations, decay })
    const records = await storage.get(found.works.map(({ id }) => id as RecordId))
    const shown = new Map<string, CairnRecord>(records.map((record) => [record.id, record]))
    return {
      start,
      nodes: found.works.flatMap(({ id, ...work }) => {
        const record = shown.get(id)
        return record === undefined ? [] : [{ ...toCited(record), ...work }]
      }),
      edges: found.edges,
      endedBy: found.endedBy,
      leftOut: found.leftOut,
      online: more === null ? null : { created: more.created() },
      degraded: beginning.degraded ?? more?.degraded() ?? null,
      tookMs: timer() - startedMs,
    }
  }
}

const PLAIN = { highlight: false, includeFacts: false } as const

function narrowingOf(input: requests.ExploreInput): SearchInput {
  const { depth: _, maxWorks: _m, references: _r, citations: _c, ...rest } = input
  const { decay: _d, online: _o, ...narrowing } = rest
  return narrowing
}

type FetchMore = (ids: readonly RecordId[], direction: Direction) => Promise<void>

/** Asks OpenAlex for what is around works; once it cannot be reached, what is stored has to do. */
function createFetching({ online, findWork }: ExploreParts) {
  let created = 0
  let degraded: Degradation | null = null
  const fetch: FetchMore = async (ids, direction) => {
    if (degraded !== null) return
    const stored = await Promise.all(ids.slice(0, ONLINE_FRONTIER).map(findWork))
    const works = stored.filter((work) => work !== null)
    const told = await online.fetchAround(works, direction)
    created += told.created
    if (told.failure !== null) {
      const message = `${told.failure.message} The rest comes from what is stored.`
      degraded = { reason: told.failure.code, message }
    }
  }
  return { fetch, created: () => created, degraded: () => degraded }
}

type GraphOptions = {
  readonly filter: Filter
  readonly relevance: Relevance
  readonly fetchMore: FetchMore | null
}

/** The stored citations among works that pass the filter: two statements a hop and direction. */
function createGraph(
  storage: Storage,
  { filter, relevance, fetchMore }: GraphOptions,
): CitationGraph {
  const allowed = new Map<string, boolean>()
  const learn = async (ids: readonly string[]): Promise<void> => {
    const unknown = [...new Set(ids)].filter((id) => !allowed.has(id)) as RecordId[]
    if (unknown.length === 0) return
    const within = { ...filter, idsIn: unknown }
    const page = { limit: unknown.length, offset: 0 }
    const { listed } = await storage.newest(within, null, page)
    const passing = new Set(listed.map(({ id }) => id))
    for (const id of unknown) allowed.set(id, passing.has(id))
  }
  return {
    async neighbours(ids: readonly string[], direction: Direction, purpose) {
      if (purpose === 'expand') await fetchMore?.(ids as readonly RecordId[], direction)
      const edges = await storage.works.citations(ids as readonly RecordId[], direction)
      const far =
        direction === 'references' ? edges.map(({ to }) => to) : edges.map(({ from }) => from)
      await learn(far)
      return edges.filter((_, i) => allowed.get(far[i] ?? '') === true)
    },
    relevance: (ids) => relevance(ids as readonly RecordId[]),
  }
}

/** The cosine of the nearest passage; below zero counts as 0. */
function byVector(storage: Storage, model: ModelInfo, vector: Float32Array): Relevance {
  return async (ids) => {
    const near = await storage.vectors.bestChunks(model.id, vector, ids)
    return new Map(near.map(({ id, similarity }) => [id, Math.max(0, similarity)]))
  }
}
