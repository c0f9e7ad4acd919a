/** Whatever a score is made of, its stretches sum to it. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Explanation } from '../../../src/core/answer.js'
import { arithmeticOf, formatPoints, segmentsOf } from './segments.js'

const leaf = (name: string, score: number): Explanation => ({ name, score, op: 'sum', parts: [] })
const sum = (name: string, ...parts: Explanation[]): Explanation => ({
  name,
  op: 'sum',
  parts,
  score: parts.reduce((all, { score }) => all + score, 0),
})
const product = (name: string, ...parts: Explanation[]): Explanation => ({
  name,
  op: 'product',
  parts,
  score: parts.reduce((all, { score }) => all * score, 1),
})

const { tree } = fc.letrec<{ tree: Explanation; leaf: Explanation }>((tie) => ({
  leaf: fc
    .tuple(fc.string(), fc.double({ min: -2, max: 2, noNaN: true }))
    .map(([name, score]) => leaf(name, score)),
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('tree'), { minLength: 1, maxLength: 4 }).map((parts) => sum('sum', ...parts)),
    fc
      .array(tie('tree'), { minLength: 1, maxLength: 4 })
      .map((parts) => product('product', ...parts)),
  ),
}))

test('the stretches of any explanation sum to its score', () => {
  fc.assert(
    fc.property(tree, (explanation) => {
      const points = segmentsOf(explanation).reduce((all, one) => all + one.points, 0)
      expect(Math.abs(points - explanation.score)).toBeLessThan(1e-9)
    }),
  )
})

test('factors stretch the parts of what they stand beside', () => {
  const keyword = product('keyword', leaf('half', 0.5), leaf('strength', 0.8))
  const meaning = product('meaning', leaf('half', 0.5), leaf('similarity', 0.4))
  const signals = product('signals', sum('recency', leaf('neutral', 1), leaf('on top', 0.1)))
  const score = product('match and signals', sum('calibrated', keyword, meaning), signals)
  const segments = segmentsOf(score)
  expect(segments.map(({ name }) => name)).toEqual(['keyword', 'meaning'])
  expect(segments[0]?.points).toBeCloseTo(0.44)
  expect(segments[0]?.before).toBeCloseTo(0.4)
  expect(segments[1]?.points).toBeCloseTo(0.22)
})

test('what adds nothing is not shown', () => {
  expect(segmentsOf(sum('all', leaf('a', 0.3), leaf('b', 0)))).toHaveLength(1)
})

test('a step is written as it is computed', () => {
  expect(arithmeticOf(product('p', leaf('a', 0.5), leaf('b', 1.1)))).toBe('0.500 × 1.100')
  expect(arithmeticOf(sum('s', leaf('a', 0.5), leaf('b', -0.25)))).toBe('0.500 + −0.250')
  expect(formatPoints(0.00001)).toBe('1e-5')
})
