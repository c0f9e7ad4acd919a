import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  averagePrecision,
  judge,
  mean,
  median,
  ndcgAt,
  percentile,
  recallAt,
  reciprocalRankAt,
  summarize,
} from './metrics.js'

const judgedAs = (scores: Record<string, number>) => new Map(Object.entries(scores))
const ranked = (text: string) => text.split(' ')

const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnopqrst'), { maxLength: 20 })
const judgements = fc
  .dictionary(fc.constantFrom(...'abcdefghijklmnopqrst'), fc.integer({ min: -1, max: 4 }))
  .map(judgedAs)

describe('measures worked by hand [N8]', () => {
  test('nDCG with grades is the example above its formula', () => {
    const judged = judgedAs({ a: 2, b: 1 })
    expect(ndcgAt(10, ranked('x a b'), judged)).toBeCloseTo(0.66967, 5)
    expect(ndcgAt(10, ranked('a b x'), judged)).toBe(1)
    expect(ndcgAt(1, ranked('b a x'), judged)).toBe(0.5)
  })

  test('nDCG counts what was judged and never found', () => {
    // Found one of two at rank 1: 1 / (1 + 1 / log2 3) = 1 / 1.63093.
    expect(ndcgAt(10, ['a'], judgedAs({ a: 1, b: 1 }))).toBeCloseTo(0.61315, 5)
    // Twelve relevant, ten of them first: the ideal has no more than ten either.
    const twelve = new Map(ranked('a b c d e f g h i j k l').map((id) => [id, 1]))
    expect(ndcgAt(10, ranked('c d e f g h i j k l'), twelve)).toBe(1)
  })

  test('recall is a share of all that is relevant', () => {
    const judged = judgedAs({ a: 1, b: 1, c: 3, d: 1, z: 0 })
    expect(recallAt(5, ranked('x a y z v b'), judged)).toBe(0.25)
    expect(recallAt(10, ranked('x a y z v b'), judged)).toBe(0.5)
  })

  test('the reciprocal rank is that of the first relevant document', () => {
    expect(reciprocalRankAt(10, ranked('x y z a b'), judgedAs({ a: 1, b: 1 }))).toBe(0.25)
    expect(reciprocalRankAt(3, ranked('x y z a b'), judgedAs({ a: 1, b: 1 }))).toBe(0)
  })

  test('average precision takes what was not found as zero', () => {
    expect(averagePrecision(ranked('a x y b'), judgedAs({ a: 1, b: 1, c: 1 }))).toBe(0.5)
  })

  test('median and percentile are values that were measured, or between two', () => {
    expect([median([9, 1, 3]), median([4, 1, 3, 9]), median([5])]).toEqual([3, 3.5, 5])
    const twenty = Array.from({ length: 20 }, (_, i) => i + 1)
    expect([percentile(0.95, twenty), percentile(0.95, [7, 5])]).toEqual([19, 7])
  })

  test('of nothing, every measure is zero', () => {
    const none = judgedAs({})
    const all = [ndcgAt(10, ['a'], none), recallAt(5, ['a'], none), averagePrecision([], none)]
    expect([...all, mean([]), median([]), percentile(0.95, [])]).toEqual([0, 0, 0, 0, 0, 0])
    expect(ndcgAt(10, ['a'], judgedAs({ a: 0, b: -1 }))).toBe(0)
  })
})

describe('measures of any ranking [N8]', () => {
  test('all lie between 0 and 1', () => {
    fc.assert(
      fc.property(ids, judgements, (ranking, judged) => {
        const { ms, ...measures } = judge(ranking, judged, 1)
        for (const value of Object.values(measures)) {
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(1 + 1e-12)
        }
      }),
    )
  })

  test('the judged documents in the order of their grades are perfect', () => {
    fc.assert(
      fc.property(judgements, (judged) => {
        const relevant = [...judged].filter(([, score]) => score > 0).sort((a, b) => b[1] - a[1])
        if (relevant.length === 0) return
        const perfect = judge(
          relevant.map(([id]) => id),
          judged,
          1,
        )
        expect(perfect['ndcg@10']).toBeCloseTo(1, 12)
        expect(perfect.map).toBeCloseTo(1, 12)
        expect([perfect['mrr@10'], perfect['recall@100']]).toEqual([1, 1])
      }),
    )
  })

  test('to move a better document up never lowers nDCG', () => {
    fc.assert(
      fc.property(ids, judgements, fc.nat(), (ranking, judged, at) => {
        if (ranking.length < 2) return
        const i = at % (ranking.length - 1)
        const [upper = '', lower = ''] = ranking.slice(i, i + 2)
        if ((judged.get(lower) ?? 0) < (judged.get(upper) ?? 0)) return
        const swapped = ranking.with(i, lower).with(i + 1, upper)
        expect(ndcgAt(10, swapped, judged)).toBeGreaterThanOrEqual(
          ndcgAt(10, ranking, judged) - 1e-12,
        )
      }),
    )
  })

  test('recall never falls with depth, and irrelevant documents at the end change nothing', () => {
    fc.assert(
      fc.property(ids, judgements, (ranking, judged) => {
        expect(recallAt(5, ranking, judged)).toBeLessThanOrEqual(recallAt(10, ranking, judged))
        const longer = [...ranking, 'unjudged-1', 'unjudged-2']
        expect(judge(longer, judged, 1)).toEqual(judge(ranking, judged, 1))
      }),
    )
  })

  test('at least 95 % of the values do not exceed the 95th percentile, and one less would be too few', () => {
    const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1 })
    fc.assert(
      fc.property(values, (all) => {
        const p95 = percentile(0.95, all)
        expect(all.filter((value) => value <= p95).length).toBeGreaterThanOrEqual(0.95 * all.length)
        expect(all.filter((value) => value < p95).length).toBeLessThan(0.95 * all.length)
        expect(median(all)).toBeLessThanOrEqual(p95)
      }),
    )
  })

  test('a summary has the mean of each measure and the median of the times', () => {
    const judged = judgedAs({ a: 1 })
    const figures = summarize([judge(['a'], judged, 2), judge(['x', 'a'], judged, 4)])
    expect(figures).toEqual({
      // 1 and 1 / log2 3 = 0.6309.
      'ndcg@10': 0.8155,
      'recall@5': 1,
      'recall@10': 1,
      'recall@100': 1,
      'mrr@10': 0.75,
      map: 0.75,
      medianMs: 3,
      p95Ms: 4,
    })
  })
})
