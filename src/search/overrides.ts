/** A number given with a request chooses the fusion that has it, and changes nothing else of the lens. */

import { badInput } from '../core/errors.js'
import type { Fusion } from './fusion.js'
import { type Lens, NO_SIGNALS, RANK_SIGNALS } from './lenses.js'
import { RECENCY_WEIGHT, type SignalSettings } from './signals.js'

/** Larger numbers change nothing any more, and the largest would leave the range of numbers. */
export const MOST_OVERRIDE = 1_000_000

/** As a signal; the memory formula has no such end. */
export const MOST_SALIENCE_WEIGHT = 2

export type Overrides = {
  /** 0..1: the share of meaning in fusion by rank. */
  readonly alpha?: number | undefined
  readonly k?: number | undefined
  readonly keywordWeight?: number | undefined
  readonly vectorWeight?: number | undefined
  readonly recencyWeight?: number | undefined
  readonly salienceWeight?: number | undefined
}

/**
 * `alpha` or `k` chooses fusion by rank, weights alone the weighted fusion; a lens whose fusion has the number already
 * keeps it. One weight alone stands against the rest of 1. `recencyWeight` and `salienceWeight`
 * set those of whatever is chosen.
 */
export function withOverrides(lens: Lens, overrides: Overrides): Lens {
  checkOverrides(overrides)
  const fusion = chooseFusion(lens.fusion, overrides)
  // The memory formula has its signals inside: leaving it would lose confidence and recency altogether.
  const isFreed = lens.fusion.kind === 'memory' && fusion.kind !== 'memory'
  const chosen = { ...lens, fusion, signals: isFreed ? RANK_SIGNALS : lens.signals }
  const { recencyWeight, salienceWeight } = overrides
  const dated = recencyWeight === undefined ? chosen : withRecency(chosen, recencyWeight)
  return salienceWeight === undefined ? dated : withSalience(dated, salienceWeight)
}

function chooseFusion(fusion: Fusion, overrides: Overrides): Fusion {
  const { alpha, k, keywordWeight, vectorWeight } = overrides
  const weights = completeWeights(keywordWeight, vectorWeight)
  if (alpha !== undefined || k !== undefined) {
    const before = fusion.kind === 'rrf' ? fusion : {}
    const share =
      weights && weights.semanticWeight / (weights.keywordWeight + weights.semanticWeight)
    return { kind: 'rrf', ...before, ...defined({ k, alpha: alpha ?? share }) }
  }
  if (weights === undefined) return fusion
  if (fusion.kind !== 'memory') return { kind: 'weighted', ...weights }
  const own = defined({ keyword: keywordWeight, similarity: vectorWeight })
  return { ...fusion, weights: { ...fusion.weights, ...own } }
}

function completeWeights(
  keywordWeight: number | undefined,
  vectorWeight: number | undefined,
): { readonly keywordWeight: number; readonly semanticWeight: number } | undefined {
  if (keywordWeight === undefined && vectorWeight === undefined) return undefined
  return {
    keywordWeight: keywordWeight ?? Math.max(0, 1 - (vectorWeight ?? 0)),
    semanticWeight: vectorWeight ?? Math.max(0, 1 - (keywordWeight ?? 0)),
  }
}

function withRecency(lens: Lens, weight: number): Lens {
  const { fusion, signals } = lens
  if (fusion.kind === 'memory') {
    return { ...lens, fusion: { ...fusion, weights: { ...fusion.weights, recency: weight } } }
  }
  const own = signals?.recency ?? { kind: 'bonus', weight: RECENCY_WEIGHT }
  // A decay takes away a share, and there is no more than the whole.
  const recency = { ...own, weight: own.kind === 'decay' ? Math.min(1, weight) : weight }
  return { ...lens, signals: { ...(signals ?? RECENCY_ALONE), recency } }
}

function withSalience(lens: Lens, weight: number): Lens {
  const { fusion, signals } = lens
  if (fusion.kind === 'memory') {
    return { ...lens, fusion: { ...fusion, weights: { ...fusion.weights, salience: weight } } }
  }
  // 1 + w · (s − .5) stays above zero for the least salience.
  const salienceWeight = Math.min(MOST_SALIENCE_WEIGHT, weight)
  return { ...lens, signals: { ...(signals ?? NO_SIGNALS), salienceWeight } }
}

const RECENCY_ALONE: SignalSettings = { ...RANK_SIGNALS, confidenceWeight: 0 }

function checkOverrides(overrides: Overrides): void {
  const { alpha, k, keywordWeight, vectorWeight, recencyWeight, salienceWeight } = overrides
  const given = { alpha, k, keywordWeight, vectorWeight, recencyWeight, salienceWeight }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!(value >= 0 && value <= MOST_OVERRIDE)) {
      throw badInput(`${name} is ${value}.`, `Give ${name} as a number from 0 to ${MOST_OVERRIDE}.`)
    }
  }
  if (alpha !== undefined && alpha > 1) {
    throw badInput(`alpha is ${alpha}.`, 'Give alpha from 0 (words alone) to 1 (meaning alone).')
  }
  if (alpha !== undefined && (keywordWeight ?? vectorWeight) !== undefined) {
    throw badInput('alpha and weights were both given.', 'Give either alpha or the weights.')
  }
  if (keywordWeight === 0 && vectorWeight === 0) {
    throw badInput('Both weights are 0.', 'Give at least one of them above zero.')
  }
}

/** Without what was not given, so that it does not cover what was there before. */
function defined<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> }
}
