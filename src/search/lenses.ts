/** The built-in lenses: each ranks candidates by a formula and signals, which a request can override. */

import { badInput, noLens } from '../core/errors.js'
import { omitUndefined } from '../core/json-fields.js'
import type { SearchRequest } from '../schemas/search-request.js'
import { type Scored, sortBestFirst } from './explain.js'
import { type Candidate, type Fusion, fuse, type RankingContext } from './fusion.js'
import {
  applySignals,
  CONFIDENCE_WEIGHT,
  RECENCY_WEIGHT,
  SALIENCE_WEIGHT,
  SECTOR_WEIGHT,
  SIGNAL_BOUND,
  type SignalSettings,
} from './signals.js'

export type Lens = {
  readonly name: string
  readonly sentence: string
  readonly fusion: Fusion
  readonly signals: SignalSettings | null
}

export const DEFAULT_LENS = 'balanced'

/** In the `recent` lens, this share of the score decays with age, to 1/e after this many days. */
export const RECENT_WEIGHT = 0.6
export const RECENT_DAYS = 30
/** In the `exact` lens, vectors mainly break ties between keyword matches. */
export const EXACT_KEYWORD_WEIGHT = 0.9
export const EXACT_SEMANTIC_WEIGHT = 0.1

const NO_SIGNALS: SignalSettings = {
  recency: null,
  salienceWeight: 0,
  confidenceWeight: 0,
  sectorWeight: 0,
  bound: null,
}

/** Recency and confidence only, without a bound. */
export const RANK_SIGNALS: SignalSettings = {
  ...NO_SIGNALS,
  recency: { kind: 'bonus', weight: RECENCY_WEIGHT },
  confidenceWeight: 1,
}

export const LENSES: readonly Lens[] = [
  {
    name: DEFAULT_LENS,
    sentence: 'Words and meaning together; recency, salience, confidence and sector break ties.',
    fusion: { kind: 'calibrated' },
    signals: {
      recency: { kind: 'bonus', weight: RECENCY_WEIGHT },
      salienceWeight: SALIENCE_WEIGHT,
      confidenceWeight: CONFIDENCE_WEIGHT,
      sectorWeight: SECTOR_WEIGHT,
      bound: SIGNAL_BOUND,
    },
  },
  {
    name: 'rank',
    sentence:
      'Fuses the keyword and the semantic list by rank alone, times recency and confidence.',
    fusion: { kind: 'rrf' },
    signals: RANK_SIGNALS,
  },
  {
    name: 'memory',
    sentence: 'For an agent: similarity, words, salience and recency in fixed shares, by sector.',
    fusion: { kind: 'memory' },
    signals: null,
  },
  {
    name: 'literature',
    sentence: 'For papers: mostly meaning, some words, whatever their age.',
    fusion: { kind: 'weighted' },
    signals: null,
  },
  {
    name: 'cascade',
    sentence: 'Strong semantic matches first, then the other records that have the words.',
    fusion: { kind: 'cascade' },
    signals: null,
  },
  {
    name: 'recent',
    sentence: 'Words and meaning together, but a record a month old needs a much better match.',
    fusion: { kind: 'calibrated' },
    signals: {
      ...NO_SIGNALS,
      recency: { kind: 'decay', weight: RECENT_WEIGHT, days: RECENT_DAYS },
    },
  },
  {
    name: 'exact',
    sentence: 'The words decide: for names, codes and error messages.',
    fusion: {
      kind: 'weighted',
      keywordWeight: EXACT_KEYWORD_WEIGHT,
      semanticWeight: EXACT_SEMANTIC_WEIGHT,
    },
    signals: null,
  },
]

export function applyLens(
  { fusion, signals }: Lens,
  candidates: readonly Candidate[],
  context: RankingContext,
): Scored[] {
  const fused = fuse(fusion, candidates, context)
  if (signals === null) return fused
  const settings = { ...signals, now: context.now }
  const factsById = new Map(candidates.map(({ id, facts }) => [id, facts]))
  return sortBestFirst(
    fused.map((scored) => {
      const facts = factsById.get(scored.id)
      return facts === undefined ? scored : applySignals(scored, facts, settings)
    }),
  )
}

/** Larger numbers change nothing, and the largest would overflow. */
export const MAX_OVERRIDE = 1_000_000
/** Keeps the signal 1 + w · (s − .5) above zero at the lowest salience. The memory formula needs no limit. */
export const MAX_SALIENCE_WEIGHT = 2

/** The options of a request that change a lens; `alpha` is the weight of vectors in fusion by rank. */
type Weight = 'keywordWeight' | 'vectorWeight' | 'recencyWeight' | 'salienceWeight'
export type Overrides = Partial<Pick<SearchRequest, 'alpha' | 'k' | Weight>>

/**
 * The built-in lens of that name with the overrides of a request. `alpha` or `k` chooses fusion by rank, weights alone choose
 * weighted fusion, except in the memory lens, which has these weights. `recencyWeight` and `salienceWeight` apply to any
 * lens.
 */
export function chooseLens(name: string, overrides: Overrides = {}): Lens {
  const lens = LENSES.find((known) => known.name === name)
  if (lens === undefined) throw noLens(name, LENSES)
  checkOverrides(overrides)
  const fusion = overrideFusion(lens.fusion, overrides)
  const { recencyWeight, salienceWeight } = overrides
  if (fusion.kind === 'memory') {
    const own = omitUndefined({ recency: recencyWeight, salience: salienceWeight })
    if (Object.keys(own).length === 0) return { ...lens, fusion }
    return { ...lens, fusion: { ...fusion, weights: { ...fusion.weights, ...own } } }
  }
  // The memory formula contains its signals: another fusion would lose confidence and recency.
  let signals = lens.fusion.kind === 'memory' ? RANK_SIGNALS : lens.signals
  if (recencyWeight !== undefined) {
    const own = signals?.recency ?? { kind: 'bonus', weight: RECENCY_WEIGHT }
    // The weight of a decay is a share, so at most 1.
    const weight = own.kind === 'decay' ? Math.min(1, recencyWeight) : recencyWeight
    signals = { ...(signals ?? NO_SIGNALS), recency: { ...own, weight } }
  }
  if (salienceWeight !== undefined) {
    const weight = Math.min(MAX_SALIENCE_WEIGHT, salienceWeight)
    signals = { ...(signals ?? NO_SIGNALS), salienceWeight: weight }
  }
  return { ...lens, fusion, signals }
}

/** If only one weight is given, the other is the rest to 1, at least 0. */
function overrideFusion(fusion: Fusion, overrides: Overrides): Fusion {
  const { alpha, k, keywordWeight, vectorWeight } = overrides
  const hasWeights = keywordWeight !== undefined || vectorWeight !== undefined
  const keyword = keywordWeight ?? Math.max(0, 1 - (vectorWeight ?? 0))
  const semantic = vectorWeight ?? Math.max(0, 1 - (keywordWeight ?? 0))
  if (alpha !== undefined || k !== undefined) {
    const share = hasWeights ? semantic / (keyword + semantic) : undefined
    const before = fusion.kind === 'rrf' ? fusion : {}
    return { kind: 'rrf', ...before, ...omitUndefined({ k, alpha: alpha ?? share }) }
  }
  if (!hasWeights) return fusion
  if (fusion.kind !== 'memory') {
    return { kind: 'weighted', keywordWeight: keyword, semanticWeight: semantic }
  }
  const own = omitUndefined({ keyword: keywordWeight, similarity: vectorWeight })
  return { ...fusion, weights: { ...fusion.weights, ...own } }
}

/** Checks what the schema cannot: numbers that overflow, and options that exclude each other. */
function checkOverrides(overrides: Overrides): void {
  const { alpha, k, keywordWeight, vectorWeight, recencyWeight, salienceWeight } = overrides
  const numbers = { k, keywordWeight, vectorWeight, recencyWeight, salienceWeight }
  for (const [name, value = 0] of Object.entries(numbers)) {
    if (value <= MAX_OVERRIDE) continue
    throw badInput(`${name} is ${value}.`, `Give ${name} as a number from 0 to ${MAX_OVERRIDE}.`)
  }
  if (alpha !== undefined && (keywordWeight ?? vectorWeight) !== undefined) {
    throw badInput('alpha and weights were both given.', 'Give either alpha or the weights.')
  }
  if (keywordWeight === 0 && vectorWeight === 0) {
    throw badInput('Both weights are 0.', 'Give at least one of them above zero.')
  }
}
