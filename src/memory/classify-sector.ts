/** Every text has a sector, and the reasons are the rules that said so. */

import { SECTORS, type Sector } from '../core/record.js'
import { type CueIndex, findCues, indexCues, wordsOf } from './cues.js'
import type { SectorRule } from './sector-rule.js'
import { SECTOR_RULES } from './sector-rules.js'

/** What a text is about stands at its beginning; the rest of a long one is not read. */
export const MOST_READ_CHARS = 2000
/** A sum below this says nothing. */
export const LEAST_POINTS = 2

export type Classified = { readonly sector: Sector; readonly because: readonly string[] }

type Owned = SectorRule & { readonly sector: Sector }

const RULES: readonly Owned[] = SECTORS.flatMap((sector) =>
  SECTOR_RULES[sector].map((rule) => ({ ...rule, sector })),
)
/** Made with the first text that has no sector: most programs start without one. */
let index: CueIndex<Owned> | null = null
function cueIndex(): CueIndex<Owned> {
  index ??= indexCues(
    RULES.flatMap((rule) =>
      rule.cues === undefined ? [] : [{ cues: rule.cues, at: rule.at ?? 'anywhere', owner: rule }],
    ),
  )
  return index
}
const SHAPES = RULES.filter(({ shape }) => shape !== undefined)

/**
 * The sector with the largest sum of the weights of its rules, each of which counts once. `semantic` where the sum is
 * less than 2 (a lone hint) and where two sectors have the same.
 * By hand: "Yesterday we fixed the build." meets "a moment in the past" (3), "somebody did something" (2) and "who did it"
 * (1), all episodic, and "about oneself" (1), which is reflective → episodic with 6.
 */
export function classifySector(text: string): Classified {
  const met = rulesMet(text.slice(0, MOST_READ_CHARS))
  const points = new Map<Sector, number>()
  for (const { sector, weight } of met.keys()) {
    points.set(sector, (points.get(sector) ?? 0) + weight)
  }
  const [best, second] = [...points].sort(([, a], [, b]) => b - a)
  if (best === undefined || best[1] < LEAST_POINTS) {
    return { sector: 'semantic', because: ['nothing says otherwise'] }
  }
  if (best[1] === second?.[1]) {
    return { sector: 'semantic', because: [`as much says ${best[0]} as ${second[0]}`] }
  }
  const because = [...met]
    .filter(([rule]) => rule.sector === best[0])
    .map(([{ reason }, words]) => `${reason}: "${words}"`)
  return { sector: best[0], because }
}

/** The rules that the text meets, each with the words that met it. */
function rulesMet(text: string): Map<Owned, string> {
  const words = wordsOf(text)
  const met = findCues(cueIndex(), words)
  for (const rule of SHAPES) {
    const found = met.has(rule) ? undefined : rule.shape?.(text, words)
    if (found !== undefined) met.set(rule, found)
  }
  return met
}
