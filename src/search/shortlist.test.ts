import { describe, expect, test } from 'vitest'
import { calibrated } from './calibrated.js'
import { makeCandidate } from './candidates.fixture.js'
import { given } from './explain.js'
import { findLens } from './lenses.js'
import { shortlist } from './shortlist.js'

const COVER = { cover: 0 }
const FIRST = 22
/** Whose score by meaning alone is that. */
const scoring = (id: string, score: number) =>
  makeCandidate(id, { similarity: (score * 2 * 24) / 20, words: 20 })
const ranked = (score: number) => [{ id: scoring('x', 0).id, explanation: given('x', score) }]

describe('who may be among the first', () => {
  const weak = [0.4, 0.34, 0.33, 0.1]
  const matches = [...weak, ...Array.from({ length: FIRST }, () => 0.41)].map((score, i) =>
    scoring(`${i}`, score),
  )

  test('is who could be lifted there by all that signals can do', () => {
    expect(calibrated([scoring('a', 0.41)], COVER)[0]?.explanation.score).toBeCloseTo(0.41, 12)
    const { first, rest } = shortlist(findLens('balanced'), matches, COVER, 1)
    expect(first).toHaveLength(FIRST)
    expect(Math.min(...first)).toBe(weak.length)
    // Signals reach up to 1.2: .34 · 1.2 = .408, .33 · 1.2 = .396.
    expect(rest(ranked(0.4))).toEqual([0, 1])
    expect(rest(ranked(0.41))).toEqual([0])
    expect(rest(ranked(0.9))).toEqual([])
    // None of them is there any more: then it may be anyone.
    expect(rest([])).toEqual([0, 1, 2, 3])
  })

  test('is everybody where the lens looks at places, or the page is long enough for all', () => {
    const all = [...matches.keys()]
    for (const name of ['rank', 'memory', 'literature', 'cascade', 'exact']) {
      expect(shortlist(findLens(name), matches, COVER, 1).first).toEqual(all)
    }
    expect(shortlist(findLens('balanced'), matches, COVER, 3).first).toEqual(all)
  })
})
