/** Puts an answer together, and counts facets over everything that was found. */

import type { FacetName, Facets, SearchAnswer, WideFacetName } from '../core/answer.js'
import { type Filter, isUnfiltered } from '../core/filter.js'
import { toIso } from '../core/time.js'
import { joinWhere } from '../query/lift-metadata.js'
import type { Relaxation } from '../query/steps.js'
import { printQuery } from '../query/tree.js'
import type { ResultSet } from '../storage/search.js'
import type { Storage } from '../storage/storage.js'
import type { Advice } from './advice.js'
import { constrainVectors, type FoundCounts, findSymbols } from './candidates.js'
import { includeSuperseded } from './corrections.js'
import type { SearchPlan } from './plan.js'
import { describeRange } from './signals.js'

type FacetCounts = { readonly facets: Facets; readonly total: number }

type AnswerParts = Pick<SearchAnswer, 'hits' | 'tookMs'> & {
  readonly facets: FacetCounts | null
  readonly advice: Advice
  readonly isCut: boolean
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
      relaxed: found.relaxed,
      ...terms,
      rankedBy: request.explain ? found.rankedBy : null,
    },
    scope: {
      namespaces: filter.namespaces ?? 'all',
      ...(request.asOf !== undefined && { asOf: toIso(request.asOf) }),
    },
    degraded:
      isCut || query.isCut ? { reason: 'too_expensive', message: describeCut(isCut) } : degraded,
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

function describeCut(isStopped: boolean): string {
  return isStopped
    ? 'The search took too long and was stopped; there may be more.'
    : 'The query is too long; some of its phrases, prefixes and NEAR were left out.'
}

/** The parts of a filter that a value of each facet sets. */
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

/** Of everything found; null where the time was up. Wide: a facet with a filter of its own is counted without that filter, beside its siblings. */
export async function countFacets(
  storage: Storage,
  plan: SearchPlan,
  found: FoundCounts,
): Promise<FacetCounts | null> {
  const set = describeFound(plan, found)
  const wide = plan.request.wideFacets
  const filtered = Object.entries(FILTERED_BY).filter(([name, parts]) => {
    const isOpen = name === 'namespace' && plan.filter.isPinned
    return wide && !isOpen && parts.some((part) => plan.filter[part] !== undefined)
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

/** Exactly what the search found, on all of its pages. */
export function describeFound(plan: SearchPlan, { widest }: FoundCounts): ResultSet {
  const { planned, fields, query } = plan
  const filter = includeSuperseded(plan.filter)
  const found: ResultSet = {
    words: null,
    near: describeNearest(plan, widest),
    listed: null,
    containing: null,
    corrected: { filter: plan.filter, unwanted: planned.unwanted },
  }
  const symbols = findSymbols(query)
  if (!plan.usesWords) return found
  if (planned.wanted !== null) {
    const step = planned.steps.find(({ relaxed }) => relaxed === widest) ?? planned.steps[0]
    return { ...found, words: step === undefined ? null : { root: step.root, fields, filter } }
  }
  if (planned.unwanted !== null) {
    const unwanted = { root: planned.unwanted, fields, filter }
    return { ...found, listed: { filter, unwanted } }
  }
  if (symbols !== '') return { ...found, containing: { text: symbols, filter } }
  return isUnfiltered(plan.filter) ? found : { ...found, listed: { filter, unwanted: null } }
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
