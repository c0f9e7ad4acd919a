/** What words and meaning find is put side by side, each record scored on both sides. */

import type { RankedBy } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import type { Sector } from '../core/record.js'
import type { Node } from '../query/tree.js'
import type { WordMatch } from './storage.js'

export type GatherRequest = {
  /** Any of the words, with everything the query insists on; null where it has no words. */
  readonly words: WordMatch | null
  /** Words that stand next to each other in the question, as phrases; null where there are none. */
  readonly pairs: Node | null
  readonly model: string
  readonly vector: Float32Array
  /** Below this a record that has none of the words is no match. */
  readonly floor: number
  /** What holds for matches by meaning, beside the filter of `words`. */
  readonly near: {
    readonly filter: WordMatch['filter']
    readonly fields: WordMatch['fields']
    readonly required: Node | null
    readonly unwanted: Node | null
  }
  readonly limits: { readonly words: number; readonly near: number }
}

/** How well a record matches; the rest is told of those that may be among the best. */
export type GatheredRecord = {
  /** The number of the record inside the storage, or of its state of the past. */
  readonly key: number
  readonly bm25: number | null
  /** Of the pairs alone. */
  readonly pairBm25: number | null
  readonly similarity: number | null
  /** Of the mean vector, where the record has several chunks. */
  readonly wholeSimilarity: number | null
  /** Words of the record and of what surrounds it. */
  readonly words: number
  /** True where a state of the past was found, false for what is there now. */
  readonly isPast: boolean
  readonly isSuperseded: boolean
}

/** What is known of a candidate besides how well it matches. */
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

/** Of which moment facts are told, and which of them held. */
export type FactMoments = {
  readonly asOfMs: number | undefined
  /** The moment for which facts are weighed. */
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

/** How much a word tells, and whether the best hit has it. */
export type WeighedWord = { readonly records: number; readonly isInBest: boolean }

export type WeighedWords = {
  readonly words: readonly WeighedWord[]
  /** Live records in all. */
  readonly records: number
}
