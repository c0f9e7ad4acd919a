import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECTORS } from '../core/record.js'
import {
  type CandidateWishes,
  idsOf,
  makeCandidate,
  NOW,
  scoreOf,
  scoresOf,
} from './candidates.fixture.js'
import { computeCover } from './candidates.js'
import {
  chooseRetrievers,
  type Fusion,
  fuse,
  fuseByRank,
  fuseCalibrated,
  fuseCascade,
  fuseMemory,
  fuseWeighted,
  SECTOR_BOOSTS,
} from './fusion.js'

const CONTEXT = { cover: 1, now: NOW, threshold: 0.5, wordsFirst: false }
const BOTH = { keyword: true, semantic: true }
const WORDS = { keyword: true, semantic: false }
const VECTORS = { keyword: false, semantic: true }

test('[F3] alpha 0 needs only keywords, alpha 1 only vectors', () => {
  expect(chooseRetrievers({ kind: 'rrf', alpha: 0 })).toEqual(WORDS)
  expect(chooseRetrievers({ kind: 'rrf', alpha: 1 })).toEqual(VECTORS)
  expect(chooseRetrievers({ kind: 'rrf' })).toEqual(BOTH)
})

test('a retriever with weight 0 is not needed', () => {
  expect(chooseRetrievers({ kind: 'weighted', semanticWeight: 0 })).toEqual(WORDS)
  expect(chooseRetrievers({ kind: 'weighted', keywordWeight: 0 })).toEqual(VECTORS)
  expect(chooseRetrievers({ kind: 'weighted' })).toEqual(BOTH)
})

test('the other fusions need both retrievers', () => {
  for (const kind of ['calibrated', 'memory', 'cascade'] as const) {
    expect(chooseRetrievers({ kind })).toEqual(BOTH)
  }
})

test('every fusion ranks the better match first, by keywords and by vectors', () => {
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

describe('cover', () => {
  const words = fc.array(
    fc.record({ records: fc.integer({ min: 0, max: 50 }), isInBest: fc.boolean() }),
    { maxLength: 8 },
  )

  test('worked by hand: one of two words, the other unknown', () => {
    const weights = [
      { records: 1, isInBest: true },
      { records: 0, isInBest: false },
    ]
    expect(computeCover(weights, 10)).toBeCloseTo(1.7918 / (1.7918 + 2.4849), 3)
  })

  test('the cover is in 0..1, 1 if the best match has every word and 0 if it has none', () => {
    fc.assert(
      fc.property(words, (weights) => {
        const cover = computeCover(weights, 50)
        expect(cover).toBeGreaterThanOrEqual(0)
        expect(cover).toBeLessThanOrEqual(1)
        const every = weights.map((word) => ({ ...word, isInBest: true }))
        if (weights.length > 0) expect(computeCover(every, 50)).toBeCloseTo(1, 9)
        expect(
          computeCover(
            weights.map((word) => ({ ...word, isInBest: false })),
            50,
          ),
        ).toBe(0)
      }),
    )
  })
})

describe('calibrated', () => {
  test('[D4, N5] worked by hand: .4 for keywords by cover, .6 for similarity by length', () => {
    const scored = fuseCalibrated(
      [
        makeCandidate('A', { bm25: -12, similarity: 0.2, words: 36 }),
        makeCandidate('B', { bm25: -6, similarity: 0.5, words: 16 }),
        makeCandidate('C', { similarity: 0.9, words: 4 }),
      ],
      { cover: 0.64 },
    )
    // .4 · .8 · 12/12 + .6 · .2 · 36/44 = .32 + .09818
    expect(scoreOf('A', scored)).toBeCloseTo(0.32 + 0.12 * (36 / 44), 12)
    // .4 · .8 · 6/12 + .6 · .5 · 16/24 = .16 + .2
    expect(scoreOf('B', scored)).toBeCloseTo(0.36, 12)
    // 0 + .6 · .9 · 4/12
    expect(scoreOf('C', scored)).toBeCloseTo(0.18, 12)
    expect(idsOf(scored)).toEqual(['A', 'B', 'C'])
  })

  test('a record of several chunks has the mean similarity of its best chunk and the whole record', () => {
    const several = makeCandidate('A', { similarity: 0.8, wholeSimilarity: 0.4, words: 16 })
    const [hit] = fuseCalibrated([several], { cover: 1 })
    // .6 · (.8 + .4)/2 · 16/24 = .6 · .6 · 2/3
    expect(hit?.explanation.score).toBeCloseTo(0.24, 12)
    const similarity = hit?.explanation.parts[1]?.parts[1]
    expect(similarity?.name).toBe('similarity')
    expect(similarity?.parts.map(({ name }) => name)).toEqual(['best chunk', 'whole record'])
  })

  test('a negative mean counts as 0, and a positive mean counts even if one part is negative', () => {
    const scored = fuseCalibrated(
      [
        makeCandidate('A', { similarity: -0.1, wholeSimilarity: -0.3, words: 16 }),
        makeCandidate('B', { similarity: 0.5, wholeSimilarity: -0.1, words: 16 }),
      ],
      { cover: 1 },
    )
    // B: .6 · (.5 − .1)/2 · 16/24 = .6 · .2 · 2/3
    expect(scoreOf('B', scored)).toBeCloseTo(0.08, 12)
    expect(scoreOf('A', scored)).toBe(0)
  })

  test('a query that no record covers is ranked by similarity alone', () => {
    const words = makeCandidate('A', { bm25: -9, similarity: 0.1 })
    const meaning = makeCandidate('B', { similarity: 0.2 })
    expect(idsOf(fuseCalibrated([words, meaning], { cover: 0 }))).toEqual(['B', 'A'])
  })

  test('missing candidates, words, vectors and lengths are valid', () => {
    expect(fuseCalibrated([], { cover: 1 })).toEqual([])
    const nothing = makeCandidate('B', { words: 0 })
    const weightless = makeCandidate('A', { bm25: 0, similarity: Number.NaN })
    const scored = fuseCalibrated([nothing, weightless], { cover: 1 })
    expect(idsOf(scored)).toEqual(['A', 'B'])
    expect(scoresOf(scored)).toEqual([0, 0])
  })
})

describe('by rank', () => {
  const RANKED = [
    makeCandidate('A', { bm25: -9 }),
    makeCandidate('B', { bm25: -6, similarity: 0.5 }),
    makeCandidate('C', { bm25: -3, similarity: 0.9 }),
    makeCandidate('D', { similarity: 0.4 }),
  ]

  test('[F3] worked by hand: the sum of weight / (k + rank), with k 60 and alpha 0.5', () => {
    const scored = fuseByRank(RANKED)
    expect(scoreOf('A', scored)).toBeCloseTo(0.5 / 61, 12)
    expect(scoreOf('B', scored)).toBeCloseTo(0.5 / 62 + 0.5 / 62, 12)
    expect(scoreOf('C', scored)).toBeCloseTo(0.5 / 63 + 0.5 / 61, 12)
    expect(scoreOf('D', scored)).toBeCloseTo(0.5 / 63, 12)
    // C .016133, B .016129, A .008197, D .007937
    expect(idsOf(scored)).toEqual(['C', 'B', 'A', 'D'])
  })

  test('[F3] k and alpha are taken as given: k 10, alpha 0.25', () => {
    const scored = fuseByRank(RANKED, { k: 10, alpha: 0.25 })
    expect(scoreOf('A', scored)).toBeCloseTo(0.75 / 11, 12)
    expect(scoreOf('C', scored)).toBeCloseTo(0.75 / 13 + 0.25 / 11, 12)
  })

  test('[F3] alpha 0 is exactly the keyword list, alpha 1 exactly the vector list', () => {
    expect(idsOf(fuseByRank(RANKED, { alpha: 0 }))).toEqual(['A', 'B', 'C'])
    expect(idsOf(fuseByRank(RANKED, { alpha: 1 }))).toEqual(['C', 'B', 'D'])
  })

  test('[F3] a record on both lists appears once', () => {
    expect(idsOf(fuseByRank(RANKED)).sort()).toEqual(['A', 'B', 'C', 'D'])
  })

  test('[F3] equal matches are ranked by id', () => {
    const equal = ['C', 'A', 'B'].map((id) => makeCandidate(id, { bm25: -2 }))
    const scored = fuseByRank(equal)
    expect(idsOf(scored)).toEqual(['A', 'B', 'C'])
    expect(scoreOf('B', scored)).toBeCloseTo(0.5 / 62, 12)
  })

  test('the explanation names the rank', () => {
    const [, , first] = fuseByRank(RANKED)
    expect(first?.explanation.parts[0]?.parts[1]?.name).toBe('1 / (60 + rank 1)')
  })

  test('a record on neither list is left out, and no candidates give no hits', () => {
    expect(
      fuseByRank([makeCandidate('A'), makeCandidate('B', { similarity: Number.NaN })]),
    ).toEqual([])
    expect(fuseByRank([])).toEqual([])
  })
})

describe('weighted', () => {
  const WEIGHTED = [
    makeCandidate('A', { bm25: -12, similarity: 0.2 }),
    makeCandidate('B', { bm25: -6, similarity: 0.4 }),
    makeCandidate('C', { similarity: 0.8 }),
    makeCandidate('D', { bm25: -3 }),
  ]

  test('[L5] worked by hand: 0.3 for keywords and 0.7 for similarity, the best of each list at 1', () => {
    const scored = fuseWeighted(WEIGHTED)
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

  test('[L5] the best of both lists scores exactly 1, even if both matches are weak', () => {
    const scored = fuseWeighted([makeCandidate('A', { bm25: -0.1, similarity: 0.01 })])
    expect(scoresOf(scored)).toEqual([1])
  })

  test('[L5] weights are relative: 3 and 7 mean the same as 0.3 and 0.7', () => {
    const [shares, sums] = [
      fuseWeighted(WEIGHTED),
      fuseWeighted(WEIGHTED, { keywordWeight: 3, semanticWeight: 7 }),
    ]
    expect(idsOf(sums)).toEqual(idsOf(shares))
    for (const id of idsOf(shares)) expect(scoreOf(id, sums)).toBeCloseTo(scoreOf(id, shares), 12)
  })

  test('a weight of 0 counts as 0 and leaves out records only on that list', () => {
    const words = fuseWeighted(WEIGHTED, { keywordWeight: 1, semanticWeight: 0 })
    expect(idsOf(words)).toEqual(['A', 'B', 'D'])
    const meaning = fuseWeighted(WEIGHTED, { keywordWeight: 0, semanticWeight: 0.7 })
    expect(idsOf(meaning)).toEqual(['C', 'B', 'A'])
    expect(fuseWeighted(WEIGHTED, { keywordWeight: 0, semanticWeight: 0 })).toEqual([])
  })

  test('lists whose best value is 0 give 0, not NaN', () => {
    const nothing = [makeCandidate('B', { bm25: 0 }), makeCandidate('A', { similarity: -0.2 })]
    expect(scoresOf(fuseWeighted(nothing))).toEqual([0, 0])
    expect(fuseWeighted([])).toEqual([])
  })
})

describe('memory', () => {
  const PLAIN = { bm25: -5, similarity: 0.5, salience: 0.5 }
  const score = (wishes: CandidateWishes): number =>
    scoreOf('A', fuseMemory([makeCandidate('A', wishes)], { now: NOW }))

  test('[M6] worked by hand: the four parts of a record created today', () => {
    // .4 · .5 + .25 · 5/10 + .2 · .5 + .15 · 1 = .2 + .125 + .1 + .15
    expect(score(PLAIN)).toBeCloseTo(0.575, 12)
  })

  test('[M6] recency is exp(−0.05 · days since created)', () => {
    // 20 days: .15 · exp(−1) = .15 · .36788 = .05518
    expect(score({ ...PLAIN, ageDays: 20 })).toBeCloseTo(0.425 + 0.0551819, 6)
  })

  test('[M6] the keyword part is 1 from |bm25| 10 on', () => {
    expect(score({ ...PLAIN, bm25: -10 })).toBeCloseTo(0.7, 12)
    expect(score({ ...PLAIN, bm25: -40 })).toBeCloseTo(0.7, 12)
  })

  test('[M6] a negative cosine counts as 0', () => {
    expect(score({ ...PLAIN, similarity: -0.5 })).toBeCloseTo(0.375, 12)
  })

  test('[M6] each sector has its boost, and a record without a sector has none', () => {
    const boosts = { reflective: 1.2, semantic: 1.1, procedural: 1, emotional: 0.9, episodic: 0.8 }
    expect(SECTOR_BOOSTS).toEqual(boosts)
    for (const sector of SECTORS) {
      expect(score({ ...PLAIN, sector })).toBeCloseTo(0.575 * boosts[sector], 12)
    }
  })

  test('[M6] a superseded record scores half', () => {
    expect(score({ ...PLAIN, isSuperseded: true })).toBeCloseTo(0.2875, 12)
  })

  test('[F7] effective confidence multiplies the score of the memory lens', () => {
    expect(score({ ...PLAIN, confidence: 0.6 })).toBeCloseTo(0.345, 12)
    expect(score({ ...PLAIN, confidence: 0 })).toBe(0)
  })

  test('[M6] the score is capped at 1, and the higher score before the cap ranks first', () => {
    const full = { bm25: -10, similarity: 1, sector: 'reflective' as const }
    const scored = fuseMemory(
      [
        makeCandidate('A', { ...full, salience: 0.9 }),
        makeCandidate('B', { ...full, salience: 1 }),
      ],
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
    const [hit] = fuseMemory([makeCandidate('A', wishes)], settings)
    expect(hit?.explanation.score).toBeCloseTo(0.140091, 6)
  })
})

describe('cascade', () => {
  const CASCADED = [
    makeCandidate('A', { bm25: -5, similarity: 0.3 }),
    makeCandidate('B', { bm25: -1, similarity: 0.8 }),
    makeCandidate('C', { similarity: 0.5 }),
    makeCandidate('D', { similarity: 0.49 }),
    makeCandidate('E', { bm25: -20 }),
  ]

  test('[A2] worked by hand: semantic matches above the threshold, then keyword matches', () => {
    const scored = fuseCascade(CASCADED, { threshold: 0.5, wordsFirst: false })
    expect(scoreOf('B', scored)).toBeCloseTo(0.5 + 0.5 * 0.8, 12)
    expect(scoreOf('C', scored)).toBeCloseTo(0.5 + 0.5 * 0.5, 12)
    expect(scoreOf('E', scored)).toBeCloseTo(0.45 * (20 / 25), 12)
    expect(scoreOf('A', scored)).toBeCloseTo(0.45 * (5 / 10), 12)
    // D is just below the threshold and has none of the words.
    expect(idsOf(scored)).toEqual(['B', 'C', 'E', 'A'])
  })

  test('[A2] a query without semantic intent ranks keyword matches before semantic ones', () => {
    const scored = fuseCascade(CASCADED, { threshold: 0.5, wordsFirst: true })
    expect(scoreOf('E', scored)).toBeCloseTo(0.5 + 0.5 * (20 / 25), 12)
    expect(scoreOf('C', scored)).toBeCloseTo(0.45 * 0.5, 12)
    expect(idsOf(scored)).toEqual(['E', 'A', 'B', 'C'])
  })

  test('[A2] without semantic matches, keyword matches are the whole answer', () => {
    const scored = fuseCascade(CASCADED, { threshold: 0.9, wordsFirst: false })
    expect(idsOf(scored)).toEqual(['E', 'A', 'B'])
  })

  test('[A2] a record found by both steps appears once, in the first', () => {
    const both = [makeCandidate('A', { bm25: -9, similarity: 0.9 })]
    expect(fuseCascade(both, { threshold: 0.5, wordsFirst: false })).toHaveLength(1)
    expect(fuseCascade(both, { threshold: 0.5, wordsFirst: true })).toHaveLength(1)
  })

  test('[A2] the weakest of the first step ranks above the strongest of the second', () => {
    const weakest = makeCandidate('Z', { bm25: 0 })
    const strongest = makeCandidate('A', { similarity: 1 })
    const scored = fuseCascade([strongest, weakest], { threshold: 0.5, wordsFirst: true })
    expect(idsOf(scored)).toEqual(['Z', 'A'])
  })
})
