/** Multiplies a fused score by signals of the record: recency, salience, confidence, sector, boosts and time. */

import type { Explanation } from '../core/answer.js'
import type { Boost, BoostField } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import { daysSince } from '../core/time.js'
import type { Relaxation } from '../query/steps.js'
import type { TimeRange } from '../query/time-range.js'
import { capAtOne, leaf, product, type Scored, STEPS, sortBestFirst, sum } from './explain.js'
import { clampUnit, type RecordFacts, SECTOR_BOOSTS } from './fusion.js'

/** The bonus of a record created today over a very old one. */
export const RECENCY_WEIGHT = 0.1
export const NEUTRAL_SALIENCE = 0.5
/** The factor is 0.91 at the lowest salience and 1.1 at the highest. */
export const SALIENCE_WEIGHT = 0.2
export const CONFIDENCE_WEIGHT = 0.2
/** The factor is 0.996 to 1.004. A larger weight made chats worse, because rules classify their turns. */
export const SECTOR_WEIGHT = 0.02
/** In the default lens all signals together stay within 0.8 and 1.2. */
export const SIGNAL_BOUND = 0.2

/** `bonus`: 1 + w/(1 + days), breaks ties. `decay`: (1 − w) + w · exp(−days/d), ranks old records lower. */
export type Recency =
  | { readonly kind: 'bonus'; readonly weight: number }
  | { readonly kind: 'decay'; readonly weight: number; readonly days: number }

/** A weight of 0 switches its signal off. */
export type SignalSettings = {
  readonly recency: Recency | null
  /** 1 + w · (salience − 0.5) */
  readonly salienceWeight: number
  /** (1 − w) + w · effective confidence; a weight of 1 multiplies by the confidence itself. */
  readonly confidenceWeight: number
  /** (1 − w) + w · sector boost */
  readonly sectorWeight: number
  /** All signals together stay between 1 − bound and 1 + bound; null: no bound. */
  readonly bound: number | null
}

/**
 * The score times its signals, never above 1.
 * By hand, in the default lens: .6, created yesterday, salience .75, no sector, confidence 1
 * → .6 · (1 + .1/2) · (1 + .2 · .25) · 1 = .6 · 1.1025 = .6615.
 */
export function applySignals(
  scored: Scored,
  facts: RecordFacts,
  settings: SignalSettings & { readonly now: number },
): Scored {
  const signals = explainSignals(facts, settings)
  if (signals === null) return scored
  const tree = product('match and signals', [scored.explanation, signals])
  return { id: scored.id, explanation: capAtOne(tree) }
}

export function findMaxSignals(settings: SignalSettings): number {
  const { recency, salienceWeight, sectorWeight, bound } = settings
  if (bound !== null) return 1 + bound
  const bonus = recency?.kind === 'bonus' ? recency.weight : 0
  const sectorBoost = Math.max(...Object.values(SECTOR_BOOSTS)) - 1
  const salience = salienceWeight * (1 - NEUTRAL_SALIENCE)
  return (1 + bonus) * (1 + salience) * (1 + sectorWeight * sectorBoost)
}

function explainSignals(
  facts: RecordFacts,
  settings: SignalSettings & { readonly now: number },
): Explanation | null {
  const { recency, salienceWeight, confidenceWeight, sectorWeight, bound } = settings
  const factors: Explanation[] = []
  if (recency !== null && recency.weight > 0) {
    factors.push(explainRecency(daysSince(facts.createdAtMs, settings.now), recency))
  }
  if (salienceWeight > 0) {
    const salience = clampUnit(facts.salience) - NEUTRAL_SALIENCE
    const value = leaf(`salience less ${NEUTRAL_SALIENCE}`, salience)
    factors.push(addWeighted('salience', salienceWeight, value))
  }
  if (confidenceWeight > 0) {
    factors.push(mixWeighted('confidence', confidenceWeight, clampUnit(facts.confidence)))
  }
  if (sectorWeight > 0 && facts.sector !== null) {
    const boost = SECTOR_BOOSTS[facts.sector]
    factors.push(mixWeighted(`sector ${facts.sector}`, sectorWeight, boost))
  }
  return factors.length === 0 ? null : keepWithin(product('signals', factors), bound)
}

/** By hand: `bonus` .1 after 4 days is 1 + .1/5 = 1.02; `decay` .6 with d = 30 after 30 days is .4 + .6/e = .6207. */
function explainRecency(days: number, recency: Recency): Explanation {
  return recency.kind === 'bonus'
    ? addWeighted('recency', recency.weight, leaf('1 / (1 + days)', 1 / (1 + days)))
    : mixWeighted('recency', recency.weight, Math.exp(-days / recency.days))
}

/** 1 + w · x */
function addWeighted(name: string, weight: number, value: Explanation): Explanation {
  return sum(name, [leaf('neutral', 1), product('on top', [leaf('weight', weight), value])])
}

/** (1 − w) + w · x */
function mixWeighted(name: string, weight: number, value: number): Explanation {
  if (weight === 1) return leaf(name, value)
  return sum(name, [
    leaf('in any case', 1 - weight),
    product('in part', [leaf('weight', weight), leaf('value', value)]),
  ])
}

/** Adds the correction as a part of a sum, because a factor could not raise a 0. */
function keepWithin(tree: Explanation, bound: number | null): Explanation {
  if (bound === null) return tree
  const kept = Math.min(1 + bound, Math.max(1 - bound, tree.score))
  if (kept === tree.score) return tree
  const percent = Math.round(bound * 100)
  return sum(tree.name, [tree, leaf(`kept within ±${percent} %`, kept - tree.score)])
}

type Traits = Pick<CairnRecord, Exclude<BoostField, 'tag' | 'person'> | 'tags' | 'people'>

/**
 * The score times the factor of every boost that applies, never above 1.
 * By hand: .4, a tag boost of 1.5 and a kind boost of .8 → .4 · 1.5 · .8 = .48.
 */
export function applyBoosts<T extends Scored>(
  scored: readonly T[],
  records: ReadonlyMap<RecordId, Traits>,
  boosts: readonly Boost[],
): T[] {
  const boosted = scored.map((one): T => {
    const record = records.get(one.id)
    const applied = boosts.filter((boost) => record !== undefined && hasValue(record, boost))
    if (applied.length === 0) return one
    const factors = applied.map((one) => leaf(`boost ${one.field}:${one.value}`, one.factor))
    return { ...one, explanation: capAtOne(product('boosted', [one.explanation, ...factors])) }
  })
  return sortBestFirst(boosted)
}

function hasValue(record: Traits, { field, value }: Boost): boolean {
  const lists = { tag: record.tags, person: record.people }
  const values = field === 'tag' || field === 'person' ? lists[field] : [record[field]]
  return values.some((own) => own?.toLowerCase() === value.toLowerCase())
}

/** The bonus of a record from the time that the query names. */
export const TIME_BONUS = 0.1

/**
 * The score of a record in the range times 1.1, never above 1, and for keyword matches never above the range of their step.
 * By hand: .5 → .55; relaxed to any word, .48 → .5.
 */
export function preferRange<T extends Scored & { readonly relaxed?: Relaxation }>(
  scored: readonly T[],
  idsInRange: ReadonlySet<RecordId>,
  range: TimeRange,
): readonly T[] {
  if (idsInRange.size === 0) return scored
  const bonus = leaf(describeRange(range), 1 + TIME_BONUS)
  const preferred = scored.map((one) => {
    if (!idsInRange.has(one.id)) return one
    const tree = product('in time', [one.explanation, bonus])
    if (one.relaxed == null) return { ...one, explanation: capAtOne(tree) }
    const step = STEPS[one.relaxed]
    const excess = tree.score - (step.floor + step.range)
    if (excess <= 0) return { ...one, explanation: tree }
    const kept = sum('in time', [tree, leaf('never above its step', -excess)])
    return { ...one, explanation: kept }
  })
  return sortBestFirst(preferred)
}

/** `of 2026-11-09 to 2026-11-15`, in local days. */
export function describeRange({ fromMs, toMs }: TimeRange): string {
  const [from, to] = [fromMs, toMs - 1].map((ms) => {
    const date = new Date(ms)
    const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    return parts.map((part, i) => String(part).padStart(i === 0 ? 4 : 2, '0')).join('-')
  })
  return from === to ? `of ${from}` : `of ${from} to ${to}`
}
