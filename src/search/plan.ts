/** Plans a search: the parsed query, the lens, the retrievers, the embedding and the window of results. */

import type { Degradation } from '../core/answer.js'
import { type Filter, getPinnedNamespace } from '../core/filter.js'
import { joinTests } from '../query/lift-metadata.js'
import { parseQuery } from '../query/parse.js'
import { dropNearby, type PlannedQuery, planQuery } from '../query/steps.js'
import { isStopWord, listTerms, termToNode, toPlainText } from '../query/terms.js'
import { findTimeRange, type TimeRange } from '../query/time-range.js'
import type { Field, Query } from '../query/tree.js'
import type { Mode, SearchRequest } from '../schemas/search-request.js'
import type { NearTerm, Storage } from '../storage/storage.js'
import type { EmbeddedQuery, ModelInfo } from '../storage/vectors.js'
import { splitCompound } from '../text/segment.js'
import { chooseRetrievers } from './fusion.js'
import { chooseLens, type Lens } from './lenses.js'
import type { StageTimer } from './stages.js'

/** Embeds a query, or says why it has no vector. */
export type QueryEmbedder = (text: string, useVector: boolean) => Promise<EmbeddedQuery>

export type SearchContext = {
  readonly storage: Storage
  readonly embedQuery: QueryEmbedder
  readonly elapsedMs: () => number
  readonly stageTimer: StageTimer
  /** Null: no limit. */
  readonly timeLimitMs: number | null
  readonly now: () => number
  readonly decay: number
}

export type QueryVector = {
  readonly model: ModelInfo
  readonly vector: Float32Array
  /** The floor: a record without the words needs at least this cosine. */
  readonly minSimilarity: number
  /** The floor for weak hits, below `minSimilarity`. */
  readonly weakFloor: number
}

export type SearchPlan = {
  readonly request: SearchRequest
  readonly query: Query
  readonly planned: PlannedQuery
  /** Records of this time are preferred; null if the query names no time. */
  readonly time: TimeRange | null
  readonly lens: Lens
  /** Limits every word to these fields; null searches all fields. */
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  /** The filter of the retrievers: lets superseded records pass, so that their corrections are found. */
  readonly scope: Filter
  readonly window: number
  readonly embedding: QueryVector | null
  readonly usesWords: boolean
  readonly degraded: Degradation | null
  /** Counts the word pieces of the model's tokenizer; null if no model embedded the query or it cannot tell. */
  readonly countPieces: ((word: string) => number) | null
  /** Salience, confidence and age are computed for this time. */
  readonly now: number
  readonly decay: number
}

export async function planSearch(
  context: SearchContext,
  request: SearchRequest,
  given: Filter,
): Promise<SearchPlan> {
  const query = parseQuery(request.query)
  const where = joinTests('and', [given.where ?? [], query.where ?? []].flat())
  const filter = where === null ? given : { ...given, where }
  const planned = planQuery(query, request.match, splitCompound)
  // An empty list of fields limits nothing, like an empty list of tags.
  const fields = request.fields?.length ? request.fields : null
  const lens = chooseLens(request.lens, request)
  const mode = chooseMode(request.mode, lens)
  const text = mode === 'keyword' ? '' : toPlainText(query.root)
  const embedded = text === '' ? null : await context.embedQuery(text, request.useVector)
  let embedding: QueryVector | null = null
  if (embedded?.kind === 'vector') {
    const { model, vector, weakFloor } = embedded
    // The cascade accepts only very similar records as semantic matches.
    const isCascade = mode === 'hybrid' && lens.fusion.kind === 'cascade'
    const floor = isCascade ? model.cascadeThreshold : model.floor
    embedding = { model, vector, minSimilarity: request.threshold ?? floor, weakFloor }
  }
  // Keyword search matches only the record itself, unless its neighbouring turns are requested.
  const matchesNearby = embedding !== null || request.context > 0
  const now = request.asOf ?? context.now()
  return {
    request,
    query,
    time: request.time === 'off' ? null : findTimeRange(request.query, now),
    planned: matchesNearby ? planned : dropNearby(planned),
    lens,
    fields,
    filter,
    scope: filter,
    window: request.offset + request.limit,
    embedding,
    usesWords: mode !== 'semantic' || embedding === null,
    degraded: embedded?.degraded ?? null,
    countPieces: embedded?.kind === 'vector' ? embedded.countPieces : null,
    now,
    decay: context.decay,
  }
}

const NO_KNOWN_WORD: Degradation = {
  reason: 'no_known_word',
  message:
    'Neither the records nor the model know any word of this query; only keyword search was used.',
}

/** A tokenizer splits gibberish into more pieces than a rare or inflected word. */
const MAX_PIECES = 2

/**
 * A model embeds any letters: the vector has a meaning if the records or the model know a word. Two pieces may be a rare
 * word ("kitten"), or a typing mistake if the records have a word that differs in one letter. Returns the plan to search
 * by instead, or the same plan. Asked after a search that found none of the words, because asking takes as long.
 */
export async function dropUnknownWords(storage: Storage, plan: SearchPlan): Promise<SearchPlan> {
  const { embedding, countPieces, query, filter } = plan
  const terms = listTerms(query.root).filter(({ text }) => !isStopWord(text))
  const words = terms.flatMap(({ text }) => text.split(/\s+/)).filter((word) => !isStopWord(word))
  if (embedding === null || countPieces === null || words.length === 0) return plan
  const rare = words.filter((word) => countPieces(word) <= MAX_PIECES)
  if (rare.some((word) => countPieces(word) === 1)) return plan
  const namespace = getPinnedNamespace(filter)
  const isMissing = await storage.missing(terms.map(termToNode), { fields: null, namespace })
  if (isMissing.includes(false)) return plan
  const near = await storage.nearTerms(rare, namespace)
  const isTypo = (word: string, { word: meant, distance }: NearTerm) =>
    distance <= 1 && !meant.startsWith(word)
  if (rare.some((word, i) => !near[i]?.some((meant) => isTypo(word, meant)))) {
    return { ...plan, embedding: { ...embedding, weakFloor: embedding.minSimilarity } }
  }
  return {
    ...plan,
    planned: plan.request.context > 0 ? plan.planned : dropNearby(plan.planned),
    embedding: null,
    usesWords: true,
    degraded: NO_KNOWN_WORD,
  }
}

/** Skips a retriever that has no weight in the lens: an alpha of 0 or 1 is exactly the other retriever. */
function chooseMode(asked: Mode, lens: Lens): Mode {
  if (asked !== 'hybrid') return asked
  const { keyword, semantic } = chooseRetrievers(lens.fusion)
  if (!semantic) return 'keyword'
  return keyword ? 'hybrid' : 'semantic'
}
