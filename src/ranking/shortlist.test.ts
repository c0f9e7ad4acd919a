import { describe, expect, test } from 'vitest'
import { calibrated } from './calibrated.js'
import { makeCandidate } from './candidates.fixture.js'
import { findLens } from './lenses.js'
import { shortlist } from './shortlist.js'

const COVER = { cover: 0 }
/** Whose score by meaning alone is that. */
const scoring = (id: string, score: number) =>
  makeCandidate(id, { similarity: (score * 2 * 24) / 20, words: 20 })

describe('who may be among the first', () => {
  test('is who could be lifted there by all that signals can do', () => {
    const lens = findLens('balanced')
    expect(calibrated([scoring('a', 0.41)], COVER)[0]?.explanation.score).toBeCloseTo(0.41, 12)
    // From .8 to 1.2: the best has at least .41 · .8 = .328, which .2733 can just reach.
    expect(shortlist(lens, [scoring('g', 0.41), scoring('h', 0.27)], COVER, 1)).toEqual([0])
    expect(shortlist(lens, [scoring('g', 0.41), scoring('h', 0.28)], COVER, 1)).toEqual([0, 1])
  })

  test('is everybody where the lens looks at places, or the page is long enough for all', () => {
    const matches = [scoring('a', 0.4), scoring('b', 0.01)]
    for (const name of ['rank', 'memory', 'literature', 'cascade', 'exact']) {
      expect(shortlist(findLens(name), matches, COVER, 1)).toEqual([0, 1])
    }
    expect(shortlist(findLens('balanced'), matches, COVER, 1)).toEqual([0])
    expect(shortlist(findLens('balanced'), matches, COVER, 2)).toEqual([0, 1])
  })
})
