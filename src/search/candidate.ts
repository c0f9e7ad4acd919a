/** What every fusion is given and gives back has one shape, and no number in it is ever not a number. */

import type { Explanation } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import type { Sector } from '../core/record.js'

export { daysSince } from '../core/time.js'

/** What is known of a record besides how well it matches. */
export type RecordFacts = {
  readonly createdAtMs: number
  /** Effective, 0.05..1. */
  readonly salience: number
  /** Effective, 0..1; 1 where the record has no facts. */
  readonly confidence: number
  readonly sector: Sector | null
  readonly isSuperseded: boolean
}

/** How well a record fits the question. */
export type Match = {
  /** As SQLite gives it: below zero, the least is the best. Null: it has none of the words. */
  readonly bm25: number | null
  /** The raw cosine of the best chunk. Null: it has no vector. */
  readonly similarity: number | null
  /** The cosine of the mean vector, of records of several chunks alone. */
  readonly wholeSimilarity: number | null
  /** The length of the record in words. */
  readonly words: number
}

/** A record that may be a hit. A list of candidates names each record once. */
export type Candidate = Match & { readonly id: RecordId; readonly facts: RecordFacts }

/** `explanation.score` is the score. */
export type Scored = { readonly id: RecordId; readonly explanation: Explanation }

export type Cover = {
  /** How much of the question the best keyword hit covers, 0..1. */
  readonly cover: number
  /** The strength of the best match by words, where more than the given candidates were found. */
  readonly strongest?: number
}

/** Into 0..1. What is not a number, as the cosine of an empty vector may be, says nothing: 0. */
export function clampUnit(value: number): number {
  return value > 0 ? Math.min(1, value) : 0
}

/** −bm25: above zero, the most is the best; 0 where the record has none of the words. */
export function strengthOf({ bm25 }: Match): number {
  return bm25 !== null && Number.isFinite(bm25) ? Math.max(0, -bm25) : 0
}

/** The cosine of the best chunk; one below zero says "unrelated" as 0 does. */
export function similarityOf({ similarity }: Match): number {
  return clampUnit(similarity ?? 0)
}

/** `value` as a share of the best of its list; 0 where nothing of the list is worth anything. */
export function shareOfBest(value: number, best: number): number {
  return best > 0 ? value / best : 0
}

/** The largest of a list, 0 for an empty one; a loop, because a spread has a longest list. */
export function largestOf(values: readonly number[]): number {
  return values.reduce((largest, value) => Math.max(largest, value), 0)
}

/** Plain comparison of code units: the same on every machine, whatever its language. */
export function compareIds(a: { readonly id: RecordId }, b: { readonly id: RecordId }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
