/** Every built-in lens stands in one table, with a sentence that says what it is for. */

import { badInput } from '../core/errors.js'
import type { Candidate, Scored } from './candidate.js'
import { type Fusion, fuse, type RankingContext } from './fusion.js'
import { sortBestFirst } from './order.js'
import {
  applySignals,
  CONFIDENCE_WEIGHT,
  RECENCY_WEIGHT,
  SALIENCE_WEIGHT,
  SECTOR_WEIGHT,
  SIGNAL_BOUND,
  type SignalSettings,
} from './signals.js'

/** How candidates become an order: plain data, so that it can be saved. */
export type Lens = {
  readonly name: string
  /** What it is for, as one sentence. */
  readonly sentence: string
  readonly fusion: Fusion
  readonly signals: SignalSettings | null
}

export const DEFAULT_LENS = 'balanced'

/** The share of a score that the `recent` lens makes depend on age, and the days after which 1/e of it is left. */
export const RECENT_WEIGHT = 0.6
export const RECENT_DAYS = 30
/** In the `exact` lens meaning only orders what the words leave equal. */
export const EXACT_KEYWORD_WEIGHT = 0.9
export const EXACT_SEMANTIC_WEIGHT = 0.1

export const NO_SIGNALS: SignalSettings = {
  recency: null,
  salienceWeight: 0,
  confidenceWeight: 0,
  sectorWeight: 0,
  bound: null,
}

/** Recency and confidence to the letter: nothing else, and nothing held back. */
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
    sentence: 'Joins the two lists by place alone, times recency and confidence.',
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
    sentence: 'What is clearly near in meaning first, what has the words behind it.',
    fusion: { kind: 'cascade' },
    signals: null,
  },
  {
    name: 'recent',
    sentence: 'Words and meaning together, but what is a month old needs a much better match.',
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

/** The built-in lens of that name; an unknown name is refused with those there are. */
export function findLens(name: string): Lens {
  const lens = LENSES.find((known) => known.name === name)
  if (lens !== undefined) return lens
  const names = LENSES.map((known) => known.name).join(', ')
  throw badInput(`There is no lens "${name}".`, `Choose one of: ${names}.`)
}

/** Fusion, then signals, then the order: best first, equal scores by id. */
export function rankCandidates(
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
