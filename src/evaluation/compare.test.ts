/** The comparison of two runs is right by hand, fair to both, and certain only where it may be. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareRuns, type QueryLine, randomizationTest } from './compare.js'

const line = (query: string, ndcg: number, more: Partial<QueryLine> = {}): QueryLine => ({
  set: 'tides',
  mode: 'hybrid',
  query,
  'ndcg@10': ndcg,
  'recall@5': 0,
  'recall@10': 0,
  'recall@100': 0,
  'mrr@10': 0,
  map: 0,
  ms: 1,
  ranking: [],
  ...more,
})

describe('the test of significance', () => {
  test('is right by hand', () => {
    expect(randomizationTest([1, 1, 1])).toBe(0.25)
    expect(randomizationTest([1])).toBe(1)
    expect(randomizationTest([])).toBe(1)
    expect(randomizationTest([0, 0, 0])).toBe(1)
    // Of 16 choices: ±10, ±8 (twice two), … only all plus and all minus reach 10.
    expect(randomizationTest([1, 2, 3, 4])).toBe(2 / 16)
  })

  test('does not care which run comes first, and is never 0 or above 1', () => {
    const differences = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 30 })
    fc.assert(
      fc.property(differences, (given) => {
        const p = randomizationTest(given)
        expect(p).toBeGreaterThan(0)
        expect(p).toBeLessThanOrEqual(1)
        expect(randomizationTest(given.map((one) => -one))).toBeCloseTo(p, 1)
      }),
      { numRuns: 50 },
    )
  })

  test('the sample agrees with all choices', () => {
    const fourteen = [0.3, -0.1, 0.2, 0.4, -0.2, 0.1, 0.05, 0.3, -0.3, 0.2, 0.1, 0.2, -0.1, 0.25]
    const exact = randomizationTest(fourteen)
    // One more difference that hardly counts makes it a sample.
    expect(randomizationTest([...fourteen, 1e-6])).toBeCloseTo(exact, 1)
  })

  test('tells a clear gain from noise', () => {
    const gain = Array.from({ length: 60 }, (_, i) => 0.1 + (i % 5) / 100)
    const noise = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 0.1 : -0.1))
    expect(randomizationTest(gain)).toBeLessThan(0.001)
    expect(randomizationTest(noise)).toBeGreaterThan(0.5)
  })
})

describe('two runs', () => {
  test('are compared query by query, mode by mode', () => {
    const before = [line('a', 0.5), line('b', 0.5), line('c', 0.5), line('d', 1, { set: 'other' })]
    const after = [line('a', 0.75), line('b', 0.25), line('c', 0.5), line('new', 1)]
    const [comparison, ...others] = compareRuns(before, after)
    expect(others).toEqual([])
    expect(comparison).toMatchObject({ mode: 'hybrid', queries: 3, wins: 1, losses: 1, ties: 1 })
    expect(comparison?.difference).toBe(0)
    expect(comparison?.most.map(({ query }) => query)).toEqual(['b', 'a'])
  })

  test('a run is no better than itself', () => {
    const run = [line('a', 0.4), line('b', 0.9)]
    expect(compareRuns(run, run)).toMatchObject([{ difference: 0, wins: 0, losses: 0, p: 1 }])
  })
})
