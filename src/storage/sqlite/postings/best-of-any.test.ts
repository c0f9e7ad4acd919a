import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bestOfAny, createWorkspace } from './best-of-any.js'
import { addRows, createBits, rankBits, unionOf } from './bits.js'
import { bestFirst, highestShare, normsUpTo, scoreRow, type Term } from './scoring.js'

const ROWS = 60

const terms = fc.array(
  fc.record({
    rows: fc.uniqueArray(fc.integer({ min: 0, max: ROWS - 1 }), { minLength: 1, maxLength: 40 }),
    isRanked: fc.boolean(),
    idf: fc.double({ min: 1e-6, max: 9, noNaN: true }),
    frequencies: fc.array(fc.constantFrom(0.3, 0.75, 1, 1.75, 4), { minLength: 3, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 7 },
)

test('the best are those that scoring every row gives, in the same order, whatever was left out', () => {
  const workspace = createWorkspace(ROWS)
  fc.assert(
    fc.property(
      terms,
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: ROWS, maxLength: ROWS }),
      fc.integer({ min: 1, max: 6 }),
      fc.option(fc.uniqueArray(fc.integer({ min: 0, max: ROWS - 1 }))),
      (made, lengths, limit, kept) => {
        const ground = { words: Uint32Array.from(lengths), norms: normsUpTo(50, 20) }
        const lists = made.map(({ rows, isRanked, idf, frequencies }): Term => {
          const sorted = Uint32Array.from(rows).sort()
          const list = { rows: sorted, tallies: Uint16Array.from(sorted, (row) => row % 3) }
          const frequency = Float64Array.from(frequencies)
          const ceiling = 2.2 * idf * highestShare(list, frequency, ground)
          const bits = isRanked ? unionOf([list]) : null
          const ranked = bits === null ? null : rankBits(bits)
          return { ...list, frequency, idf, ceiling, bits, ranked }
        })
        const allowed = kept && createBits(ROWS)
        if (kept && allowed) addRows(allowed, Uint32Array.from(kept))
        const all = [...new Set(made.flatMap(({ rows }) => rows))]
          .filter((row) => kept === null || kept.includes(row))
          .map((row) => ({ row, bm25: scoreRow(row, lists, ground) }))
          .sort(bestFirst)
        const found = bestOfAny({ terms: lists, ground, allowed, limit }, workspace)
        expect(found).toEqual(all.slice(0, limit))
        if (kept) {
          const few = Uint32Array.from(kept).sort()
          const leaping = bestOfAny({ terms: lists, ground, allowed, few, limit }, workspace)
          expect(leaping).toEqual(all.slice(0, limit))
        }
        expect(workspace.points.every((points) => points === 0)).toBe(true)
      },
    ),
    { numRuns: 2000 },
  )
})
