/** The requests that a search makes to the storage, and their results. */

import type { RankedBy, Successor, Turn } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { SessionBrief } from '../core/record.js'
import type { StoredSalience } from '../core/salience.js'
import type { Node } from '../query/tree.js'
import type { StoredFact } from './memory.js'
import type { WordMatch } from './storage.js'
import type { NearSearch } from './vectors.js'

export type GatherRequest = {
  /** Matches any of the words and everything required; null for a query without words. */
  readonly words: WordMatch | null
  /** Pairs of adjacent words as phrases. */
  readonly pairs: Node | null
  readonly model: string
  readonly vector: Float32Array
  /** The lowest similarity of a match that has none of the words. */
  readonly floor: number
  readonly near: Pick<NearSearch, 'filter' | 'fields' | 'required' | 'unwanted'>
  readonly limits: { readonly words: number; readonly near: number }
  /** For the facts that `describe` will read: a backend may read them with the candidates. */
  readonly times: FactTimes
}

export type GatheredRecord = {
  /** The row of the record, or of its revision. */
  readonly key: number
  readonly bm25: number | null
  /** The score of the best passage of a long text. */
  readonly passageBm25: number | null
  /** The score of the pairs alone. */
  readonly pairBm25: number | null
  readonly similarity: number | null
  /** The similarity of the mean vector, if the record has several chunks. */
  readonly wholeSimilarity: number | null
  /** The number of words, with those of its neighbours. */
  readonly words: number
  readonly isPast: boolean
  readonly isSuperseded: boolean
}

export type CandidateFacts = StoredSalience & {
  readonly id: RecordId
  readonly createdAtMs: number
  /** The mean of its facts; 1 if it has none. */
  readonly confidence: number
}

/** Facts are read as of `asOfMs`, and their confidence is computed for `atMs`. */
export type FactTimes = { readonly asOfMs: number | undefined; readonly atMs: number }

export type BestMatch = Pick<GatheredRecord, 'key' | 'isPast'>

export type Gathered = {
  readonly records: readonly GatheredRecord[]
  readonly total: number
  readonly superseded: number
  /** False if there may be more than `total`. */
  readonly isExact: boolean
  readonly bestByWords: BestMatch | null
  /** Null for a search without words. */
  readonly rankedBy: RankedBy | null
  /** The time spent comparing vectors. */
  readonly vectorsMs: number
}

export type WeighedWords = {
  readonly words: readonly { readonly records: number; readonly isInBest: boolean }[]
  readonly records: number
}

export type HitContextRequest = {
  readonly asOfMs: number | undefined
  readonly nowMs: number
  readonly withFacts: boolean
  /** Leaves out other namespaces; null leaves out none. */
  readonly pinnedNamespace: string | null
  readonly neighbours: number
}

export type FactRow = Omit<StoredFact, 'namespace' | 'endedAtMs'>

export type FactWithOthers = FactRow & { readonly others: readonly FactRow[] }

export type HitContext = {
  readonly session: SessionBrief | null
  readonly supersededBy: Successor | null
  readonly relatedCount: number
  readonly facts: readonly FactWithOthers[]
  /** The mean of its facts, shown or not; 1 if it has none. */
  readonly effectiveConfidence: number
  readonly before: readonly Turn[]
  readonly after: readonly Turn[]
}

/** All results of a search, not only its page: the union of these. */
export type ResultSet = {
  readonly words: WordMatch | null
  /** Its limit is ignored. */
  readonly near: NearSearch | null
  readonly listed: { readonly filter: Filter; readonly unwanted: WordMatch | null } | null
  /** Text that holds no word of the index. */
  readonly containing: { readonly text: string; readonly filter: Filter } | null
  /** The filters above let superseded records pass; this one applies to their successors and to the records shown. */
  readonly corrected: { readonly filter: Filter; readonly unwanted: Node | null }
}

export const FOUND_ORDERS = ['newest', 'oldest', 'title'] as const
export type FoundOrder = (typeof FOUND_ORDERS)[number]

/** In the order of time, without deleted records. */
export type TimelineRange = {
  readonly filter: Filter
  readonly newestFirst: boolean
  readonly limit: number
  readonly cursor: string | null
}

/** The neighbours are in the namespace of the anchor, whatever namespaces the filter names. */
export type TimelineAround = {
  readonly anchor: RecordId
  readonly filter: Filter
  readonly before: number
  readonly after: number
}
