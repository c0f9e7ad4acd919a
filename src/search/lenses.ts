/** The built-in lenses: how candidates become an order, and how the numbers of a request change that. */

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

/** The share of a score that the `recent` lens makes depend on age, and the days after which 1/e of it is left. */
export const RECENT_WEIGHT = 0.6
export const RECENT_DAYS = 30
/** In the `exact` lens vectors only order what the words leave equal. */
export const EXACT_KEYWORD_WEIGHT = 0.9
export const EXACT_SEMANTIC_WEIGHT = 0.1

const NO_SIGNALS: SignalSettings = {
  recency: null,
  salienceWeight: 0,
  confidenceWeight: 0,
  sectorWeight: 0,
  bound: null,
}

/** Recency and confidence to the letter: nothing else, and no bound. */
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

/** Larger numbers change nothing any more, and the largest would overflow. */
export const MOST_OVERRIDE = 1_000_000
/** As a signal: 1 + w · (s − .5) stays above zero for the least salience. The memory formula has no such limit. */
export const MOST_SALIENCE_WEIGHT = 2

/** The numbers of a request that change a lens; `alpha` is the weight of vectors in fusion by rank. */
type Weight = 'keywordWeight' | 'vectorWeight' | 'recencyWeight' | 'salienceWeight'
export type Overrides = Partial<Pick<SearchRequest, 'alpha' | 'k' | Weight>>

/**
 * The built-in lens of that name with the numbers of a request. `alpha` or `k` chooses fusion by rank, weights alone the
 * weighted fusion; a lens whose fusion has the number already keeps it. `recencyWeight` and `salienceWeight` set those of
 * whatever is chosen.
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
  // The memory formula has its signals inside: another fusion would lose confidence and recency.
  let signals = lens.fusion.kind === 'memory' ? RANK_SIGNALS : lens.signals
  if (recencyWeight !== undefined) {
    const own = signals?.recency ?? { kind: 'bonus', weight: RECENCY_WEIGHT }
    // A decay takes away a share, and there is no more than the whole.
    const weight = own.kind === 'decay' ? Math.min(1, recencyWeight) : recencyWeight
    signals = { ...(signals ?? NO_SIGNALS), recency: { ...own, weight } }
  }
  if (salienceWeight !== undefined) {
    const weight = Math.min(MOST_SALIENCE_WEIGHT, salienceWeight)
    signals = { ...(signals ?? NO_SIGNALS), salienceWeight: weight }
  }
  return { ...lens, fusion, signals }
}

/** One weight alone stands against the rest of 1. */
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

/** Checks what the schema of a request cannot: sizes that overflow, and numbers that exclude each other. */
function checkOverrides(overrides: Overrides): void {
  const { alpha, k, keywordWeight, vectorWeight, recencyWeight, salienceWeight } = overrides
  const numbers = { k, keywordWeight, vectorWeight, recencyWeight, salienceWeight }
  for (const [name, value = 0] of Object.entries(numbers)) {
    if (value <= MOST_OVERRIDE) continue
    throw badInput(`${name} is ${value}.`, `Give ${name} as a number from 0 to ${MOST_OVERRIDE}.`)
  }
  if (alpha !== undefined && (keywordWeight ?? vectorWeight) !== undefined) {
    throw badInput('alpha and weights were both given.', 'Give either alpha or the weights.')
  }
  if (keywordWeight === 0 && vectorWeight === 0) {
    throw badInput('Both weights are 0.', 'Give at least one of them above zero.')
  }
}
