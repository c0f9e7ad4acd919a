/** Whoever can be among the first is on the list, so that of the others nothing more need be read. */

import { calibratedScores } from './calibrated.js'
import type { Cover, Match, Scored } from './candidate.js'
import type { Lens } from './lenses.js'
import { scoreBeforeCap } from './order.js'
import { mostOfSignals } from './signals.js'

/** Far more than sums in another order differ by. */
const ROUNDING = 1e-9
/** Beside twice the page, so many of the best matches are ranked first. */
const SPARE = 20

/** Places of matches, in two parts, each the best first. */
export type Shortlist = {
  readonly first: readonly number[]
  /** Who else can be on the page, now that the first ones are ranked. */
  rest(ranked: readonly Scored[]): readonly number[]
}

/**
 * The best matches are ranked with their signals. Then the last one of the page says what another match must reach with
 * the most that signals can do for it. Where a fusion looks at more than the match, or at places in lists, all are first.
 * By hand, signals up to 1.2: the page ends with .6, so a match of .5 can just reach it, and one of .49 cannot.
 */
export function shortlist(
  { fusion, signals }: Lens,
  matches: readonly Match[],
  context: Cover,
  reach: number,
): Shortlist {
  const places = [...matches.keys()]
  const enough = 2 * reach + SPARE
  if (fusion.kind !== 'calibrated' || places.length <= enough) {
    return { first: places, rest: () => [] }
  }
  const scores = calibratedScores(matches, context)
  const scoreAt = (place: number): number => scores[place] as number
  places.sort((a, b) => scoreAt(b) - scoreAt(a))
  const others = places.slice(enough)
  const most = signals === null ? 1 : mostOfSignals(signals)
  return {
    first: places.slice(0, enough),
    rest(ranked) {
      const last = ranked[reach - 1]
      if (last === undefined) return others
      const least = scoreBeforeCap(last.explanation) - ROUNDING
      return others.filter((place) => scoreAt(place) * most >= least)
    },
  }
}
