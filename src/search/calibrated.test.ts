import { expect, test } from 'vitest'
import { calibrated, HALF, SHORT_RECORD_WORDS } from './calibrated.js'
import { idsOf, makeCandidate, scoreOf, scoresOf } from './candidates.fixture.js'

test('[D4, N5] worked by hand: half for words by cover, half for meaning by length', () => {
  const scored = calibrated(
    [
      makeCandidate('A', { bm25: -12, similarity: 0.2, words: 36 }),
      makeCandidate('B', { bm25: -6, similarity: 0.5, words: 16 }),
      makeCandidate('C', { similarity: 0.9, words: 4 }),
    ],
    { cover: 0.8 },
  )
  // ½ · .8 · 12/12 + ½ · .2 · 36/40 = .4 + .09
  expect(scoreOf('A', scored)).toBeCloseTo(0.49, 12)
  // ½ · .8 · 6/12 + ½ · .5 · 16/20 = .2 + .2
  expect(scoreOf('B', scored)).toBeCloseTo(0.4, 12)
  // 0 + ½ · .9 · 4/8
  expect(scoreOf('C', scored)).toBeCloseTo(0.225, 12)
  expect(idsOf(scored)).toEqual(['A', 'B', 'C'])
})

test('a record of several chunks has the mean of its best chunk and the whole', () => {
  const several = makeCandidate('A', { similarity: 0.8, wholeSimilarity: 0.4, words: 16 })
  const [hit] = calibrated([several], { cover: 1 })
  // ½ · (.8 + .4)/2 · 16/20 = ½ · .6 · .8
  expect(hit?.explanation.score).toBeCloseTo(0.24, 12)
  const similarity = hit?.explanation.parts[1]?.parts[1]
  expect(similarity?.name).toBe('similarity')
  expect(similarity?.parts.map(({ name }) => name)).toEqual(['best chunk', 'whole record'])
})

test('a mean below zero counts as nothing, and one above zero counts though a part is below', () => {
  const scored = calibrated(
    [
      makeCandidate('A', { similarity: -0.1, wholeSimilarity: -0.3, words: 16 }),
      makeCandidate('B', { similarity: 0.5, wholeSimilarity: -0.1, words: 16 }),
    ],
    { cover: 1 },
  )
  // B: ½ · (.5 − .1)/2 · 16/20 = ½ · .2 · .8
  expect(scoreOf('B', scored)).toBeCloseTo(0.08, 12)
  expect(scoreOf('A', scored)).toBe(0)
})

test('a question that no record covers is decided by meaning alone', () => {
  const words = makeCandidate('A', { bm25: -9, similarity: 0.1 })
  const meaning = makeCandidate('B', { similarity: 0.2 })
  expect(idsOf(calibrated([words, meaning], { cover: 0 }))).toEqual(['B', 'A'])
})

test('no candidates, no words, no vectors and no length are no trouble', () => {
  expect(calibrated([], { cover: 1 })).toEqual([])
  const nothing = makeCandidate('B', { words: 0 })
  const weightless = makeCandidate('A', { bm25: 0, similarity: Number.NaN })
  const scored = calibrated([nothing, weightless], { cover: 1 })
  expect(idsOf(scored)).toEqual(['A', 'B'])
  expect(scoresOf(scored)).toEqual([0, 0])
})

test('the constants are those the figures were measured with', () => {
  expect([HALF, SHORT_RECORD_WORDS]).toEqual([0.5, 4])
})
