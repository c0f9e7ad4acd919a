import { expect, test } from 'vitest'
import { idsOf, makeCandidate, NOW } from './candidates.fixture.js'
import { type Fusion, fuse, sidesOf } from './fusion.js'

const CONTEXT = { cover: 1, now: NOW, threshold: 0.5, wordsFirst: false }
const BOTH = { words: true, meaning: true }
const WORDS = { words: true, meaning: false }
const MEANING = { words: false, meaning: true }

test('[F3] alpha 0 asks only for words, alpha 1 only for meaning', () => {
  expect(sidesOf({ kind: 'rrf', alpha: 0 })).toEqual(WORDS)
  expect(sidesOf({ kind: 'rrf', alpha: 1 })).toEqual(MEANING)
  expect(sidesOf({ kind: 'rrf' })).toEqual(BOTH)
})

test('a weight of 0 asks for nothing on its side', () => {
  expect(sidesOf({ kind: 'weighted', semanticWeight: 0 })).toEqual(WORDS)
  expect(sidesOf({ kind: 'weighted', keywordWeight: 0 })).toEqual(MEANING)
  expect(sidesOf({ kind: 'weighted' })).toEqual(BOTH)
})

test('the other fusions ask for both', () => {
  for (const kind of ['calibrated', 'memory', 'cascade'] as const) {
    expect(sidesOf({ kind })).toEqual(BOTH)
  }
})

test('every fusion puts the better match first, by either side', () => {
  const byWords = [makeCandidate('A', { bm25: -2 }), makeCandidate('B', { bm25: -9 })]
  const byMeaning = [
    makeCandidate('A', { similarity: 0.6 }),
    makeCandidate('B', { similarity: 0.9 }),
  ]
  const fusions: Fusion[] = [
    { kind: 'calibrated' },
    { kind: 'rrf' },
    { kind: 'weighted' },
    { kind: 'memory' },
    { kind: 'cascade' },
  ]
  for (const fusion of fusions) {
    expect(idsOf(fuse(fusion, byWords, CONTEXT))).toEqual(['B', 'A'])
    expect(idsOf(fuse(fusion, byMeaning, CONTEXT))).toEqual(['B', 'A'])
  }
})
