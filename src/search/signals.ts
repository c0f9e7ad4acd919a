/** What is known of a record besides its match breaks ties, within a bound that a lens states. */

import type { Explanation } from '../core/answer.js'
import { clampUnit, daysSince, type RecordFacts, type Scored } from './candidate.js'
import { given, productOf, sumOf } from './explain.js'
import { SECTOR_BOOSTS } from './memory-score.js'
import { capAtOne } from './order.js'

/** What a record of today has more than one of long ago. */
export const RECENCY_WEIGHT = 0.1
/** The salience every record starts with: neither more nor less. */
export const NEUTRAL_SALIENCE = 0.5
/** From the least salience to the most: 0.91 to 1.1. */
export const SALIENCE_WEIGHT = 0.2
/** What a record loses whose facts are not believed at all. */
export const CONFIDENCE_WEIGHT = 0.2
/** How much of the boost of its sector a record has: 0.996 to 1.004. More cost order in chats, where rules sort the turns. */
export const SECTOR_WEIGHT = 0.02
/** All signals together, in the default lens: from 0.8 to 1.2. */
export const SIGNAL_BOUND = 0.2

/** `bonus`: 1 + w/(1 + days), a tie-breaker. `decay`: (1 − w) + w · exp(−days/d), which lets the old sink. */
export type Recency =
  | { readonly kind: 'bonus'; readonly weight: number }
  | { readonly kind: 'decay'; readonly weight: number; readonly days: number }

/** A weight of 0 leaves its signal out. */
export type SignalSettings = {
  readonly recency: Recency | null
  /** 1 + w · (salience − 0.5) */
  readonly salienceWeight: number
  /** (1 − w) + w · effective confidence; at 1 the confidence multiplies as it is. */
  readonly confidenceWeight: number
  /** (1 − w) + w · the boost of the sector */
  readonly sectorWeight: number
  /** All signals together stay within 1 − bound and 1 + bound; null: as they come. */
  readonly bound: number | null
}

/**
 * The score times its signals, never above 1.
 * By hand, the settings of the default lens: .6, of yesterday, salience .75, no sector, confidence 1
 * → .6 · (1 + .1/2) · (1 + .2 · .25) · 1 = .6 · 1.1025 = .6615.
 */
export function applySignals(
  scored: Scored,
  facts: RecordFacts,
  settings: SignalSettings & { readonly now: number },
): Scored {
  const signals = explainSignals(facts, settings)
  if (signals === null) return scored
  const product = productOf('match and signals', [scored.explanation, signals])
  return { id: scored.id, explanation: capAtOne(product) }
}

/** The most that the signals of any record can be together. */
export function mostOfSignals(settings: SignalSettings): number {
  const { recency, salienceWeight, confidenceWeight, sectorWeight, bound } = settings
  const boosts = [1, ...Object.values(SECTOR_BOOSTS)]
  const partOf = (weight: number, value: number): number => 1 - weight + weight * value
  const factors: Range[] = [
    {
      least: 1 - salienceWeight * NEUTRAL_SALIENCE,
      most: 1 + salienceWeight * (1 - NEUTRAL_SALIENCE),
    },
    { least: partOf(confidenceWeight, 0), most: 1 },
    {
      least: partOf(sectorWeight, Math.min(...boosts)),
      most: partOf(sectorWeight, Math.max(...boosts)),
    },
  ]
  if (recency?.kind === 'bonus') factors.push({ least: 1, most: 1 + recency.weight })
  if (recency?.kind === 'decay') factors.push({ least: 1 - recency.weight, most: 1 })
  const { most } = factors.reduce(productOfRanges)
  return bound === null ? most : Math.min(1 + bound, Math.max(1 - bound, most))
}

/** A weight above 1 makes a factor that may be below 0: then the least of one meets the most of the other. */
function productOfRanges(a: Range, b: Range): Range {
  const ends = [a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most]
  return { least: Math.min(...ends), most: Math.max(...ends) }
}

type Range = { readonly least: number; readonly most: number }

/** The factor of all signals together, or null where there are none. */
function explainSignals(
  facts: RecordFacts,
  settings: SignalSettings & { readonly now: number },
): Explanation | null {
  const factors: Explanation[] = []
  if (settings.recency !== null && settings.recency.weight > 0) {
    const days = daysSince(facts.createdAtMs, settings.now)
    factors.push(explainRecency(days, settings.recency))
  }
  if (settings.salienceWeight > 0) {
    factors.push(
      plusWeighted('salience', settings.salienceWeight, {
        name: `salience less ${NEUTRAL_SALIENCE}`,
        score: clampUnit(facts.salience) - NEUTRAL_SALIENCE,
      }),
    )
  }
  if (settings.confidenceWeight > 0) {
    const confidence = clampUnit(facts.confidence)
    factors.push(inPart('confidence', settings.confidenceWeight, confidence))
  }
  if (settings.sectorWeight > 0 && facts.sector !== null) {
    const name = `sector ${facts.sector}`
    factors.push(inPart(name, settings.sectorWeight, SECTOR_BOOSTS[facts.sector]))
  }
  if (factors.length === 0) return null
  return keepWithin(productOf('signals', factors), settings.bound)
}

/** By hand: `bonus` of .1 after 4 days 1 + .1/5 = 1.02; `decay` of .6 in 30 days, after 30: .4 + .6/e = .6207. */
function explainRecency(days: number, recency: Recency): Explanation {
  switch (recency.kind) {
    case 'bonus':
      return plusWeighted('recency', recency.weight, {
        name: '1 / (1 + days)',
        score: 1 / (1 + days),
      })
    case 'decay':
      return inPart('recency', recency.weight, Math.exp(-days / recency.days))
  }
}

/** 1 + w · x */
function plusWeighted(
  name: string,
  weight: number,
  value: { readonly name: string; readonly score: number },
): Explanation {
  return sumOf(name, [
    given('neutral', 1),
    productOf('on top', [given('weight', weight), given(value.name, value.score)]),
  ])
}

/** (1 − w) + w · x */
function inPart(name: string, weight: number, value: number): Explanation {
  if (weight === 1) return given(name, value)
  return sumOf(name, [
    given('in any case', 1 - weight),
    productOf('in part', [given('weight', weight), given('value', value)]),
  ])
}

/** What is too much is taken off and what is too little is added; a factor could not lift a 0. */
function keepWithin(tree: Explanation, bound: number | null): Explanation {
  if (bound === null) return tree
  const kept = Math.min(1 + bound, Math.max(1 - bound, tree.score))
  if (kept === tree.score) return tree
  const percent = Math.round(bound * 100)
  return sumOf(tree.name, [tree, given(`kept within ±${percent} %`, kept - tree.score)])
}
