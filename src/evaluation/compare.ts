/** Writes the queries of a run to a file, reads them again, and compares two runs query by query. */

import { badInput } from '../core/errors.js'
import { textAt } from '../core/json-fields.js'
import { invalidLine, parseObject, readLines } from './judged-set.js'
import { type Answered, MEASURES, mean } from './metrics.js'

export type QueryLine = Answered & {
  readonly set: string
  readonly mode: string
  readonly query: string
  readonly ranking: readonly string[]
}

export function writeQueryLines(lines: readonly QueryLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

export async function readQueryLines(file: string): Promise<QueryLine[]> {
  const lines: QueryLine[] = []
  for await (const line of readLines(file)) {
    const { ranking, ...fields } = parseObject(file, line)
    const [set, mode, query] = ['set', 'mode', 'query'].map((name) => textAt(fields, name))
    if (!set || !mode || !query) {
      throw invalidLine(file, line, 'it has no set, mode or query; write it with --per-query')
    }
    const missing = [...MEASURES, 'ms'].find((name) => typeof fields[name] !== 'number')
    if (missing !== undefined) throw invalidLine(file, line, `it has no ${missing}`)
    const found = Array.isArray(ranking) ? ranking.map(String) : []
    lines.push({ ...(fields as Answered), set, mode, query, ranking: found })
  }
  if (lines.length === 0) throw badInput(`${file} has no queries.`, 'Write it with --per-query.')
  return lines
}

export type Comparison = { readonly mode: string } & ReturnType<typeof summarizeChanges>

export type Change = {
  readonly set: string
  readonly query: string
  readonly before: number
  readonly after: number
}

const MAX_CHANGES = 10
/** Differences smaller than this are rounding. */
const TIE = 1e-9
/** Up to this many differences every choice of signs is tried. */
const EXACT_UP_TO = 14
const SAMPLES = 20_000

/** Compares nDCG@10 mode by mode, in the order of the second run. */
export function compareRuns(
  before: readonly QueryLine[],
  after: readonly QueryLine[],
): Comparison[] {
  const keyOf = ({ set, mode, query }: QueryLine): string => JSON.stringify([set, mode, query])
  const known = new Map(before.map((line) => [keyOf(line), line['ndcg@10']]))
  const modes = [...new Set(after.map(({ mode }) => mode))]
  return modes.map((mode) => {
    const changes = after.flatMap((line): Change[] => {
      const old = line.mode === mode ? known.get(keyOf(line)) : undefined
      const { set, query } = line
      return old === undefined ? [] : [{ set, query, before: old, after: line['ndcg@10'] }]
    })
    return { mode, ...summarizeChanges(changes) }
  })
}

function summarizeChanges(changes: readonly Change[]) {
  const growth = (one: Change): number => one.after - one.before
  const before = mean(changes.map((one) => one.before))
  const after = mean(changes.map((one) => one.after))
  const moved = changes.filter((one) => Math.abs(growth(one)) > TIE)
  return {
    /** Queries that both runs asked. */
    queries: changes.length,
    before,
    after,
    difference: after - before,
    wins: moved.filter((one) => growth(one) > 0).length,
    losses: moved.filter((one) => growth(one) < 0).length,
    ties: changes.length - moved.length,
    /** How often chance alone would make a difference at least as large. */
    p: randomizationTest(changes.map(growth)),
    /** The queries that changed most, the largest loss first. */
    most: moved
      .toSorted((a, b) => Math.abs(growth(b)) - Math.abs(growth(a)))
      .slice(0, MAX_CHANGES)
      .toSorted((a, b) => growth(a) - growth(b)),
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
  const toss = createCoin(moved.length)
  let reached = 1
  for (let sample = 0; sample < SAMPLES; sample++) {
    let sum = 0
    for (const one of moved) sum += toss() ? one : -one
    if (Math.abs(sum) >= seen) reached++
  }
  // The run itself counts as one of the samples, so that p is never 0.
  return reached / (SAMPLES + 1)
}

/** The same coin tosses every time, so that a comparison can be repeated (Mulberry32). */
function createCoin(seed: number): () => boolean {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) & 1) === 1
  }
}
