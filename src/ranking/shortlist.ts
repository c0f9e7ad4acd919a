/** Promise: whoever can be among the first is on the list, so that of the others nothing more need be read. */

import { calibratedScores } from './calibrated.js'
import type { Cover, Match } from './candidate.js'
import type { Lens } from './lenses.js'
import { type Range, rangeOfSignals } from './signals.js'

/** Far more than sums in another order differ by. */
const ROUNDING = 1e-9

/**
 * The places of those matches that some signals could put among the first `reach`. All of them where a fusion looks at
 * more than the match, or at places in lists.
 * By hand, signals from .8 to 1.2 and a reach of 1: the best match has .6, so at least .48; a match of .3 has at most .36
 * and is left out, one of .4 has at most .48 and is not.
 */
export function shortlist(
  { fusion, signals }: Lens,
  matches: readonly Match[],
  context: Cover,
  reach: number,
): number[] {
  const all = [...matches.keys()]
  if (fusion.kind !== 'calibrated' || matches.length <= reach) return all
  const { least, most } = signals === null ? UNCHANGED : rangeOfSignals(signals)
  const scores = calibratedScores(matches, context)
  const last = scores.toSorted()[matches.length - reach] ?? 0
  return all.filter((i) => (scores[i] ?? 0) * most >= last * least - ROUNDING)
}

const UNCHANGED: Range = { least: 1, most: 1 }
