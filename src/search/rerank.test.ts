import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { leaf } from './explain.js'
import { explainReranked, readRatings } from './rerank.js'

const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('a reranked score', () => {
  test('follows the formula worked by hand', () => {
    expect(explainReranked(leaf('before', 0.6), 0.9, 0.4).score).toBeCloseTo(0.886, 12)
    // A missing rating counts as the old score.
    expect(explainReranked(leaf('before', 0.6), null, 0).score).toBeCloseTo(0.6, 12)
  })

  test('is between the lowest old score and 1, and grows with both parts', () => {
    fc.assert(
      fc.property(share, share, share, share, (a, b, relevance, more) => {
        const [lowest, before] = a < b ? [a, b] : [b, a]
        const { score } = explainReranked(leaf('before', before), relevance, lowest)
        expect(score).toBeGreaterThanOrEqual(lowest - 1e-12)
        expect(score).toBeLessThanOrEqual(1 + 1e-12)
        const other = explainReranked(leaf('before', before), Math.max(relevance, more), lowest)
        expect(other.score).toBeGreaterThanOrEqual(score - 1e-12)
        const better = explainReranked(leaf('before', Math.max(before, more)), relevance, lowest)
        expect(better.score).toBeGreaterThanOrEqual(score - 1e-12)
      }),
    )
  })
})

describe('ratings', () => {
  test('from 0 to 10 become 0 to 1; only the first rating of a passage counts', () => {
    const ratings = [
      ...[
        { passage: 2, relevance: 7 },
        { passage: 2, relevance: 0 },
        { passage: 4, relevance: 5 },
      ],
      ...[{ passage: 1, relevance: 11 }, { passage: 1.5, relevance: 5 }, null, 'x'],
    ]
    expect(readRatings({ ratings }, 3)).toEqual([null, 0.7, null])
  })

  test('without any valid rating are null, for any reply', () => {
    for (const reply of [undefined, null, 3, 'ratings', [], {}, { ratings: {} }]) {
      expect(readRatings(reply, 3)).toBe(null)
    }
    const rating = fc.record({ passage: fc.anything(), relevance: fc.anything() })
    fc.assert(
      fc.property(fc.array(fc.oneof(rating, fc.anything())), (ratings) => {
        const read = readRatings({ ratings }, 3)
        for (const value of read ?? []) {
          if (value !== null) expect(value >= 0 && value <= 1).toBe(true)
        }
        expect(read === null || read.length === 3).toBe(true)
      }),
    )
  })
})
