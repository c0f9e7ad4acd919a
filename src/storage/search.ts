/** What a search asks the storage for, and what it gets back. */

import type { RankedBy, Successor, Turn } from '../core/answer.js'
import type { FactType } from '../core/fact.js'
import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { Sector, SessionBrief } from '../core/record.js'
import type { Node } from '../query/tree.js'
import type { WordMatch } from './storage.js'
import type { NearSearch } from './vectors.js'

export type GatherRequest = {
  /** Any of the words and everything that is required; null without words. */
  readonly words: WordMatch | null
  /** Pairs of adjacent words as phrases; null where there are none. */
  readonly pairs: Node | null
  readonly model: string
  readonly vector: Float32Array
  /** The least similarity of a match that has none of the words. */
  readonly floor: number
  /** Conditions for matches by vector. */
  readonly near: {
    readonly filter: WordMatch['filter']
    readonly fields: WordMatch['fields']
    readonly required: Node | null
    readonly unwanted: Node | null
  }
  readonly limits: { readonly words: number; readonly near: number }
}

/** How well a record matches. */
export type GatheredRecord = {
  /** The row of the record, or of its revision. */
  readonly key: number
  readonly bm25: number | null
  /** Of the pairs alone. */
  readonly pairBm25: number | null
  readonly similarity: number | null
  /** Of the mean vector, where the record has several chunks. */
  readonly wholeSimilarity: number | null
  /** The number of words, with those of its neighbours. */
  readonly words: number
  /** Whether it is a revision. */
  readonly isPast: boolean
  readonly isSuperseded: boolean
}

/** What ranking needs besides how well a candidate matches. */
export type CandidateFacts = {
  readonly id: RecordId
  readonly createdAtMs: number
  readonly accessedAtMs: number
  /** As it was at the last access. */
  readonly salience: number
  readonly importance: number
  readonly sector: Sector | null
  /** The mean of its facts; 1 where it has none. */
  readonly confidence: number
}

/** The times for which facts are read and weighed. */
export type FactTimes = {
  readonly asOfMs: number | undefined
  readonly atMs: number
}

export type BestMatch = Pick<GatheredRecord, 'key' | 'isPast'>

export type Gathered = {
  readonly records: readonly GatheredRecord[]
  /** How many records match, by words or by meaning. */
  readonly total: number
  /** How many of them are superseded. */
  readonly superseded: number
  /** False where there may be more than `total`. */
  readonly isExact: boolean
  readonly bestByWords: BestMatch | null
  /** Null where no words were sought. */
  readonly rankedBy: RankedBy | null
}

/** How many records contain a word, and whether the best hit does. */
export type WeighedWord = { readonly records: number; readonly isInBest: boolean }

export type WeighedWords = {
  readonly words: readonly WeighedWord[]
  /** Live records in all. */
  readonly records: number
}

export type HitContextRequest = {
  /** Reads the state at that time; undefined: now. */
  readonly asOfMs: number | undefined
  readonly nowMs: number
  readonly withFacts: boolean
  /** Leaves out everything of other namespaces; null: nothing. */
  readonly pinnedNamespace: string | null
  /** How many turns before and after. */
  readonly neighbours: number
}

export type FactRow = {
  readonly id: string
  readonly recordId: RecordId
  readonly type: FactType
  readonly subject: string
  readonly predicate: string
  readonly object: string
  readonly confidence: number
  readonly quote: string | null
  readonly createdAtMs: number
  readonly reinforcedAtMs: number
}

/** A fact with those that contradict it. */
export type FactWithOthers = FactRow & { readonly others: readonly FactRow[] }

export type HitContext = {
  readonly session: SessionBrief | null
  readonly supersededBy: Successor | null
  /** How many other records are linked with it. */
  readonly relatedCount: number
  readonly facts: readonly FactWithOthers[]
  /** The mean of its facts, whether they are shown or not; 1 where it has none. */
  readonly effectiveConfidence: number
  readonly before: readonly Turn[]
  readonly after: readonly Turn[]
}

/** Everything that a search found, not only its page: the union of these. */
export type ResultSet = {
  readonly words: WordMatch | null
  /** Everything that is near enough; its limit is ignored. */
  readonly near: NearSearch | null
  readonly listed: { readonly filter: Filter; readonly unwanted: WordMatch | null } | null
  /** Text that the index has no words for. */
  readonly containing: { readonly text: string; readonly filter: Filter } | null
  /** The filters above let superseded records pass; this one applies to their successors and to what is shown. */
  readonly corrected: { readonly filter: Filter; readonly unwanted: Node | null }
}

export type TimelineAround = {
  readonly anchor: RecordId
  readonly before: number
  readonly after: number
}

export type TimelineRange = {
  readonly namespaces: readonly string[] | null
  readonly sinceMs: number | null
  readonly untilMs: number | null
  readonly limit: number
  readonly cursor: string | null
}
