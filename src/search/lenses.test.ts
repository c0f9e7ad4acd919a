import { expect, test } from 'vitest'
import { CairnError } from '../core/errors.js'
import type { Candidate } from './candidate.js'
import { idsOf, makeCandidate, NOW, scoreOf } from './candidates.fixture.js'
import { DEFAULT_LENS, findLens, LENSES, rankCandidates } from './lenses.js'

const CONTEXT = { cover: 1, now: NOW, threshold: 0.5, wordsFirst: false }
const rank = (lens: string, candidates: readonly Candidate[]) =>
  rankCandidates(findLens(lens), candidates, CONTEXT)

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
  expect(findLens(DEFAULT_LENS).name).toBe('balanced')
  for (const lens of LENSES) {
    expect(findLens(lens.name)).toBe(lens)
    expect(lens.sentence).toMatch(/^[A-Z].*\.$/)
  }
})

test('[F9] an unknown lens is refused with the names there are', () => {
  expect(() => findLens('blanced')).toThrow(CairnError)
  try {
    findLens('blanced')
  } catch (error) {
    expect(error).toMatchObject({
      code: 'bad_input',
      message: 'There is no lens "blanced".',
      hint: 'Choose one of: balanced, rank, memory, literature, cascade, recent, exact.',
    })
  }
})

test('[F9] a lens is plain data: what is saved as JSON ranks the same', () => {
  const candidates = [makeCandidate('A', { bm25: -5 }), makeCandidate('B', { similarity: 0.7 })]
  for (const lens of LENSES) {
    const saved = JSON.parse(JSON.stringify(lens)) as typeof lens
    const ranked = rankCandidates(lens, candidates, CONTEXT)
    expect(rankCandidates(saved, candidates, CONTEXT)).toEqual(ranked)
  }
})

test('[F3, F5, F7] the rank lens is fusion, recency and confidence to the letter', () => {
  const scored = rank('rank', [
    makeCandidate('A', { bm25: -9, similarity: 0.3, ageDays: 3, confidence: 0.5, salience: 1 }),
    makeCandidate('B', { bm25: -4, similarity: 0.6, ageDays: 0, sector: 'reflective' }),
  ])
  // Salience and sector do not count here.
  expect(scoreOf('A', scored)).toBeCloseTo((0.5 / 61 + 0.5 / 62) * (1 + 0.1 / 4) * 0.5, 12)
  expect(scoreOf('B', scored)).toBeCloseTo((0.5 / 62 + 0.5 / 61) * 1.1, 12)
})

test('[L5] the literature lens ranks by match alone, whatever the age', () => {
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

test('[A2] the cascade lens takes the threshold of the model', () => {
  const candidates = [makeCandidate('A', { bm25: -9 }), makeCandidate('B', { similarity: 0.6 })]
  expect(idsOf(rank('cascade', candidates))).toEqual(['B', 'A'])
  const strict = { ...CONTEXT, threshold: 0.7 }
  expect(idsOf(rankCandidates(findLens('cascade'), candidates, strict))).toEqual(['A'])
})

test('[F9] the recent lens puts a fresh match above a better one of last year', () => {
  const candidates = [
    makeCandidate('A', { bm25: -10, similarity: 0.8, words: 36, ageDays: 365 }),
    makeCandidate('B', { bm25: -6, similarity: 0.6, words: 36, ageDays: 1 }),
  ]
  // Balanced: A .5 + .5 · .8 · .9 = .86, B .3 + .27 = .57, and signals cannot turn that round.
  expect(idsOf(rank('balanced', candidates))).toEqual(['A', 'B'])
  // Recent: A .86 · (.4 + .6 · exp(−12.2)) = .344, B .57 · (.4 + .6 · exp(−1/30)) = .5588
  const recent = rank('recent', candidates)
  expect(idsOf(recent)).toEqual(['B', 'A'])
  expect(scoreOf('A', recent)).toBeCloseTo(0.344, 4)
  expect(scoreOf('B', recent)).toBeCloseTo(0.5588, 4)
})

test('[F9] the exact lens puts the words above the meaning', () => {
  const candidates = [
    makeCandidate('A', { bm25: -10, similarity: 0.1, words: 36 }),
    makeCandidate('B', { bm25: -7, similarity: 0.9, words: 36 }),
  ]
  // Balanced: A .5 + .045 = .545, B .35 + .405 = .755
  expect(idsOf(rank('balanced', candidates))).toEqual(['B', 'A'])
  // Exact: A .9 + .1 · .1/.9 = .9111, B .9 · .7 + .1 = .73
  const exact = rank('exact', candidates)
  expect(idsOf(exact)).toEqual(['A', 'B'])
  expect(scoreOf('A', exact)).toBeCloseTo(0.91111, 5)
  expect(scoreOf('B', exact)).toBeCloseTo(0.73, 12)
})

test('[N4] of two equal matches the default lens prefers the fresh, the salient, the believed', () => {
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
