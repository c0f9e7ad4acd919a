import { expect, test } from 'vitest'
import { idsOf, makeCandidate, scoreOf } from './candidates.fixture.js'
import { rrf } from './rrf.js'

/** By words A, B, C; by meaning C, B, D. */
const FOUND = [
  makeCandidate('A', { bm25: -9 }),
  makeCandidate('B', { bm25: -6, similarity: 0.5 }),
  makeCandidate('C', { bm25: -3, similarity: 0.9 }),
  makeCandidate('D', { similarity: 0.4 }),
]

test('[F3] worked by hand: the sum of weight / (k + rank), with k 60 and alpha 0.5', () => {
  const scored = rrf(FOUND)
  expect(scoreOf('A', scored)).toBeCloseTo(0.5 / 61, 12)
  expect(scoreOf('B', scored)).toBeCloseTo(0.5 / 62 + 0.5 / 62, 12)
  expect(scoreOf('C', scored)).toBeCloseTo(0.5 / 63 + 0.5 / 61, 12)
  expect(scoreOf('D', scored)).toBeCloseTo(0.5 / 63, 12)
  // C .016133, B .016129, A .008197, D .007937
  expect(idsOf(scored)).toEqual(['C', 'B', 'A', 'D'])
})

test('[F3] k and alpha are taken as given: k 10, alpha 0.25', () => {
  const scored = rrf(FOUND, { k: 10, alpha: 0.25 })
  expect(scoreOf('A', scored)).toBeCloseTo(0.75 / 11, 12)
  expect(scoreOf('C', scored)).toBeCloseTo(0.75 / 13 + 0.25 / 11, 12)
})

test('[F3] alpha 0 is the list by words, alpha 1 the list by meaning, and nobody else', () => {
  expect(idsOf(rrf(FOUND, { alpha: 0 }))).toEqual(['A', 'B', 'C'])
  expect(idsOf(rrf(FOUND, { alpha: 1 }))).toEqual(['C', 'B', 'D'])
})

test('[F3] a record that both sides found stands once', () => {
  expect(idsOf(rrf(FOUND)).sort()).toEqual(['A', 'B', 'C', 'D'])
})

test('[F3] equal matches have places in the order of their ids', () => {
  const equal = ['C', 'A', 'B'].map((id) => makeCandidate(id, { bm25: -2 }))
  const scored = rrf(equal)
  expect(idsOf(scored)).toEqual(['A', 'B', 'C'])
  expect(scoreOf('B', scored)).toBeCloseTo(0.5 / 62, 12)
})

test('the reasons name the place', () => {
  const [, , first] = rrf(FOUND)
  expect(first?.explanation.parts[0]?.parts[1]?.name).toBe('1 / (60 + rank 1)')
})

test('who is on neither list is left out, and no candidates give no hits', () => {
  expect(rrf([makeCandidate('A'), makeCandidate('B', { similarity: Number.NaN })])).toEqual([])
  expect(rrf([])).toEqual([])
})
