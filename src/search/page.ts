/** Loads a page of hits with their records, highlights, context and explanations, in a fixed number of statements. */

import type { Explanation, FactShown, Hit, Pages, Range, Snippet } from '../core/answer.js'
import { effectiveConfidence } from '../core/fact.js'
import { getPinnedNamespace } from '../core/filter.js'
import { isPageSpan } from '../core/full-text.js'
import { toIso } from '../core/time.js'
import type { PageSpan } from '../core/work.js'
import type { SearchRequest } from '../schemas/search-request.js'
import type { FactWithOthers, HitContext } from '../storage/search.js'
import type { Storage } from '../storage/storage.js'
import { markAsHtml } from '../text/mark-ranges.js'
import { findMatchedRange, findPosition, identify } from './identity.js'
import { chooseMarker, type Marker } from './marks.js'
import type { SearchPlan } from './plan.js'
import type { Ranked, RankedList } from './ranking.js'

export type HitOptions = {
  readonly request: Pick<
    SearchRequest,
    'explain' | 'includeFacts' | 'context' | 'asOf' | 'passages' | 'marks'
  >
  readonly marker: Marker
  /** How many words the query has. */
  readonly words: number
  /** See `PlannedQuery`. */
  readonly isByTag?: boolean
  readonly now: number
  readonly pinnedNamespace: string | null
}

export function loadPage(
  storage: Storage,
  plan: SearchPlan,
  found: RankedList & { readonly weak: readonly Ranked[] },
): Promise<Hit[]> {
  const { request, planned, filter, embedding, usesWords, now } = plan
  const isSorted = request.sort !== 'relevance'
  const first = isSorted ? 0 : request.offset
  const records = found.records.slice(first, first + request.limit)
  // A record may match through its vector or its neighbouring turns: count the words it has itself.
  const isCounted = usesWords && (embedding !== null || request.context > 0 || planned.isByTag)
  const { widest } = found
  // A threshold that the user set also excludes weak hits.
  const weak = request.threshold === undefined ? found.weak : []
  return loadHits(storage, [...records, ...weak], {
    request,
    marker: chooseMarker(request, planned, { widest, counted: isCounted ? planned.words : null }),
    words: planned.words.length,
    isByTag: planned.isByTag,
    now,
    pinnedNamespace: getPinnedNamespace(filter),
  })
}

export async function loadHits(
  storage: Storage,
  found: readonly Ranked[],
  options: HitOptions,
): Promise<Hit[]> {
  if (found.length === 0) return []
  const ids = found.map(({ id }) => id)
  const { asOf: asOfMs, context, includeFacts } = options.request
  const [records, contexts] = await Promise.all([
    storage.get(ids, { asOfMs }),
    storage.loadHitContext(ids, {
      asOfMs,
      nowMs: options.now,
      withFacts: includeFacts,
      neighbours: context,
      pinnedNamespace: options.pinnedNamespace,
    }),
  ])
  const byId = new Map(records.map((record) => [record.id, record]))
  return found.flatMap((one) => {
    const record = byId.get(one.id)
    const context = contexts.get(one.id)
    // Another process may have deleted the record since it was ranked.
    if (record === undefined || context === undefined) return []
    return [toHit(one, { ...context, record }, options)]
  })
}

function toHit(
  one: Ranked,
  { record, ...around }: HitContext & Pick<Hit, 'record'>,
  options: HitOptions,
): Hit {
  const { request, marker, words, now, isByTag = false } = options
  const { id, bm25, similarity, chunk } = one
  const marks = marker({ record, chunk })
  const { highlights } = marks
  const own = bm25 === null ? null : marks.own
  const hasNone = own === 0 && words > 0
  const isByContext = hasNone && !isByTag && record.sessionId !== null
  const isLacking = own !== null && own < words
  const relaxed = hasNone && isByTag ? 'none' : (one.relaxed ?? (isLacking ? 'any' : null))
  const explanation = isByContext ? nameContext(one.explanation) : one.explanation
  const isTurn = record.sessionId !== null && request.context > 0
  const passages = request.marks ? marks.passages.map(withMarks) : marks.passages
  const [snippet = null] = passages
  const locate = (range: Range): Pages | null =>
    readPages(record, findMatchedRange(range, highlights.body))
  const shown = snippet ?? chunk
  return {
    id,
    kind: record.kind,
    title: record.title,
    score: explanation.score,
    matchType: isByContext ? 'context' : one.matchType,
    relaxed: isByContext ? null : relaxed,
    weak: one.weak === true,
    bm25,
    similarity,
    snippet,
    highlights,
    identity: identify(record, around.session, {
      start: shown?.start ?? 0,
      match: shown === null ? 0 : findMatchedRange(shown, highlights.body).start,
    }),
    passages: (request.passages > 1 ? passages : []).map((passage) => ({
      ...passage,
      ...findPosition(record, findMatchedRange(passage, highlights.body).start),
      pages: locate(passage),
    })),
    pages: shown === null ? null : locate(shown),
    chunks: chunk === null ? [] : [toChunkHit(chunk, similarity, record)],
    record,
    session: around.session,
    isSuperseded: record.supersededAt !== null,
    supersededBy: around.supersededBy,
    relatedCount: around.relatedCount,
    facts: around.facts.map((fact) => showFact(fact, request.asOf ?? now)),
    effectiveConfidence: around.effectiveConfidence,
    context: isTurn ? { before: around.before, after: around.after } : null,
    explanation: request.explain ? explanation : null,
  }
}

/** Marks the text as HTML. The highlights keep their positions in the text without marks. */
function withMarks(snippet: Snippet): Snippet {
  return { ...snippet, text: markAsHtml(snippet.text, snippet.highlights) }
}

function toChunkHit(
  chunk: NonNullable<Ranked['chunk']>,
  similarity: number | null,
  record: Hit['record'],
): Hit['chunks'][number] {
  const pages = readPages(record, chunk)
  const text = record.body.slice(chunk.start, chunk.end)
  return { ...chunk, similarity: similarity ?? 0, text, ...(pages !== null && { pages }) }
}

function nameContext(node: Explanation): Explanation {
  const name = node.name === 'keyword' ? 'in its conversation' : node.name
  return { ...node, name, parts: node.parts.map(nameContext) }
}

/** Finds the document pages of a range; null if the metadata has no valid page spans. */
export function readPages({ metadata }: Hit['record'], range: Range): Pages | null {
  const { pages } = metadata
  if (!Array.isArray(pages) || pages.length === 0 || !pages.every(isPageSpan)) return null
  return findPages(pages, range)
}

/**
 * Finds the first and the last page that hold a character of the range. A range between two pages is
 * on the page before it. An empty range is on the page of the character at its start.
 * @example
 * // Pages of "One.\n\nTwo.": { page: 1, start: 0, end: 4 }, { page: 2, start: 6, end: 10 }
 * findPages(pages, { start: 2, end: 7 }) // { first: 1, last: 2 }
 */
export function findPages(pages: readonly PageSpan[], range: Range): Pages {
  const end = Math.max(range.end, range.start + 1)
  const filled = pages.filter((page) => page.start < page.end)
  const last = filled.findLast((page) => page.start < end) ?? pages[0]
  const first = filled.find((page) => page.end > range.start) ?? last
  const lastNumber = last?.page ?? 1
  return { first: Math.min(first?.page ?? 1, lastNumber), last: lastNumber }
}

export function showFact({ others, ...fact }: FactWithOthers, nowMs: number): FactShown {
  const confidence = effectiveConfidence(fact, nowMs)
  const { createdAtMs, reinforcedAtMs, ...rest } = fact
  return {
    ...rest,
    effectiveConfidence: confidence,
    createdAt: toIso(createdAtMs),
    reinforcedAt: toIso(reinforcedAtMs),
    contradictedBy: others.map((other) => {
      const own = effectiveConfidence(other, nowMs)
      const { id, recordId, object } = other
      // If both facts have the same millisecond, the one with the later id is newer.
      const age = other.createdAtMs - fact.createdAtMs
      return {
        id,
        recordId,
        object,
        effectiveConfidence: own,
        createdAt: toIso(other.createdAtMs),
        isNewer: age === 0 ? other.id > fact.id : age > 0,
        isMoreCertain: own > confidence,
      }
    }),
  }
}
