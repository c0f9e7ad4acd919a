import { expect, test } from 'vitest'
import { makeCandidate, NOW, scoreOf } from './candidates.fixture.js'
import { findLens, type Lens, RANK_SIGNALS, rankCandidates } from './lenses.js'
import { type Overrides, withOverrides } from './overrides.js'

const change = (lens: string, overrides: Overrides): Lens =>
  withOverrides(findLens(lens), overrides)

test('without overrides a lens stays what it is', () => {
  expect(change('balanced', {})).toEqual(findLens('balanced'))
  expect(change('memory', { alpha: undefined, k: undefined })).toEqual(findLens('memory'))
})

test('[F3] alpha or k chooses fusion by rank and keeps the signals of the lens', () => {
  const lens = change('balanced', { alpha: 0.2 })
  expect(lens.fusion).toEqual({ kind: 'rrf', alpha: 0.2 })
  expect(lens.signals).toEqual(findLens('balanced').signals)
  expect(change('literature', { k: 10 }).fusion).toEqual({ kind: 'rrf', k: 10 })
  const both = withOverrides(lens, { k: 0 })
  expect(both.fusion).toEqual({ kind: 'rrf', alpha: 0.2, k: 0 })
})

test('weights choose the weighted fusion, and one alone stands against the rest of 1', () => {
  const both = change('balanced', { keywordWeight: 0, vectorWeight: 2 })
  expect(both.fusion).toEqual({ kind: 'weighted', keywordWeight: 0, semanticWeight: 2 })
  const words = change('cascade', { keywordWeight: 1 })
  expect(words.fusion).toEqual({ kind: 'weighted', keywordWeight: 1, semanticWeight: 0 })
  const meaning = change('exact', { vectorWeight: 0.75 })
  expect(meaning.fusion).toEqual({ kind: 'weighted', keywordWeight: 0.25, semanticWeight: 0.75 })
})

test('k with weights is fusion by rank with their share', () => {
  const lens = change('balanced', { k: 30, keywordWeight: 3, vectorWeight: 1 })
  expect(lens.fusion).toEqual({ kind: 'rrf', k: 30, alpha: 0.25 })
})

test('[M6] the memory lens takes weights and recency as its own', () => {
  const lens = change('memory', { keywordWeight: 0.5, recencyWeight: 0 })
  const context = { cover: 1, now: NOW, threshold: 0.5, wordsFirst: false }
  const scored = rankCandidates(lens, [makeCandidate('A', { bm25: -5, similarity: 0.5 })], context)
  // .4 · .5 + .5 · 5/10 + .2 · .5 + 0
  expect(scoreOf('A', scored)).toBeCloseTo(0.55, 12)
})

test('[F7] the memory lens by rank still counts confidence and recency', () => {
  expect(change('memory', { alpha: 0.5 }).signals).toEqual(RANK_SIGNALS)
})

test('[F5] the weight of recency is set wherever a lens has one, and added where it has none', () => {
  expect(change('rank', { recencyWeight: 0.4 }).signals?.recency).toEqual({
    kind: 'bonus',
    weight: 0.4,
  })
  const literature = change('literature', { recencyWeight: 0.4 }).signals
  expect(literature?.recency).toEqual({ kind: 'bonus', weight: 0.4 })
  expect(literature?.confidenceWeight).toBe(0)
  expect(change('recent', { recencyWeight: 3 }).signals?.recency).toEqual({
    kind: 'decay',
    weight: 1,
    days: 30,
  })
  const context = { cover: 1, now: NOW, threshold: 0.5, wordsFirst: false }
  const lens = change('rank', { recencyWeight: 0 })
  const scored = rankCandidates(lens, [makeCandidate('A', { bm25: -5 })], context)
  expect(scoreOf('A', scored)).toBeCloseTo(0.5 / 61, 12)
})

test('numbers that make no sense are refused by name', () => {
  expect(() => change('rank', { alpha: 1.5 })).toThrow('alpha is 1.5.')
  expect(() => change('rank', { k: -1 })).toThrow('k is -1.')
  expect(() => change('rank', { recencyWeight: Number.NaN })).toThrow('recencyWeight is NaN.')
  expect(() => change('rank', { alpha: 0.5, vectorWeight: 0 })).toThrow('both given')
  expect(() => change('rank', { keywordWeight: 0, vectorWeight: 0 })).toThrow('Both weights are 0.')
})

test('[M1] salienceWeight sets what salience counts, and never turns a score below zero', () => {
  expect(change('balanced', { salienceWeight: 0 }).signals?.salienceWeight).toBe(0)
  expect(change('balanced', { salienceWeight: 0.4 }).signals?.salienceWeight).toBe(0.4)
  expect(change('balanced', { salienceWeight: 99 }).signals?.salienceWeight).toBe(2)
  expect(change('literature', { salienceWeight: 1 }).signals).toMatchObject({ recency: null })
  expect(change('memory', { salienceWeight: 3 })).toMatchObject({
    fusion: { weights: { salience: 3 } },
    signals: null,
  })
  const context = { cover: 1, now: NOW, threshold: 0.5, wordsFirst: false }
  const weak = makeCandidate('A', { bm25: -5, similarity: 0.5, salience: 0.05 })
  const [scored] = rankCandidates(change('exact', { salienceWeight: 99 }), [weak], context)
  expect(scored?.explanation.score).toBeGreaterThan(0)
})
