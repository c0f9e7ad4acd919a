import { expect, test } from 'vitest'
import { idsOf, makeCandidate, scoreOf, scoresOf } from './candidates.fixture.js'
import { weighted } from './weighted.js'

const FOUND = [
  makeCandidate('A', { bm25: -12, similarity: 0.2 }),
  makeCandidate('B', { bm25: -6, similarity: 0.4 }),
  makeCandidate('C', { similarity: 0.8 }),
  makeCandidate('D', { bm25: -3 }),
]

test('[L5] worked by hand: 0.3 for words and 0.7 for meaning, the best of each list at 1', () => {
  const scored = weighted(FOUND)
  // .3 · 12/12 + .7 · .2/.8 = .3 + .175
  expect(scoreOf('A', scored)).toBeCloseTo(0.475, 12)
  // .3 · 6/12 + .7 · .4/.8 = .15 + .35
  expect(scoreOf('B', scored)).toBeCloseTo(0.5, 12)
  // .7 · .8/.8
  expect(scoreOf('C', scored)).toBeCloseTo(0.7, 12)
  // .3 · 3/12
  expect(scoreOf('D', scored)).toBeCloseTo(0.075, 12)
  expect(idsOf(scored)).toEqual(['C', 'B', 'A', 'D'])
})

test('[L5] the best of both lists has exactly 1, however weak both are', () => {
  const scored = weighted([makeCandidate('A', { bm25: -0.1, similarity: 0.01 })])
  expect(scoresOf(scored)).toEqual([1])
})

test('[L5] weights are shares: 3 and 7 say the same as 0.3 and 0.7', () => {
  const [shares, sums] = [weighted(FOUND), weighted(FOUND, { keywordWeight: 3, semanticWeight: 7 })]
  expect(idsOf(sums)).toEqual(idsOf(shares))
  for (const id of idsOf(shares)) expect(scoreOf(id, sums)).toBeCloseTo(scoreOf(id, shares), 12)
})

test('a weight of 0 is a weight of 0, and leaves out who stands only there', () => {
  const words = weighted(FOUND, { keywordWeight: 1, semanticWeight: 0 })
  expect(idsOf(words)).toEqual(['A', 'B', 'D'])
  const meaning = weighted(FOUND, { keywordWeight: 0, semanticWeight: 0.7 })
  expect(idsOf(meaning)).toEqual(['C', 'B', 'A'])
  expect(weighted(FOUND, { keywordWeight: 0, semanticWeight: 0 })).toEqual([])
})

test('lists whose best is nothing give 0, not what is not a number', () => {
  const nothing = [makeCandidate('B', { bm25: 0 }), makeCandidate('A', { similarity: -0.2 })]
  expect(scoresOf(weighted(nothing))).toEqual([0, 0])
  expect(weighted([])).toEqual([])
})
