import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RecordId } from '../core/ids.js'
import { SECTORS } from '../core/record.js'
import { evaluate, idsOf, makeCandidate, NOW, scoresOf } from './candidates.fixture.js'
import { leaf, type Scored, scoreBeforeCap, sortBestFirst } from './explain.js'
import {
  type Candidate,
  findLargest,
  fuseByRank,
  fuseCalibrated,
  fuseWeighted,
  keywordStrength,
  MEANING_SHARE,
  type RankingContext,
  type RecordFacts,
} from './fusion.js'
import { applyLens, chooseLens, LENSES, type Lens } from './lenses.js'
import { splitShortlist } from './ranking.js'
import { applySignals } from './signals.js'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
/** Few distinct values, so that ties are frequent. */
const cosine = fc.oneof(
  fc.double({ min: -1, max: 1.0000001, noNaN: true }),
  fc.constantFrom(-0.5, 0, 0.25, 0.5, 1),
)
const bm25 = fc.oneof(fc.double({ min: -50, max: 0, noNaN: true }), fc.constantFrom(0, -1, -2, -8))
const facts: fc.Arbitrary<RecordFacts> = fc.record({
  createdAtMs: fc.integer({ min: NOW - 4e11, max: NOW + 1e9 }),
  salience: fc.double({ min: 0.05, max: 1, noNaN: true }),
  confidence: unit,
  sector: fc.option(fc.constantFrom(...SECTORS)),
  isSuperseded: fc.boolean(),
})
const candidatesOf = (bm25s: fc.Arbitrary<number>, maxLength = 12): fc.Arbitrary<Candidate[]> =>
  fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1, maxLength: 2 }).map((id) => id as RecordId),
      bm25: fc.option(bm25s),
      similarity: fc.option(cosine),
      wholeSimilarity: fc.option(cosine),
      words: fc.nat(400),
      facts,
    }),
    { selector: ({ id }) => id, maxLength },
  )
const candidates = candidatesOf(bm25)
const context: fc.Arbitrary<RankingContext> = fc.record({
  cover: unit,
  now: fc.constant(NOW),
  threshold: unit,
  wordsFirst: fc.boolean(),
})
const overrides = fc.oneof(
  fc.constant({}),
  fc.record({ alpha: unit, k: fc.nat(100) }),
  fc.record({
    keywordWeight: fc.constantFrom(0.1, 1, 7),
    vectorWeight: fc.constantFrom(0, 0.3, 3),
  }),
  fc.record({ recencyWeight: fc.constantFrom(0, 0.5, 100) }),
)
const lens: fc.Arbitrary<Lens> = fc
  .tuple(fc.constantFrom(...LENSES), overrides)
  .map(([{ name }, changes]) => chooseLens(name, changes))

const placeOf = (id: string, scored: readonly Scored[]): number => idsOf(scored).indexOf(id)

describe('every lens', () => {
  test('ranks a shortlist in the same order as all candidates', () => {
    fc.assert(
      fc.property(
        lens.filter(({ fusion }) => fusion.kind === 'calibrated'),
        candidatesOf(bm25, 80),
        context,
        fc.integer({ min: 1, max: 6 }),
        (lens, candidates, given, window) => {
          const context = { ...given, strongest: findLargest(candidates.map(keywordStrength)) }
          const { first, rest } = splitShortlist(lens, candidates, { ...context, window })
          const others = rest(applyLens(lens, first, context))
          const found = applyLens(lens, [...first, ...others], context)
          const all = applyLens(lens, candidates, context)
          expect(found.slice(0, window)).toEqual(all.slice(0, window))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('[N5] every score equals the value of its explanation', () => {
    fc.assert(
      fc.property(lens, candidates, context, (lens, candidates, context) => {
        for (const { explanation } of applyLens(lens, candidates, context)) {
          expect(Math.abs(evaluate(explanation) - explanation.score)).toBeLessThan(1e-9)
        }
      }),
    )
  })

  test('[N4, N5] scores are in 0..1 and never rise from one hit to the next', () => {
    fc.assert(
      fc.property(lens, candidates, context, (lens, candidates, context) => {
        let before = 1
        for (const score of scoresOf(applyLens(lens, candidates, context))) {
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(before)
          before = score
        }
      }),
    )
  })

  test('[F3, F9] the order of the candidates does not matter', () => {
    const shuffled = candidates.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    )
    fc.assert(
      fc.property(lens, shuffled, context, (lens, [list, mixed], context) => {
        const ranked = applyLens(lens, list, context)
        expect(applyLens(lens, mixed, context)).toEqual(ranked)
        expect(new Set(idsOf(ranked)).size).toBe(ranked.length)
      }),
    )
  })

  test('[F3] ties are ordered by the score before the cap, then by id', () => {
    fc.assert(
      fc.property(lens, candidates, context, (lens, candidates, context) => {
        const ranked = applyLens(lens, candidates, context)
        for (const [i, { id, explanation }] of ranked.entries()) {
          const next = ranked[i + 1]
          if (next === undefined || next.explanation.score !== explanation.score) continue
          const lead = scoreBeforeCap(explanation) - scoreBeforeCap(next.explanation)
          expect(lead > 0 || (lead === 0 && id < next.id)).toBe(true)
        }
      }),
    )
  })
})

describe('fusions', () => {
  test('[F3] alpha 0 is exactly the keyword list, alpha 1 exactly the vector list', () => {
    fc.assert(
      fc.property(candidates, fc.nat(100), (candidates, k) => {
        // The simple equivalent: one list, sorted by its own number.
        const listed = (numberOf: (candidate: Candidate) => number | null): string[] =>
          candidates
            .flatMap((one) => ({ id: one.id, number: numberOf(one) }))
            .filter((one): one is { id: RecordId; number: number } => one.number !== null)
            .sort((a, b) => a.number - b.number || (a.id < b.id ? -1 : 1))
            .map(({ id }) => id)
        const byWords = listed(({ bm25 }) => bm25)
        const byMeaning = listed(({ similarity }) => (similarity === null ? null : -similarity))
        expect(idsOf(fuseByRank(candidates, { k, alpha: 0 }))).toEqual(byWords)
        expect(idsOf(fuseByRank(candidates, { k, alpha: 1 }))).toEqual(byMeaning)
      }),
    )
  })

  test('calibrated: a better match by keywords or by vector never ranks lower', () => {
    fc.assert(
      fc.property(
        candidates,
        unit,
        fc.nat(),
        unit,
        unit,
        (candidates, cover, pick, more, nearer) => {
          const chosen = candidates[pick % candidates.length]
          if (chosen === undefined) return
          const raised = {
            ...chosen,
            bm25: (chosen.bm25 ?? 0) - 20 * more,
            similarity: (chosen.similarity ?? 0) + nearer,
          }
          // A record that had no vector had no mean of several either.
          if (chosen.similarity === null) Object.assign(raised, { wholeSimilarity: null })
          const after = candidates.map((one) => (one === chosen ? raised : one))
          expect(placeOf(chosen.id, fuseCalibrated(after, { cover }))).toBeLessThanOrEqual(
            placeOf(chosen.id, fuseCalibrated(candidates, { cover })),
          )
        },
      ),
    )
  })

  test('[D4] raw bm25 is never added to a cosine: scaling bm25 changes no order', () => {
    // Eighths, so that the multiplication is exact.
    const eighths = candidatesOf(fc.integer({ min: -400, max: 0 }).map((n) => n / 8))
    const factor = fc.constantFrom(0.25, 3, 10, 1024)
    fc.assert(
      fc.property(eighths, factor, unit, (candidates, factor, cover) => {
        const rescaled = candidates.map((one) => ({
          ...one,
          bm25: one.bm25 === null ? null : one.bm25 * factor,
        }))
        expect(fuseCalibrated(rescaled, { cover })).toEqual(fuseCalibrated(candidates, { cover }))
        expect(fuseByRank(rescaled)).toEqual(fuseByRank(candidates))
        expect(fuseWeighted(rescaled)).toEqual(fuseWeighted(candidates))
      }),
    )
  })

  test('[D4] no part contributes more than its weight', () => {
    fc.assert(
      fc.property(candidates, unit, (candidates, cover) => {
        for (const { explanation } of fuseCalibrated(candidates, { cover })) {
          for (const part of explanation.parts)
            expect(part.score).toBeLessThanOrEqual(MEANING_SHARE)
        }
        for (const { explanation } of fuseWeighted(candidates)) {
          for (const { name, score } of explanation.parts) {
            expect(score).toBeLessThanOrEqual(name === 'keyword' ? 0.3 : 0.7)
          }
        }
      }),
    )
  })
})

describe('signals', () => {
  const settings = { ...chooseLens('balanced').signals!, now: NOW }
  const match = (id: string, score: number): Scored => ({
    id: id as RecordId,
    explanation: leaf('match', score),
  })

  test('[N4] in the default lens all signals together stay within 20 %', () => {
    fc.assert(
      fc.property(unit, facts, fc.constantFrom(0, 0.1, 5), (score, facts, weight) => {
        const recency = { kind: 'bonus' as const, weight }
        const { explanation } = applySignals(match('A', score), facts, { ...settings, recency })
        expect(explanation.score).toBeLessThanOrEqual(Math.min(1, score * 1.2 + 1e-12))
        expect(explanation.score).toBeGreaterThanOrEqual(score * 0.8 - 1e-12)
      }),
    )
  })

  test('[N4] a match 1.5 times as good is never overtaken by signals', () => {
    const clearly = fc.double({ min: 1.5001, max: 10, noNaN: true })
    fc.assert(
      fc.property(unit, clearly, facts, facts, (score, times, weak, strong) => {
        const better = Math.min(1, score)
        const worse = better / times
        // The worse match has the lower id, so that a tie would be noticed.
        const ranked = sortBestFirst([
          applySignals(match('A', worse), strong, settings),
          applySignals(match('B', better), weak, settings),
        ])
        if (better > 1e-300) expect(idsOf(ranked)).toEqual(['B', 'A'])
      }),
    )
  })

  test('[N4] in the balanced lens, fused scores that differ by a factor of 1.5 keep their order', () => {
    fc.assert(
      fc.property(candidates, context, (candidates, context) => {
        const fused = fuseCalibrated(candidates, context)
        const ranked = applyLens(chooseLens('balanced'), candidates, context)
        for (const a of fused) {
          for (const b of fused) {
            if (a.explanation.score <= 1.5001 * b.explanation.score) continue
            if (a.explanation.score < 1e-300) continue
            expect(placeOf(a.id, ranked)).toBeLessThan(placeOf(b.id, ranked))
          }
        }
      }),
    )
  })
})

test('a shortlist holds every match that signals could lift into the window', () => {
  /** A match with this score from similarity alone. */
  const make = (id: string, score: number) =>
    makeCandidate(id, { similarity: (score * 28) / (MEANING_SHARE * 20), words: 20 })
  const weak = [0.4, 0.34, 0.33, 0.1]
  const strong = Array.from({ length: 11 }, () => 0.41)
  const matches = [...weak, ...strong].map((score, i) => make(`${i}`, score))
  const context = { cover: 0, strongest: 0, window: 1 }
  const { first, rest } = splitShortlist(chooseLens('balanced'), matches, context)
  expect(first).toEqual(matches.slice(weak.length))
  const others = (score: number) =>
    rest([{ id: 'x' as RecordId, explanation: leaf('x', score) }]).map(({ id }) => id)
  // Signals reach up to 1.2: .34 · 1.2 = .408, .33 · 1.2 = .396.
  expect(others(0.4)).toEqual(['0', '1'])
  expect(others(0.41)).toEqual(['0'])
  expect(others(0.9)).toEqual([])
  // If the ranked records are gone, any other may enter the window.
  expect(rest([])).toHaveLength(weak.length)
  const wide = splitShortlist(chooseLens('balanced'), matches, { ...context, window: 5 })
  expect(wide.first).toEqual(matches)
})
