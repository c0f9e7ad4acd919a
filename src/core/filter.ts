/** Promise: which records a search may return is said in one shape, whatever retrieves them. */

import type { RecordId } from './ids.js'
import type { Kind, Sector, Tier } from './record.js'

export const DATE_FIELDS = ['created', 'updated', 'occurred'] as const
/** `occurred` falls back to the creation time where a record has no time of its own. */
export type DateField = (typeof DATE_FIELDS)[number]

/** Every part narrows; an absent part lets everything pass, an empty list of ids lets nothing pass. */
export type Filter = {
  readonly namespaces?: readonly string[]
  /** Adds memories of tier `global` from namespaces outside `namespaces`. */
  readonly includeGlobal?: boolean
  readonly kinds?: readonly Kind[]
  readonly sectors?: readonly Sector[]
  readonly tiers?: readonly Tier[]
  readonly tagsAny?: readonly string[]
  readonly tagsAll?: readonly string[]
  readonly tagsNone?: readonly string[]
  readonly people?: readonly string[]
  readonly sources?: readonly string[]
  readonly dates?: {
    readonly field: DateField
    readonly sinceMs: number | null
    readonly untilMs: number | null
  }
  readonly idsIn?: readonly RecordId[]
  readonly idsOut?: readonly RecordId[]
}
