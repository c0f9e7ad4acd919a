import { expect, test } from 'vitest'
import { SECTORS } from '../core/record.js'
import {
  type CandidateWishes,
  idsOf,
  makeCandidate,
  NOW,
  scoreOf,
  scoresOf,
} from './candidates.fixture.js'
import { memoryScore, SECTOR_BOOSTS } from './memory-score.js'

const PLAIN = { bm25: -5, similarity: 0.5, salience: 0.5 }
const score = (wishes: CandidateWishes): number =>
  scoreOf('A', memoryScore([makeCandidate('A', wishes)], { now: NOW }))

test('[M6] worked by hand: the four parts, of today', () => {
  // .4 · .5 + .25 · 5/10 + .2 · .5 + .15 · 1 = .2 + .125 + .1 + .15
  expect(score(PLAIN)).toBeCloseTo(0.575, 12)
})

test('[M6] recency is exp(−0.05 · days since created)', () => {
  // 20 days: .15 · exp(−1) = .15 · .36788 = .05518
  expect(score({ ...PLAIN, ageDays: 20 })).toBeCloseTo(0.425 + 0.0551819, 6)
})

test('[M6] the keyword part is whole from |bm25| 10 on', () => {
  expect(score({ ...PLAIN, bm25: -10 })).toBeCloseTo(0.7, 12)
  expect(score({ ...PLAIN, bm25: -40 })).toBeCloseTo(0.7, 12)
})

test('[M6] a cosine below zero counts as 0', () => {
  expect(score({ ...PLAIN, similarity: -0.5 })).toBeCloseTo(0.375, 12)
})

test('[M6] each sector has its boost, and no sector has none', () => {
  const boosts = { reflective: 1.2, semantic: 1.1, procedural: 1, emotional: 0.9, episodic: 0.8 }
  expect(SECTOR_BOOSTS).toEqual(boosts)
  for (const sector of SECTORS) {
    expect(score({ ...PLAIN, sector })).toBeCloseTo(0.575 * boosts[sector], 12)
  }
})

test('[M6] a superseded record has half', () => {
  expect(score({ ...PLAIN, isSuperseded: true })).toBeCloseTo(0.2875, 12)
})

test('[F7] effective confidence multiplies the score of the memory lens', () => {
  expect(score({ ...PLAIN, confidence: 0.6 })).toBeCloseTo(0.345, 12)
  expect(score({ ...PLAIN, confidence: 0 })).toBe(0)
})

test('[M6] the score is clamped to 1, and who earned more still stands first', () => {
  const full = { bm25: -10, similarity: 1, sector: 'reflective' as const }
  const scored = memoryScore(
    [makeCandidate('A', { ...full, salience: 0.9 }), makeCandidate('B', { ...full, salience: 1 })],
    { now: NOW },
  )
  // B: 1 · 1.2 and A: .98 · 1.2, both above 1
  expect(scoresOf(scored)).toEqual([1, 1])
  expect(idsOf(scored)).toEqual(['B', 'A'])
  expect(scored[0]?.explanation.parts[1]?.name).toBe('never above 1')
})

test('[M6] every number is configurable, 0 included', () => {
  const wishes = { ...PLAIN, ageDays: 10, sector: 'episodic' as const, isSuperseded: true }
  const settings = {
    now: NOW,
    weights: { similarity: 0.2, keyword: 0.5, salience: 0 },
    fullStrength: 20,
    recencyRate: 0.1,
    supersededFactor: 0.25,
    sectorBoosts: { episodic: 2 },
  }
  // (.2 · .5 + .5 · 5/20 + 0 + .15 · exp(−1)) · 2 · .25 = (.1 + .125 + .0551819) · .5
  const [hit] = memoryScore([makeCandidate('A', wishes)], settings)
  expect(hit?.explanation.score).toBeCloseTo(0.140091, 6)
})
