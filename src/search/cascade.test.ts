import { expect, test } from 'vitest'
import { idsOf, makeCandidate, scoreOf } from './candidates.fixture.js'
import { cascade } from './cascade.js'

const FOUND = [
  makeCandidate('A', { bm25: -5, similarity: 0.3 }),
  makeCandidate('B', { bm25: -1, similarity: 0.8 }),
  makeCandidate('C', { similarity: 0.5 }),
  makeCandidate('D', { similarity: 0.49 }),
  makeCandidate('E', { bm25: -20 }),
]

test('[A2] worked by hand: meaning from the threshold on, the words behind it', () => {
  const scored = cascade(FOUND, { threshold: 0.5, wordsFirst: false })
  expect(scoreOf('B', scored)).toBeCloseTo(0.5 + 0.5 * 0.8, 12)
  expect(scoreOf('C', scored)).toBeCloseTo(0.5 + 0.5 * 0.5, 12)
  expect(scoreOf('E', scored)).toBeCloseTo(0.45 * (20 / 25), 12)
  expect(scoreOf('A', scored)).toBeCloseTo(0.45 * (5 / 10), 12)
  // D is just below the threshold and has none of the words.
  expect(idsOf(scored)).toEqual(['B', 'C', 'E', 'A'])
})

test('[A2] a query without semantic intent has its words first, meaning behind them', () => {
  const scored = cascade(FOUND, { threshold: 0.5, wordsFirst: true })
  expect(scoreOf('E', scored)).toBeCloseTo(0.5 + 0.5 * (20 / 25), 12)
  expect(scoreOf('C', scored)).toBeCloseTo(0.45 * 0.5, 12)
  expect(idsOf(scored)).toEqual(['E', 'A', 'B', 'C'])
})

test('[A2] where meaning finds nothing the words are the answer', () => {
  const scored = cascade(FOUND, { threshold: 0.9, wordsFirst: false })
  expect(idsOf(scored)).toEqual(['E', 'A', 'B'])
})

test('[A2] a record that both steps found stands once, in the first', () => {
  const both = [makeCandidate('A', { bm25: -9, similarity: 0.9 })]
  expect(cascade(both, { threshold: 0.5, wordsFirst: false })).toHaveLength(1)
  expect(cascade(both, { threshold: 0.5, wordsFirst: true })).toHaveLength(1)
})

test('[A2] the weakest of the first step stands above the strongest of the second', () => {
  const weakest = makeCandidate('Z', { bm25: 0 })
  const strongest = makeCandidate('A', { similarity: 1 })
  const scored = cascade([strongest, weakest], { threshold: 0.5, wordsFirst: true })
  expect(idsOf(scored)).toEqual(['Z', 'A'])
})
