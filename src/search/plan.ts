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
import type { Storage } from '../storage/storage.js'
import type { EmbeddedQuery, ModelInfo } from '../storage/vectors.js'
import { splitCompound } from '../text/segment.js'
import { chooseRetrievers } from './fusion.js'
import { chooseLens, type Lens } from './lenses.js'
import type { StageTimer } from './stages.js'

/** Gives a query its vector, or the reason why there is none. */
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
  /** Below this cosine a record without the words is no match. */
  readonly minSimilarity: number
  /** Below `minSimilarity`: from this cosine on, a record is perhaps related. */
  readonly weakFloor: number
}

export type SearchPlan = {
  readonly request: SearchRequest
  readonly query: Query
  readonly planned: PlannedQuery
  /** Records of this time are preferred; null where the query names no time. */
  readonly time: TimeRange | null
  readonly lens: Lens
  /** Scopes every word; null searches all fields. */
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  /** Which records are searched: superseded ones too, where a correction may take their place. */
  readonly scope: Filter
  readonly window: number
  readonly embedding: QueryVector | null
  readonly usesWords: boolean
  readonly degraded: Degradation | null
  /** Null where no model was asked, or it cannot tell. */
  readonly countPieces: ((word: string) => number) | null
  /** The time from which salience, confidence and age are seen. */
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
  // An empty list names no field, as an empty list of tags names no tag.
  const fields = request.fields?.length ? request.fields : null
  const lens = chooseLens(request.lens, request)
  const mode = chooseMode(request.mode, lens)
  const text = mode === 'keyword' ? '' : toPlainText(query.root)
  const embedded = text === '' ? null : await context.embedQuery(text, request.useVector)
  let embedding: QueryVector | null = null
  let degraded = embedded?.degraded ?? null
  if (
    embedded?.kind === 'vector' &&
    !(await hasKnownWord(context.storage, embedded, { root: query.root, filter }))
  ) {
    degraded = NO_KNOWN_WORD
  } else if (embedded?.kind === 'vector') {
    const { model, vector, weakFloor } = embedded
    // A cascade takes only close records as semantic matches.
    const isCascade = mode === 'hybrid' && lens.fusion.kind === 'cascade'
    const floor = isCascade ? model.cascadeThreshold : model.floor
    embedding = { model, vector, minSimilarity: request.threshold ?? floor, weakFloor }
  }
  // Words alone match what a record says itself, unless the turns around it are asked for.
  const readsContext = embedding !== null || request.context > 0
  const now = request.asOf ?? context.now()
  return {
    request,
    query,
    time: request.time === 'off' ? null : findTimeRange(request.query, now),
    planned: readsContext ? planned : dropNearby(planned),
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
    'Neither the records nor the model know a word of this query; it is searched by words alone.',
}

/** Gibberish falls into more pieces than a rare word or an inflected one. */
const MOST_PIECES = 2

/** A model makes a vector of any letters. Where nobody knows a word, neither the records nor the model, it says nothing. */
async function hasKnownWord(
  storage: Storage,
  { countPieces }: Extract<EmbeddedQuery, { kind: 'vector' }>,
  { root, filter }: { readonly root: Node | null; readonly filter: Filter },
): Promise<boolean> {
  const terms = listTerms(root).filter(({ text }) => !isStopWord(text))
  const words = terms.flatMap(({ text }) => text.split(/\s+/)).filter((word) => !isStopWord(word))
  if (countPieces === null || words.length === 0) return true
  if (words.some((word) => countPieces(word) <= MOST_PIECES)) return true
  const isMissing = await storage.missing(terms.map(termToNode), {
    fields: null,
    namespace: getPinnedNamespace(filter),
  })
  return isMissing.includes(false)
}

/** A retriever that the lens gives no weight is not run: an alpha of 0 or 1 is exactly the other one. */
function chooseMode(asked: Mode, lens: Lens): Mode {
  if (asked !== 'hybrid') return asked
  const { keyword, semantic } = chooseRetrievers(lens.fusion)
  if (!semantic) return 'keyword'
  return keyword ? 'hybrid' : 'semantic'
}
