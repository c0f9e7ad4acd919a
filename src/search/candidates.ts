/** Gathers candidates by keywords, by vector, or by both. */

import type { MatchType, RankedBy } from '../core/answer.js'
import { type Filter, getPinnedNamespace, isUnfiltered } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { PlannedQuery, Relaxation, Step } from '../query/steps.js'
import { extractConstraints, listTerms, pairAdjacentWords, termToNode } from '../query/terms.js'
import type { Node } from '../query/tree.js'
import type { Gathered, GatheredRecord, GatherRequest, ResultSet } from '../storage/search.js'
import type { ListedPage, Storage } from '../storage/storage.js'
import type { NearRecord, NearSearch } from '../storage/vectors.js'
import type { QueryVector, SearchPlan } from './plan.js'

/**
 * Enough for the first pages; later pages take a multiple. With 50 or 100 keyword candidates instead, one of the 701 first
 * pages of four judged sets differs.
 */
export const KEYWORD_CANDIDATES = 64
export const VECTOR_CANDIDATES = 100
/** Fewer in semantic mode, because it loads every candidate and a page shows ten. */
export const SEMANTIC_CANDIDATES = 40
/** A query that finds fewer is relaxed. Independent of the limit, because totals must not depend on it. */
export const RELAX_BELOW = 10
/** Each deeper round takes this many times as many candidates. */
export const DEPTH_FACTOR = 4
/** In keyword and semantic mode, boosts apply to this many of the best records: others cannot rise to the first page. */
export const BOOST_DEPTH = 300
/** In keyword and semantic mode, the time preference applies to this many: no more than are gathered without it. */
export const TIME_DEPTH = VECTOR_CANDIDATES

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
  /** False if there may be more than `total`. */
  readonly isExact: boolean
  readonly relaxed: boolean
  /** The widest relaxation step that ran: its words are highlighted. */
  readonly widest: Relaxation
  readonly rankedBy: RankedBy | null
  /** For each term of the query, whether no record has it; null if the terms were not counted. */
  readonly isMissing: readonly boolean[] | null
}

/** A list is in order, best first. Candidates by `both` are not ranked yet. */
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
  isMissing: null,
}

/** `depth` multiplies the number of candidates in hybrid mode. */
export async function gatherCandidates(
  storage: Storage,
  plan: SearchPlan,
  depth = 1,
): Promise<Candidates> {
  const { embedding, usesWords, request } = plan
  if (embedding !== null && usesWords) return gatherByBoth(storage, { ...plan, embedding }, depth)
  const depthToReorder =
    request.boosts.length > 0 ? BOOST_DEPTH : plan.time === null ? 0 : TIME_DEPTH
  const window = Math.max(depthToReorder, plan.window)
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
  if (plan.planned.wanted !== null) return relaxUntilEnough(storage, plan)
  const page = { limit: plan.window, offset: 0 }
  const { containing, listed } = describeListing(plan, plan.scope)
  if (containing !== null) {
    return listRecords(await storage.containing(containing.text, containing.filter, page))
  }
  if (listed === null) return NOTHING
  return listRecords(await storage.newest(listed.filter, listed.unwanted, page))
}

/** The step of a relaxation; the first step if the query has none of that kind. */
export function findStep({ steps }: PlannedQuery, relaxation: Relaxation): Step | undefined {
  return steps.find(({ relaxed }) => relaxed === relaxation) ?? steps[0]
}

/**
 * A query without words lists records: those that match no negation, those that contain its literal text, such as `++`, or
 * all that pass the filter. Without a filter it lists nothing.
 */
export function describeListing(
  { planned: { unwanted }, fields, query }: SearchPlan,
  filter: Filter,
): Pick<ResultSet, 'listed' | 'containing'> {
  if (unwanted !== null) {
    const negated = { root: unwanted, fields, filter }
    return { listed: { filter, unwanted: negated }, containing: null }
  }
  const text = query.where === null ? query.text.trim() : ''
  if (text !== '') return { listed: null, containing: { text, filter } }
  return { listed: isUnfiltered(filter) ? null : { filter, unwanted: null }, containing: null }
}

/** Runs the relaxation steps in order until enough records are found. */
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
    // Superseded records may be hidden, so they do not count.
    if (counts.total - counts.superseded >= RELAX_BELOW || storage.isCut()) break
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
  // One more tells whether there are more. The limit does not depend on the page, so neither does the total.
  const limit = deepen(SEMANTIC_CANDIDATES, search.limit) + 1
  const near = { ...search, model: model.id, limit, ordered: search.limit, exclude }
  const nearest = await storage.vectors.nearest(near)
  const unmatched = { bm25: null, relaxed: null, matchType: 'semantic' } as const
  const records = nearest.map((record): Found => ({ ...record, ...unmatched }))
  return {
    ...NOTHING,
    records: records.slice(0, search.limit),
    total: records.length,
    superseded: records.filter(({ isSuperseded }) => isSuperseded).length,
    isExact: records.length < limit,
    // Every word of the query that occurs is highlighted.
    widest: 'any',
  }
}

/** The first of the sizes `base`, 4 · `base`, 16 · `base` … that is not below `wanted`. */
function deepen(base: number, wanted: number): number {
  let size = base
  while (size < wanted) size *= DEPTH_FACTOR
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
  const any = findStep(planned, 'any')
  const prefix = planned.steps.find(({ relaxed }) => relaxed === 'prefix')
  let step = any
  let gathered = await gatherStep(any)
  // If no record has any of the words, they may still be prefixes.
  if (gathered.bestByWords === null && prefix !== undefined && !storage.isCut()) {
    step = prefix
    gathered = await gatherStep(prefix)
  }
  const terms = listTerms(planned.wanted).map((term) => allowNearby(termToNode(term)))
  const { bestByWords, ...found } = gathered
  const both = { ...found, embedding, relaxed: false, widest: step?.relaxed ?? null }
  if (bestByWords === null || terms.length === 0) {
    return { ...both, kind: 'both', cover: 0, isMissing: null }
  }
  const scope = { fields, namespace: getPinnedNamespace(plan.filter) }
  const { words, records } = await storage.weigh(terms, scope, bestByWords)
  // A search that was stopped has not counted all records.
  const isMissing = storage.isCut() ? null : words.map((word) => word.records === 0)
  return { ...both, kind: 'both', cover: computeCover(words, records), isMissing }
}

/**
 * The idf sum of the words that the best match has, divided by that of all words; idf = ln((N + 2) / (df + 1)).
 * A word that occurs nowhere has the highest idf, so a query of unknown words relies on vectors.
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
 * The conditions for a semantic match: phrases and fields it must have, and negations it must not match. If all words are
 * required, it must have them too. If the search is limited to fields, it must have one of the words there, because a
 * vector knows no fields.
 */
export function constrainVectors(
  { query, planned, fields, usesWords }: SearchPlan,
  relaxation: Relaxation,
): ReturnType<typeof extractConstraints> {
  const { required, unwanted } = extractConstraints(query.root)
  const bindsWords = fields !== null || (planned.demandsAll && usesWords)
  const root = bindsWords ? findStep(planned, relaxation)?.root : undefined
  return { required: root ?? required, unwanted }
}

/** Lets a bare word also match in the neighbouring turns of a session. */
function allowNearby(node: Node): Node {
  return node.kind === 'word' || node.kind === 'prefix' ? { ...node, nearby: true } : node
}
