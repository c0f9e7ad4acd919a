import { expect, test } from 'vitest'
import { CairnError } from '../core/errors.js'
import { idsOf, makeCandidate, NOW, scoreOf } from './candidates.fixture.js'
import type { Candidate } from './fusion.js'
import { applyLens, chooseLens, DEFAULT_LENS, LENSES, RANK_SIGNALS } from './lenses.js'

const CONTEXT = { cover: 1, now: NOW, threshold: 0.5, wordsFirst: false }
const rank = (lens: string, candidates: readonly Candidate[]) =>
  applyLens(chooseLens(lens), candidates, CONTEXT)

test('[F9] every built-in lens is found by its name and says what it is for', () => {
  expect(LENSES.map(({ name }) => name)).toEqual([
    'balanced',
    'rank',
    'memory',
    'literature',
    'cascade',
    'recent',
    'exact',
  ])
  expect(chooseLens(DEFAULT_LENS).name).toBe('balanced')
  for (const lens of LENSES) {
    expect(chooseLens(lens.name)).toEqual(lens)
    expect(lens.sentence).toMatch(/^[A-Z].*\.$/)
  }
})

test('[F9] an unknown lens is refused with the names of all lenses', () => {
  expect(() => chooseLens('blanced')).toThrow(CairnError)
  try {
    chooseLens('blanced')
  } catch (error) {
    expect(error).toMatchObject({
      code: 'bad_input',
      message: 'There is no lens "blanced".',
      hint: 'Choose one of: balanced, rank, memory, literature, cascade, recent, exact.',
    })
  }
})

test('[F9] a lens is plain data: saved as JSON it ranks the same', () => {
  const candidates = [makeCandidate('A', { bm25: -5 }), makeCandidate('B', { similarity: 0.7 })]
  for (const lens of LENSES) {
    const saved = JSON.parse(JSON.stringify(lens)) as typeof lens
    const ranked = applyLens(lens, candidates, CONTEXT)
    expect(applyLens(saved, candidates, CONTEXT)).toEqual(ranked)
  }
})

test('[F3, F5, F7] the rank lens is exactly fusion times recency times confidence', () => {
  const scored = rank('rank', [
    makeCandidate('A', { bm25: -9, similarity: 0.3, ageDays: 3, confidence: 0.5, salience: 1 }),
    makeCandidate('B', { bm25: -4, similarity: 0.6, ageDays: 0, sector: 'reflective' }),
  ])
  // Salience and sector do not count here.
  expect(scoreOf('A', scored)).toBeCloseTo((0.5 / 61 + 0.5 / 62) * (1 + 0.1 / 4) * 0.5, 12)
  expect(scoreOf('B', scored)).toBeCloseTo((0.5 / 62 + 0.5 / 61) * 1.1, 12)
})

test('[L5] the literature lens ranks by match alone and ignores age', () => {
  const old = { ageDays: 9000, salience: 0.05, confidence: 0.2 }
  const scored = rank('literature', [
    makeCandidate('A', { bm25: -10, similarity: 0.3 }),
    makeCandidate('B', { bm25: -5, similarity: 0.6, ...old }),
  ])
  // A: .3 · 1 + .7 · .5 = .65; B: .3 · .5 + .7 · 1 = .85
  expect(scoreOf('A', scored)).toBeCloseTo(0.65, 12)
  expect(scoreOf('B', scored)).toBeCloseTo(0.85, 12)
})

test('[M6] the memory lens counts its signals once', () => {
  const scored = rank('memory', [makeCandidate('A', { bm25: -5, similarity: 0.5 })])
  expect(scoreOf('A', scored)).toBeCloseTo(0.575, 12)
})

test('[A2] the cascade lens uses the threshold of the model', () => {
  const candidates = [makeCandidate('A', { bm25: -9 }), makeCandidate('B', { similarity: 0.6 })]
  expect(idsOf(rank('cascade', candidates))).toEqual(['B', 'A'])
  const strict = { ...CONTEXT, threshold: 0.7 }
  expect(idsOf(applyLens(chooseLens('cascade'), candidates, strict))).toEqual(['A'])
})

test('[F9] the recent lens ranks a new match above a better one of last year', () => {
  const candidates = [
    makeCandidate('A', { bm25: -10, similarity: 0.8, words: 36, ageDays: 365 }),
    makeCandidate('B', { bm25: -6, similarity: 0.6, words: 36, ageDays: 1 }),
  ]
  // Balanced: A .4 + .6 · .8 · 36/44 = .7927, B .24 + .2945 = .5345, and signals cannot reverse that.
  expect(idsOf(rank('balanced', candidates))).toEqual(['A', 'B'])
  // Recent: A .7927 · (.4 + .6 · exp(−12.2)) = .3171, B .5345 · (.4 + .6 · exp(−1/30)) = .5240
  const recent = rank('recent', candidates)
  expect(idsOf(recent)).toEqual(['B', 'A'])
  expect(scoreOf('A', recent)).toBeCloseTo(0.3171, 4)
  expect(scoreOf('B', recent)).toBeCloseTo(0.524, 4)
})

test('[F9] the exact lens ranks keyword matches above semantic ones', () => {
  const candidates = [
    makeCandidate('A', { bm25: -10, similarity: 0.1, words: 36 }),
    makeCandidate('B', { bm25: -7, similarity: 0.9, words: 36 }),
  ]
  // Balanced: A .4 + .0491 = .4491, B .28 + .4418 = .7218
  expect(idsOf(rank('balanced', candidates))).toEqual(['B', 'A'])
  // Exact: A .9 + .1 · .1/.9 = .9111, B .9 · .7 + .1 = .73
  const exact = rank('exact', candidates)
  expect(idsOf(exact)).toEqual(['A', 'B'])
  expect(scoreOf('A', exact)).toBeCloseTo(0.91111, 5)
  expect(scoreOf('B', exact)).toBeCloseTo(0.73, 12)
})

test('[N4] of two equal matches the default lens prefers the newer, the more salient, the more certain', () => {
  const match = { bm25: -5, similarity: 0.5 }
  const better = [
    [{ ageDays: 0 }, { ageDays: 30 }],
    [{ salience: 0.9 }, { salience: 0.4 }],
    [{ confidence: 1 }, { confidence: 0.3 }],
    [{ sector: 'reflective' as const }, { sector: 'episodic' as const }],
  ]
  for (const [preferred = {}, other = {}] of better) {
    const pair = [
      makeCandidate('A', { ...match, ...other }),
      makeCandidate('B', { ...match, ...preferred }),
    ]
    expect(idsOf(rank('balanced', pair))).toEqual(['B', 'A'])
  }
})

test('without overrides a lens stays unchanged', () => {
  expect(chooseLens('balanced', {})).toEqual(chooseLens('balanced'))
  expect(chooseLens('memory', { alpha: undefined, k: undefined })).toEqual(chooseLens('memory'))
})

test('[F3] alpha or k chooses fusion by rank and keeps the signals of the lens', () => {
  const lens = chooseLens('balanced', { alpha: 0.2 })
  expect(lens.fusion).toEqual({ kind: 'rrf', alpha: 0.2 })
  expect(lens.signals).toEqual(chooseLens('balanced').signals)
  expect(chooseLens('literature', { k: 10 }).fusion).toEqual({ kind: 'rrf', k: 10 })
  const both = chooseLens('balanced', { alpha: 0.2, k: 0 })
  expect(both.fusion).toEqual({ kind: 'rrf', alpha: 0.2, k: 0 })
})

test('weights choose weighted fusion, and a single weight leaves the rest of 1 to the other', () => {
  const both = chooseLens('balanced', { keywordWeight: 0, vectorWeight: 2 })
  expect(both.fusion).toEqual({ kind: 'weighted', keywordWeight: 0, semanticWeight: 2 })
  const words = chooseLens('cascade', { keywordWeight: 1 })
  expect(words.fusion).toEqual({ kind: 'weighted', keywordWeight: 1, semanticWeight: 0 })
  const meaning = chooseLens('exact', { vectorWeight: 0.75 })
  expect(meaning.fusion).toEqual({ kind: 'weighted', keywordWeight: 0.25, semanticWeight: 0.75 })
})

test('k with weights is fusion by rank with these weights', () => {
  const lens = chooseLens('balanced', { k: 30, keywordWeight: 3, vectorWeight: 1 })
  expect(lens.fusion).toEqual({ kind: 'rrf', k: 30, alpha: 0.25 })
})

test('[M6] the memory lens applies weights and recency to its formula', () => {
  const lens = chooseLens('memory', { keywordWeight: 0.5, recencyWeight: 0 })
  const scored = applyLens(lens, [makeCandidate('A', { bm25: -5, similarity: 0.5 })], CONTEXT)
  // .4 · .5 + .5 · 5/10 + .2 · .5 + 0
  expect(scoreOf('A', scored)).toBeCloseTo(0.55, 12)
})

test('[F7] the memory lens with fusion by rank still counts confidence and recency', () => {
  expect(chooseLens('memory', { alpha: 0.5 }).signals).toEqual(RANK_SIGNALS)
})

test('[F5] recencyWeight sets the recency of a lens, or adds it if there is none', () => {
  expect(chooseLens('rank', { recencyWeight: 0.4 }).signals?.recency).toEqual({
    kind: 'bonus',
    weight: 0.4,
  })
  const literature = chooseLens('literature', { recencyWeight: 0.4 }).signals
  expect(literature?.recency).toEqual({ kind: 'bonus', weight: 0.4 })
  expect(literature?.confidenceWeight).toBe(0)
  expect(chooseLens('recent', { recencyWeight: 3 }).signals?.recency).toEqual({
    kind: 'decay',
    weight: 1,
    days: 30,
  })
  const lens = chooseLens('rank', { recencyWeight: 0 })
  const scored = applyLens(lens, [makeCandidate('A', { bm25: -5 })], CONTEXT)
  expect(scoreOf('A', scored)).toBeCloseTo(0.5 / 61, 12)
})

test('invalid numbers are refused by name', () => {
  expect(() => chooseLens('rank', { k: 1e9 })).toThrow('k is 1000000000.')
  expect(() => chooseLens('rank', { alpha: 0.5, vectorWeight: 0 })).toThrow('both given')
  expect(() => chooseLens('rank', { keywordWeight: 0, vectorWeight: 0 })).toThrow(
    'Both weights are 0.',
  )
})

test('[M1] salienceWeight sets the weight of salience, and no score becomes negative', () => {
  expect(chooseLens('balanced', { salienceWeight: 0 }).signals?.salienceWeight).toBe(0)
  expect(chooseLens('balanced', { salienceWeight: 0.4 }).signals?.salienceWeight).toBe(0.4)
  expect(chooseLens('balanced', { salienceWeight: 99 }).signals?.salienceWeight).toBe(2)
  expect(chooseLens('literature', { salienceWeight: 1 }).signals).toMatchObject({ recency: null })
  expect(chooseLens('memory', { salienceWeight: 3 })).toMatchObject({
    fusion: { weights: { salience: 3 } },
    signals: null,
  })
  const weak = makeCandidate('A', { bm25: -5, similarity: 0.5, salience: 0.05 })
  const [scored] = applyLens(chooseLens('exact', { salienceWeight: 99 }), [weak], CONTEXT)
  expect(scored?.explanation.score).toBeGreaterThan(0)
})
