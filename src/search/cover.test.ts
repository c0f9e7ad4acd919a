import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coverOf } from './cover.js'

const words = fc.array(
  fc.record({ records: fc.integer({ min: 0, max: 50 }), isInBest: fc.boolean() }),
  { maxLength: 8 },
)

test('worked by hand: one of two words, the other unknown', () => {
  const weights = [
    { records: 1, isInBest: true },
    { records: 0, isInBest: false },
  ]
  expect(coverOf(weights, 10)).toBeCloseTo(1.8458 / (1.8458 + 3.0445), 3)
})

test('the cover lies in 0..1, is 1 where the best match has every word and 0 where it has none', () => {
  fc.assert(
    fc.property(words, (weights) => {
      const cover = coverOf(weights, 50)
      expect(cover).toBeGreaterThanOrEqual(0)
      expect(cover).toBeLessThanOrEqual(1)
      const every = weights.map((word) => ({ ...word, isInBest: true }))
      if (weights.length > 0) expect(coverOf(every, 50)).toBeCloseTo(1, 9)
      expect(
        coverOf(
          weights.map((word) => ({ ...word, isInBest: false })),
          50,
        ),
      ).toBe(0)
    }),
  )
})
