/** What a file looks like from afar is told in counts alone. */

import type { Kind, Sector } from './record.js'

export const OVERVIEW_STEPS = ['day', 'month', 'year'] as const
export type OverviewStep = (typeof OVERVIEW_STEPS)[number]

export type OverTime = {
  /** `2026-06-01`, `2026-06` or `2026`, as the step says. */
  readonly at: string
  readonly kind: Kind
  /** Null for what is no memory. */
  readonly sector: Sector | null
  readonly count: number
}

export type Overview = {
  /** How long each stretch of `overTime` is. */
  readonly by: OverviewStep
  /** Records by when they occurred or, where that is not known, were created; oldest first, without empty stretches. */
  readonly overTime: readonly OverTime[]
  readonly kinds: Readonly<Record<Kind, number>>
  /** Of memories. */
  readonly sectors: Readonly<Record<Sector, number>>
  /** How many records are how salient now, in tenths: 0 to 0.1 first, 0.9 to 1 last. */
  readonly salience: readonly number[]
  readonly coverage: { readonly withVectors: number; readonly waiting: number }
  /** Of the last year: how often a record was recalled, and by how many searches; oldest first, without empty days. */
  readonly recalls: readonly {
    readonly day: string
    readonly count: number
    readonly searches: number
  }[]
}
