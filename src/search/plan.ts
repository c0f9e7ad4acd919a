/** Plans a search: the parsed query, the lens, the retrievers, the embedding and the window of results. */

import type { Degradation } from '../core/answer.js'
import { type Filter, getPinnedNamespace } from '../core/filter.js'
import { joinTests } from '../query/lift-metadata.js'
import { parseQuery } from '../query/parse.js'
import { dropNearby, type PlannedQuery, planQuery } from '../query/steps.js'
import { isStopWord, listTerms, termToNode, toPlainText } from '../query/terms.js'
import { findTimeRange, type TimeRange } from '../query/time-range.js'
import type { Field, Node, Query } from '../query/tree.js'
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
  let degraded = embedded?.degraded ?? null
  if (embedded?.kind === 'vector') {
    const { model, vector, weakFloor } = embedded
    const judged = await judgeWords(context.storage, embedded, { root: query.root, filter })
    // The cascade accepts only very similar records as semantic matches.
    const isCascade = mode === 'hybrid' && lens.fusion.kind === 'cascade'
    const minSimilarity = request.threshold ?? (isCascade ? model.cascadeThreshold : model.floor)
    if (judged === 'unknown') degraded = NO_KNOWN_WORD
    else {
      const weakest = judged === 'known' ? weakFloor : minSimilarity
      embedding = { model, vector, minSimilarity, weakFloor: weakest }
    }
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
    degraded,
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
 * word ("kitten"), or a typing mistake if the records have a word that differs in one letter.
 */
async function judgeWords(
  storage: Storage,
  { countPieces }: Extract<EmbeddedQuery, { kind: 'vector' }>,
  { root, filter }: { readonly root: Node | null; readonly filter: Filter },
): Promise<'known' | 'rare' | 'unknown'> {
  const terms = listTerms(root).filter(({ text }) => !isStopWord(text))
  const words = terms.flatMap(({ text }) => text.split(/\s+/)).filter((word) => !isStopWord(word))
  if (countPieces === null || words.length === 0) return 'known'
  if (words.some((word) => countPieces(word) === 1)) return 'known'
  const namespace = getPinnedNamespace(filter)
  const isMissing = await storage.missing(terms.map(termToNode), { fields: null, namespace })
  if (isMissing.includes(false)) return 'known'
  const rare = words.filter((word) => countPieces(word) <= MAX_PIECES)
  const near = await storage.nearTerms(rare, namespace)
  const isTypo = (word: string, { word: meant, distance }: NearTerm) =>
    distance <= 1 && !meant.startsWith(word)
  return rare.some((word, i) => !near[i]?.some((meant) => isTypo(word, meant))) ? 'rare' : 'unknown'
}

/** Skips a retriever that has no weight in the lens: an alpha of 0 or 1 is exactly the other retriever. */
function chooseMode(asked: Mode, lens: Lens): Mode {
  if (asked !== 'hybrid') return asked
  const { keyword, semantic } = chooseRetrievers(lens.fusion)
  if (!semantic) return 'keyword'
  return keyword ? 'hybrid' : 'semantic'
}
