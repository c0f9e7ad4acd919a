/** What one rule of a sector is, and how its cues are written. */

import type { Shape } from './sector-shapes.js'

/**
 * Cues are words or phrases with `|` between them, compared as whole words without regard to case. `frustrat*` is every
 * word that begins so, `*ing` every word that ends so, `*` any one word, `<feeling>` any word of that class in
 * `word-classes.ts`. A `shape` is for what cues cannot say.
 */
export type SectorRule = {
  /**
   * 5 and 4: says so outright. 3: a clear sign. 2: a sign. 1: a hint, which alone decides nothing. Insights and feelings
   * are mostly told in the past tense, so their signs outweigh those of an event.
   */
  readonly weight: 1 | 2 | 3 | 4 | 5
  readonly reason: string
  /** Where the first word of a cue must stand; anywhere unless given. A clause begins after a comma too. */
  readonly at?: 'sentence' | 'clause'
  readonly cues?: string
  readonly shape?: Shape
}
