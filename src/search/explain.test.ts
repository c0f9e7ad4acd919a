import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluate } from './candidates.fixture.js'
import { scoreKeywords, scoreListed } from './explain.js'

const bm25 = fc.double({ min: -1000, max: 0, noNaN: true })
const relaxed = fc.constantFrom(null, 'any' as const, 'prefix' as const)

test('worked by hand: bm25 of -5 is 0.75 as asked, 0.375 for any word, 0.125 for prefixes', () => {
  expect(scoreKeywords(-5, null).score).toBeCloseTo(0.75, 12)
  expect(scoreKeywords(-5, 'any').score).toBeCloseTo(0.375, 12)
  expect(scoreKeywords(-5, 'prefix').score).toBeCloseTo(0.125, 12)
})

test('[A6] a score is in 0..1, and a better match has a higher score', () => {
  fc.assert(
    fc.property(bm25, bm25, relaxed, (a, b, step) => {
      const [scoreA, scoreB] = [scoreKeywords(a, step).score, scoreKeywords(b, step).score]
      expect(scoreA).toBeGreaterThanOrEqual(0)
      expect(scoreA).toBeLessThanOrEqual(1)
      if (a < b) expect(scoreA).toBeGreaterThanOrEqual(scoreB)
    }),
  )
})

test('a relaxed hit never scores above one that has every word', () => {
  fc.assert(
    fc.property(bm25, bm25, (a, b) => {
      expect(scoreKeywords(a, null).score).toBeGreaterThanOrEqual(scoreKeywords(b, 'any').score)
      expect(scoreKeywords(a, 'any').score).toBeGreaterThanOrEqual(scoreKeywords(b, 'prefix').score)
    }),
  )
})

test('a score equals the value of its explanation', () => {
  fc.assert(
    fc.property(bm25, relaxed, (value, step) => {
      const explanation = scoreKeywords(value, step)
      expect(evaluate(explanation)).toBeCloseTo(explanation.score, 9)
    }),
  )
  expect(evaluate(scoreListed())).toBe(1)
})
