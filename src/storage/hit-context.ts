/** What stands around a record is told for a whole page of them at once. */

import type { Successor, Turn } from '../core/answer.js'
import type { FactType } from '../core/fact.js'
import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { SessionBrief } from '../core/record.js'
import type { Node } from '../query/tree.js'
import type { WordMatch } from './storage.js'
import type { NearSearch } from './vectors.js'

export type HitContextRequest = {
  /** Facts, successors, links and turns of that moment; undefined: of now. */
  readonly asOfMs: number | undefined
  /** The moment from which confidence is seen. */
  readonly nowMs: number
  readonly withFacts: boolean
  /** Nothing of another namespace is told; null: all is in reach. */
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

/** A fact with those that say something else of the same thing. */
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

/** Everything that a search found, not only its page: any of these. */
export type ResultSet = {
  readonly words: WordMatch | null
  /** All that are as near as this, however many; its limit is not looked at. */
  readonly near: NearSearch | null
  readonly listed: { readonly filter: Filter; readonly unwanted: WordMatch | null } | null
  /** Characters that the index has no words for. */
  readonly containing: { readonly text: string; readonly filter: Filter } | null
  /** The filters above let superseded records pass; these decide about what corrects them, and what is shown. */
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
