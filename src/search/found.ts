/** Whatever way a record was found, it is told in one shape. */

import type { Explanation, MatchType, RankedBy } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import type { Relaxation } from '../query/steps.js'
import type { NearRecord } from '../storage/vectors.js'

export type Found = {
  readonly id: RecordId
  /** Null where words had no part in it. */
  readonly bm25: number | null
  /** Null where meaning had no part in it. */
  readonly similarity: number | null
  /** The chunk that came nearest. */
  readonly chunk: NearRecord['chunk'] | null
  readonly relaxed: Relaxation
  readonly isSuperseded: boolean
  readonly matchType: MatchType
  /** Why it stands where it stands, where several sides were joined; null where one side says it all. */
  readonly explanation: Explanation | null
}

export type FoundPage = {
  readonly found: readonly Found[]
  readonly total: number
  /** How many of them are superseded. */
  readonly superseded: number
  /** False where there may be more than `total`. */
  readonly isExact: boolean
  /** True where a step beyond the first was needed. */
  readonly relaxed: boolean
  /** The widest step that was taken: what it looked for is what is marked. */
  readonly widest: Relaxation
  /** Null where no words were ranked. */
  readonly rankedBy: RankedBy | null
}

export const NOTHING: FoundPage = {
  found: [],
  total: 0,
  superseded: 0,
  isExact: true,
  relaxed: false,
  widest: null,
  rankedBy: null,
}

export function byWords(
  { id, bm25, isSuperseded }: Pick<Found, 'id' | 'bm25' | 'isSuperseded'>,
  relaxed: Relaxation,
): Found {
  return {
    id,
    bm25,
    similarity: null,
    chunk: null,
    relaxed,
    isSuperseded,
    matchType: 'keyword',
    explanation: null,
  }
}
