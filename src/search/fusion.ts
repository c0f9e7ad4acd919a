/** Every way of joining words and meaning is named, and is data that a lens can hold. */

import { calibrated } from './calibrated.js'
import type { Candidate, Cover, Scored } from './candidate.js'
import { type CascadeSettings, cascade } from './cascade.js'
import { type MemorySettings, memoryScore } from './memory-score.js'
import { ALPHA, type RrfSettings, rrf } from './rrf.js'
import { KEYWORD_WEIGHT, SEMANTIC_WEIGHT, type WeightedSettings, weighted } from './weighted.js'

export type Fusion =
  | { readonly kind: 'calibrated' }
  | ({ readonly kind: 'rrf' } & RrfSettings)
  | ({ readonly kind: 'weighted' } & WeightedSettings)
  | ({ readonly kind: 'memory' } & MemorySettings)
  | { readonly kind: 'cascade' }

/** What a query brings with it, whatever the lens; `now` in milliseconds UTC. */
export type RankingContext = Cover & CascadeSettings & { readonly now: number }

/** Best first. Pure: `now` is passed in, and the order of the candidates makes no difference. */
export function fuse(
  fusion: Fusion,
  candidates: readonly Candidate[],
  context: RankingContext,
): Scored[] {
  switch (fusion.kind) {
    case 'calibrated':
      return calibrated(candidates, context)
    case 'rrf':
      return rrf(candidates, fusion)
    case 'weighted':
      return weighted(candidates, fusion)
    case 'memory':
      return memoryScore(candidates, { ...fusion, now: context.now })
    case 'cascade':
      return cascade(candidates, context)
  }
}

/** Which retrievers a fusion listens to: the other need not run, so that `alpha` 0 embeds nothing. */
export type Sides = { readonly words: boolean; readonly meaning: boolean }

export function sidesOf(fusion: Fusion): Sides {
  switch (fusion.kind) {
    case 'rrf': {
      const alpha = fusion.alpha ?? ALPHA
      return { words: alpha < 1, meaning: alpha > 0 }
    }
    case 'weighted':
      return {
        words: (fusion.keywordWeight ?? KEYWORD_WEIGHT) > 0,
        meaning: (fusion.semanticWeight ?? SEMANTIC_WEIGHT) > 0,
      }
    case 'calibrated':
    case 'memory':
    case 'cascade':
      return { words: true, meaning: true }
  }
}
