/** Gathers candidates by words, by vector, or by both. */

import type { MatchType, RankedBy } from '../core/answer.js'
import { getPinnedNamespace, isUnfiltered } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { Relaxation, Step } from '../query/steps.js'
import { extractConstraints, listTerms, pairAdjacentWords, termToNode } from '../query/terms.js'
import type { Node, Query } from '../query/tree.js'
import type { Gathered, GatheredRecord, GatherRequest } from '../storage/search.js'
import type { ListedPage, Storage } from '../storage/storage.js'
import type { NearRecord, NearSearch } from '../storage/vectors.js'
import type { QueryVector, SearchPlan } from './plan.js'

/**
 * Enough for what belongs on the first pages; a later page that needs more takes a multiple of both. With three times as
 * many keyword candidates no first page of the judged sets differs.
 */
export const KEYWORD_CANDIDATES = 100
export const VECTOR_CANDIDATES = 100
/** Of a search by vectors alone: each is loaded, and a page shows ten. */
export const SEMANTIC_CANDIDATES = 40
/** A query is relaxed where it finds fewer than this, whatever the limit: else totals would depend on it. */
export const ENOUGH = 10
/** How many times as many candidates are taken where a page needs more. */
export const DEEPER = 4
/** So many of the best are boosted: records further down do not rise to the first page. */
export const BOOST_REACH = 300
/** Of one list, so many of the best may rise because of their time: no more than are gathered without it. */
export const TIME_REACH = VECTOR_CANDIDATES

export type Found = {
  readonly id: RecordId
  readonly bm25: number | null
  readonly similarity: number | null
  readonly chunk: NearRecord['chunk'] | null
  readonly relaxed: Relaxation
  readonly isSuperseded: boolean
  readonly matchType: MatchType
}

export type FoundCounts = {
  readonly total: number
  readonly superseded: number
  /** False where there may be more than `total`. */
  readonly isExact: boolean
  readonly relaxed: boolean
  /** The widest step that was taken: its words are highlighted. */
  readonly widest: Relaxation
  readonly rankedBy: RankedBy | null
}

/** One list is in its own order, best first; fused candidates are not ranked yet. */
export type Candidates = FoundCounts &
  (
    | { readonly kind: 'list'; readonly records: readonly Found[] }
    | {
        readonly kind: 'both'
        readonly records: readonly GatheredRecord[]
        readonly embedding: QueryVector
        readonly cover: number
      }
  )

type FoundList = Extract<Candidates, { kind: 'list' }>

const NOTHING: FoundList = {
  kind: 'list',
  records: [],
  total: 0,
  superseded: 0,
  isExact: true,
  relaxed: false,
  widest: null,
  rankedBy: null,
}

/** `depth` multiplies the number of candidates of a hybrid search. */
export async function gatherCandidates(
  storage: Storage,
  plan: SearchPlan,
  depth = 1,
): Promise<Candidates> {
  const { embedding, usesWords, request } = plan
  if (embedding !== null && usesWords) return gatherByBoth(storage, { ...plan, embedding }, depth)
  const reach = request.boosts.length > 0 ? BOOST_REACH : plan.time === null ? 0 : TIME_REACH
  const window = Math.max(reach, plan.window)
  if (embedding === null) return gatherByWords(storage, { ...plan, window })
  return gatherByVector(storage, {
    ...embedding,
    limit: window,
    filter: plan.scope,
    fields: plan.fields,
    ...constrainVectors(plan, 'any'),
  })
}

async function gatherByWords(storage: Storage, plan: SearchPlan): Promise<Candidates> {
  const { planned, fields, scope: filter, window, query } = plan
  const page = { limit: window, offset: 0 }
  if (planned.wanted !== null) return relaxUntilEnough(storage, plan)
  if (planned.unwanted !== null) {
    const unwanted = { root: planned.unwanted, fields, filter }
    return listRecords(await storage.newest(filter, unwanted, page))
  }
  const symbols = findSymbols(query)
  if (symbols !== '') return listRecords(await storage.containing(symbols, filter, page))
  if (isUnfiltered(filter)) return NOTHING
  return listRecords(await storage.newest(filter, null, page))
}

/** A text without a word to search, such as `++`, is looked for as it is. */
export function findSymbols({ text, where }: Query): string {
  return where === null ? text.trim() : ''
}

/** Takes the next step only where too little was found so far. */
async function relaxUntilEnough(storage: Storage, plan: SearchPlan): Promise<Candidates> {
  const { planned, fields, scope: filter, window } = plan
  const known = new Map<RecordId, Found>()
  let found = NOTHING
  for (const [i, { root, relaxed }] of planned.steps.entries()) {
    const page = { limit: window + known.size, offset: 0 }
    const next = planned.steps.slice(i + 1).map((step) => step.root)
    const { ranked, ...counts } = await storage.rank({ root, fields, filter, next }, page)
    for (const one of ranked) {
      if (!known.has(one.id)) known.set(one.id, toFound(one, relaxed))
    }
    const isWider = relaxed !== null && counts.total > found.total
    found = { ...found, ...counts, relaxed: found.relaxed || isWider, widest: relaxed }
    // A superseded record may not be shown, so it does not count.
    if (counts.total - counts.superseded >= ENOUGH || storage.isCut()) break
  }
  return { ...found, records: [...known.values()] }
}

function listRecords({ listed, ...counts }: ListedPage): Candidates {
  const records = listed.map((one) => toFound({ ...one, bm25: null }, null))
  return { ...NOTHING, ...counts, records }
}

function toFound(one: Pick<Found, 'id' | 'bm25' | 'isSuperseded'>, relaxed: Relaxation): Found {
  return { ...one, similarity: null, chunk: null, relaxed, matchType: 'keyword' }
}

export type VectorSearch = Omit<NearSearch, 'model' | 'exclude'> &
  Omit<QueryVector, 'weakFloor'> & { readonly exclude?: readonly RecordId[] }

export async function gatherByVector(
  storage: Storage,
  { model, exclude = [], ...search }: VectorSearch,
): Promise<FoundList> {
  // One more tells whether there are more; the number sought does not depend on the page, so neither does the total.
  const most = deepen(SEMANTIC_CANDIDATES, search.limit)
  const limit = most + 1
  const sought = { ...search, model: model.id, limit, ordered: search.limit, exclude }
  const nearest = await storage.vectors.nearest(sought)
  const unmatched = { bm25: null, relaxed: null, matchType: 'semantic' } as const
  const records = nearest.map((record): Found => ({ ...record, ...unmatched }))
  return {
    ...NOTHING,
    records: records.slice(0, search.limit),
    total: records.length,
    superseded: records.filter(({ isSuperseded }) => isSuperseded).length,
    isExact: records.length < limit,
    // Any word of the query is highlighted, whether all of them match or not.
    widest: 'any',
  }
}

/** The first of the sizes `base`, 4 · `base`, 16 · `base` … that is not below `wanted`. */
function deepen(base: number, wanted: number): number {
  let size = base
  while (size < wanted) size *= DEEPER
  return size
}

type HybridPlan = SearchPlan & { readonly embedding: QueryVector }

async function gatherByBoth(
  storage: Storage,
  plan: HybridPlan,
  depth: number,
): Promise<Candidates> {
  const { planned, fields, embedding } = plan
  const gatherStep = (step: Step | undefined): Promise<Gathered> =>
    storage.vectors.gather(describeGathering(plan, step, depth))
  const any = planned.steps.find(({ relaxed }) => relaxed === 'any') ?? planned.steps[0]
  const prefix = planned.steps.find(({ relaxed }) => relaxed === 'prefix')
  let step = any
  let gathered = await gatherStep(any)
  // A word that no record has may still be the beginning of one.
  if (gathered.bestByWords === null && prefix !== undefined && !storage.isCut()) {
    step = prefix
    gathered = await gatherStep(prefix)
  }
  const terms = listTerms(planned.wanted).map((term) => allowNearby(termToNode(term)))
  const { bestByWords, ...found } = gathered
  let cover = 0
  if (bestByWords !== null && terms.length > 0) {
    const scope = { fields, namespace: getPinnedNamespace(plan.filter) }
    const { words, records } = await storage.weigh(terms, scope, bestByWords)
    cover = computeCover(words, records)
  }
  return { ...found, kind: 'both', embedding, cover, relaxed: false, widest: step?.relaxed ?? null }
}

/**
 * The idf mass of the words that the best match has, over that of all words; idf = ln((N + 2) / (df + 1)).
 * A word that occurs nowhere counts in full, so a query of unknown words relies on vectors.
 * By hand, N = 10: a word in 1 record (ln 6 = 1.792) that the best match has, and one in none (ln 12 = 2.485)
 * → 1.792 / 4.277 = 0.419.
 */
export function computeCover(
  words: readonly { readonly records: number; readonly isInBest: boolean }[],
  records: number,
): number {
  let covered = 0
  let all = 0
  for (const word of words) {
    const idf = Math.log((records + 2) / (word.records + 1))
    all += idf
    if (word.isInBest) covered += idf
  }
  return all === 0 ? 0 : covered / all
}

function describeGathering(plan: HybridPlan, step: Step | undefined, depth: number): GatherRequest {
  const { query, fields, scope: filter, embedding } = plan
  const { steps } = plan.planned
  const next = steps.slice(step === undefined ? 0 : steps.indexOf(step) + 1).map(({ root }) => root)
  return {
    words: step === undefined ? null : { root: step.root, fields, filter, next },
    pairs: pairAdjacentWords(query.root),
    model: embedding.model.id,
    vector: embedding.vector,
    floor: embedding.minSimilarity,
    near: { filter, fields, ...constrainVectors(plan, step?.relaxed ?? null) },
    limits: { words: KEYWORD_CANDIDATES * depth, near: VECTOR_CANDIDATES * depth },
    times: { asOfMs: filter.asOfMs, atMs: plan.now },
  }
}

/**
 * What a semantic match has to hold and must not hold. Where all words are required it needs them too, and where a search
 * is limited to fields, one of the words in these fields: a vector knows no fields.
 */
export function constrainVectors(
  { query, planned, fields, usesWords }: SearchPlan,
  taken: Relaxation,
): ReturnType<typeof extractConstraints> {
  const { required, unwanted } = extractConstraints(query.root)
  const bindsWords = fields !== null || (planned.demandsAll && usesWords)
  const step = planned.steps.find(({ relaxed }) => relaxed === taken) ?? planned.steps[0]
  return { required: bindsWords ? (step?.root ?? required) : required, unwanted }
}

/** A bare word also counts where it matches in the neighbouring turns of a session. */
function allowNearby(node: Node): Node {
  return node.kind === 'word' || node.kind === 'prefix' ? { ...node, nearby: true } : node
}
