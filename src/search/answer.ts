/** Builds the answer of a search, and counts facets over all records found. */

import type { FacetName, Facets, SearchAnswer, WideFacetName } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import { toIso } from '../core/time.js'
import { joinWhere } from '../query/lift-metadata.js'
import type { Relaxation } from '../query/steps.js'
import { printQuery } from '../query/tree.js'
import type { ResultSet } from '../storage/search.js'
import type { Storage } from '../storage/storage.js'
import type { Advice } from './advice.js'
import { constrainVectors, describeListing, type FoundCounts, findStep } from './candidates.js'
import { includeSuperseded } from './corrections.js'
import type { SearchPlan } from './plan.js'
import { describeRange } from './signals.js'

type FacetCounts = { readonly facets: Facets; readonly total: number }

type AnswerParts = Pick<SearchAnswer, 'hits' | 'tookMs'> & {
  readonly facets: FacetCounts | null
  readonly advice: Advice
  readonly isCut: boolean
}

/** The answer to the corrected query if it has hits, with the query as the user wrote it. */
export function chooseAnswer(asWritten: SearchAnswer, asMeant: SearchAnswer): SearchAnswer {
  const { query, hint } = asWritten
  return asMeant.total.value === 0
    ? { ...asWritten, query: { ...query, searchedFor: null }, hint: hint ?? asMeant.hint }
    : { ...asMeant, query, hint }
}

export function buildAnswer(
  plan: SearchPlan,
  found: FoundCounts,
  { hits, facets, advice, isCut, tookMs }: AnswerParts,
): SearchAnswer {
  const { request, query, lens, filter, degraded } = plan
  const { hint, ...terms } = advice
  return {
    query: {
      text: request.query,
      readAs: printRead(plan),
      mode: request.mode,
      lens: lens.name,
      match: request.match,
      relaxed: found.relaxed || hits.some((hit) => hit.relaxed !== null),
      ...terms,
      rankedBy: request.explain ? found.rankedBy : null,
    },
    scope: {
      namespaces: filter.namespaces ?? 'all',
      ...(request.asOf !== undefined && { asOf: toIso(request.asOf) }),
    },
    degraded:
      isCut || query.isCut ? { reason: 'too_expensive', message: isCut ? STOPPED : CUT } : degraded,
    total: {
      value: facets?.total ?? found.total,
      exact: facets !== null || (found.isExact && !isCut),
    },
    tookMs,
    cached: false,
    hits,
    facets: facets?.facets ?? null,
    hint,
  }
}

function printRead({ planned, query, time }: SearchPlan): string {
  const printed = printQuery(joinWhere(planned.root, query.where))
  return time === null ? printed : `${printed} (preferably ${describeRange(time)})`
}

const STOPPED = 'The search reached its time limit and was stopped; there may be more hits.'
const CUT = 'The query is too long; some of its phrases, prefixes and NEAR groups were ignored.'

/** The parts of a filter that each facet sets. */
const FILTERED_BY: Readonly<Record<FacetName | WideFacetName, readonly (keyof Filter)[]>> = {
  kind: ['kinds'],
  sector: ['sectors'],
  tag: ['tagsAny', 'tagsAll'],
  factType: ['factTypes'],
  source: ['sources'],
  namespace: ['namespaces'],
  year: ['years'],
  author: ['people'],
  venue: ['venues'],
  person: ['people'],
  month: ['years', 'dates'],
}

/**
 * Counts over all records found; null if no facets were requested or the time limit is exceeded. A wide facet is counted
 * without the filter on that facet, so that the other values can be chosen too.
 */
export async function countFacets(
  storage: Storage,
  plan: SearchPlan,
  found: FoundCounts,
): Promise<FacetCounts | null> {
  if (!plan.request.facets || storage.isCut()) return null
  const set = describeFound(plan, found)
  const wide = plan.request.wideFacets
  const filtered = Object.entries(FILTERED_BY).filter(([name, parts]) => {
    const isPinned = name === 'namespace' && plan.filter.isPinned
    return wide && !isPinned && parts.some((part) => plan.filter[part] !== undefined)
  })
  const [counted, ...widened] = await Promise.all([
    storage.facets(set, { wide }),
    ...filtered.map(([, parts]) => storage.facets(widenFilters(set, parts), { wide })),
  ])
  if (counted == null) return null
  const others = filtered.map(([name], i) => [name, widened[i]?.facets[name as FacetName] ?? []])
  return { ...counted, facets: { ...counted.facets, ...Object.fromEntries(others) } }
}

function widenFilters(set: ResultSet, parts: readonly (keyof Filter)[]): ResultSet {
  const widen = <T extends { readonly filter: Filter }>(one: T): T => {
    const kept = Object.entries(one.filter).filter(([key]) => !parts.includes(key as keyof Filter))
    return { ...one, filter: Object.fromEntries(kept) }
  }
  const { words, near, listed, containing, corrected } = set
  return {
    words: words && widen(words),
    near: near && widen(near),
    listed: listed && widen({ ...listed, unwanted: listed.unwanted && widen(listed.unwanted) }),
    containing: containing && widen(containing),
    corrected: widen(corrected),
  }
}

/** Describes the records that the search found, on all pages. */
export function describeFound(plan: SearchPlan, { widest }: FoundCounts): ResultSet {
  const { planned, fields, usesWords } = plan
  const filter = includeSuperseded(plan.filter)
  const step = usesWords && planned.wanted !== null ? findStep(planned, widest) : undefined
  const isListing = usesWords && planned.wanted === null
  return {
    words: step === undefined ? null : { root: step.root, fields, filter },
    near: describeNearest(plan, widest),
    ...(isListing ? describeListing(plan, filter) : { listed: null, containing: null }),
    corrected: { filter: plan.filter, unwanted: planned.unwanted },
  }
}

function describeNearest(plan: SearchPlan, widest: Relaxation): ResultSet['near'] {
  const { embedding } = plan
  if (embedding === null) return null
  return {
    model: embedding.model.id,
    vector: embedding.vector,
    limit: Number.MAX_SAFE_INTEGER,
    minSimilarity: embedding.minSimilarity,
    filter: includeSuperseded(plan.filter),
    fields: plan.fields,
    exclude: [],
    rounded: plan.usesWords,
    ...constrainVectors(plan, widest),
  }
}
