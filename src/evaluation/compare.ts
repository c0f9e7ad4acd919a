/** Two runs are compared query by query, and the difference is told with how likely chance would do it. */

import { mean } from './metrics.js'
import type { QueryLine } from './per-query.js'

export type Comparison = {
  readonly mode: string
  /** Queries that both runs asked. */
  readonly queries: number
  readonly before: number
  readonly after: number
  readonly difference: number
  readonly wins: number
  readonly losses: number
  readonly ties: number
  /** How often chance alone would make a difference at least as large. */
  readonly p: number
  /** The queries that changed most, the largest loss first. */
  readonly most: readonly Change[]
}

export type Change = {
  readonly set: string
  readonly query: string
  readonly before: number
  readonly after: number
}

type Measure = 'ndcg@10' | 'recall@10'

const MOST_CHANGES = 10
/** Differences smaller than this are rounding. */
const TIE = 1e-9
/** Up to so many differences every choice of signs is tried. */
const EXACT_UP_TO = 14
const SAMPLES = 20_000

/** Mode by mode, in the order of the second run. */
export function compareRuns(
  before: readonly QueryLine[],
  after: readonly QueryLine[],
  measure: Measure = 'ndcg@10',
): Comparison[] {
  const known = new Map(before.map((line) => [keyOf(line), line]))
  const modes = [...new Set(after.map(({ mode }) => mode))]
  return modes.map((mode) => {
    const pairs = after.flatMap((line) => {
      const old = line.mode === mode ? known.get(keyOf(line)) : undefined
      return old === undefined ? [] : [{ old, line }]
    })
    const changes = pairs.map(({ old, line }) => ({
      set: line.set,
      query: line.query,
      before: old[measure],
      after: line[measure],
    }))
    return { mode, ...summaryOf(changes) }
  })
}

function keyOf({ set, mode, query }: QueryLine): string {
  return JSON.stringify([set, mode, query])
}

function summaryOf(changes: readonly Change[]): Omit<Comparison, 'mode'> {
  const differences = changes.map((one) => one.after - one.before)
  const before = mean(changes.map((one) => one.before))
  const after = mean(changes.map((one) => one.after))
  const moved = changes.filter((one) => Math.abs(one.after - one.before) > TIE)
  return {
    queries: changes.length,
    before,
    after,
    difference: after - before,
    wins: differences.filter((one) => one > TIE).length,
    losses: differences.filter((one) => one < -TIE).length,
    ties: changes.length - moved.length,
    p: randomizationTest(differences),
    most: moved
      .toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
      .slice(0, MOST_CHANGES)
      .toSorted((a, b) => a.after - a.before - (b.after - b.before)),
  }
}

/**
 * Fisher's paired randomization test, two-sided: if the two runs were the same, each difference could as well have had
 * the other sign; p is the share of all choices of signs whose sum is at least as far from zero. With many differences
 * a fixed sample of them stands for all (Smucker, Allan and Carterette, 2007).
 * By hand: 1, 1, 1 → of eight choices two reach 3 → 0.25. Nothing but zeros → 1.
 */
export function randomizationTest(differences: readonly number[]): number {
  const moved = differences.filter((one) => Math.abs(one) > TIE)
  const seen = Math.abs(moved.reduce((sum, one) => sum + one, 0)) - TIE
  if (moved.length === 0) return 1
  if (moved.length <= EXACT_UP_TO) {
    const choices = 2 ** moved.length
    let reached = 0
    for (let signs = 0; signs < choices; signs++) {
      const sum = moved.reduce((so, one, i) => so + ((signs >> i) & 1 ? one : -one), 0)
      if (Math.abs(sum) >= seen) reached++
    }
    return reached / choices
  }
  const chance = createChance(moved.length)
  let reached = 1
  for (let sample = 0; sample < SAMPLES; sample++) {
    let sum = 0
    for (const one of moved) sum += chance() ? one : -one
    if (Math.abs(sum) >= seen) reached++
  }
  // What was seen counts as one of the samples, so that p is never 0.
  return reached / (SAMPLES + 1)
}

/** The same coins every time, so that a comparison can be repeated (Mulberry32). */
function createChance(seed: number): () => boolean {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) & 1) === 1
  }
}
