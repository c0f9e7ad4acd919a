/** A memory is ranked by how well it matches, how much it matters and how fresh it is, in fixed shares. */

import type { Explanation } from '../core/answer.js'
import type { Sector } from '../core/record.js'
import {
  type Candidate,
  clampUnit,
  daysSince,
  type Scored,
  similarityOf,
  strengthOf,
} from './candidate.js'
import { given, productOf, sumOf } from './explain.js'
import { capAtOne, sortBestFirst } from './order.js'

/** What each part counts. */
export const MEMORY_WEIGHTS = { similarity: 0.4, keyword: 0.25, salience: 0.2, recency: 0.15 }
/** The |bm25| that has the whole of the keyword part. */
export const MEMORY_FULL_STRENGTH = 10
/** Per day since the record was created. */
export const MEMORY_RECENCY_RATE = 0.05
/** What a record that was corrected keeps. */
export const SUPERSEDED_FACTOR = 0.5
export const SECTOR_BOOSTS: Readonly<Record<Sector, number>> = {
  reflective: 1.2,
  semantic: 1.1,
  procedural: 1,
  emotional: 0.9,
  episodic: 0.8,
}

export type MemoryWeights = Readonly<Record<keyof typeof MEMORY_WEIGHTS, number>>

export type MemorySettings = {
  readonly weights?: Partial<MemoryWeights>
  readonly fullStrength?: number
  readonly recencyRate?: number
  readonly supersededFactor?: number
  readonly sectorBoosts?: Partial<Readonly<Record<Sector, number>>>
}

/**
 * (.40 · cos + .25 · min(1, |bm25|/10) + .20 · salience + .15 · exp(−.05 · days)) · sector boost · .5 if superseded
 * · effective confidence, at most 1. The cosine is raw, one below zero counts as 0.
 * By hand: cos .5, bm25 −5, salience .5, of today, semantic, confidence 1
 * → (.2 + .125 + .1 + .15) · 1.1 = .575 · 1.1 = .6325.
 */
export function memoryScore(
  candidates: readonly Candidate[],
  { now, ...settings }: MemorySettings & { readonly now: number },
): Scored[] {
  return sortBestFirst(
    candidates.map((candidate) => ({
      id: candidate.id,
      explanation: explainMemory(candidate, settings, now),
    })),
  )
}

function explainMemory(candidate: Candidate, settings: MemorySettings, now: number): Explanation {
  const { createdAtMs, salience, confidence, sector, isSuperseded } = candidate.facts
  const weights = { ...MEMORY_WEIGHTS, ...settings.weights }
  const strength = strengthOf(candidate) / (settings.fullStrength ?? MEMORY_FULL_STRENGTH)
  const rate = settings.recencyRate ?? MEMORY_RECENCY_RATE
  const values: MemoryWeights = {
    similarity: similarityOf(candidate),
    keyword: clampUnit(strength),
    salience: clampUnit(salience),
    recency: Math.exp(-rate * daysSince(createdAtMs, now)),
  }
  const part = (name: keyof MemoryWeights): Explanation =>
    productOf(name, [given('weight', weights[name]), given('value', values[name])])
  const factors = [
    sumOf('parts', [part('similarity'), part('keyword'), part('salience'), part('recency')]),
  ]
  if (sector !== null) {
    const boost = settings.sectorBoosts?.[sector] ?? SECTOR_BOOSTS[sector]
    factors.push(given(`sector ${sector}`, boost))
  }
  if (isSuperseded) {
    factors.push(given('superseded', settings.supersededFactor ?? SUPERSEDED_FACTOR))
  }
  factors.push(given('confidence', clampUnit(confidence)))
  return capAtOne(productOf('memory', factors))
}
