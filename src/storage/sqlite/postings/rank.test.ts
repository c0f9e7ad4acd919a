import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareScored } from '../full-text.js'
import { addRows, createBits } from './bits.js'
import {
  computeNorms,
  createTerm,
  createWorkspace,
  rankAll,
  rankAny,
  scoreRow,
  type Term,
} from './rank.js'

const ROWS = 60

const terms = fc.array(
  fc.record({
    rows: fc.uniqueArray(fc.integer({ min: 0, max: ROWS - 1 }), { minLength: 1, maxLength: 40 }),
    idf: fc.double({ min: 1e-6, max: 9, noNaN: true }),
    frequencies: fc.array(fc.constantFrom(0.3, 0.75, 1, 1.75, 4), { minLength: 3, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 7 },
)

test('the best rows and their order are those of scoring every row', () => {
  const workspace = createWorkspace(ROWS)
  fc.assert(
    fc.property(
      terms,
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: ROWS, maxLength: ROWS }),
      fc.integer({ min: 1, max: 6 }),
      fc.option(fc.uniqueArray(fc.integer({ min: 0, max: ROWS - 1 }))),
      (made, words, limit, kept) => {
        const lengths = { words: Uint32Array.from(words), norms: computeNorms(50) }
        const lists = made.map(({ rows, idf, frequencies }): Term => {
          const sorted = Uint32Array.from(rows).sort()
          const list = { rows: sorted, tallies: Uint16Array.from(sorted, (row) => row % 3) }
          const frequency = Float64Array.from(frequencies)
          return createTerm({ ...list, frequency, idf, columns: 1, blocks: [] }, lengths)
        })
        const allowed = kept && createBits(ROWS)
        if (kept && allowed) addRows(allowed, Uint32Array.from(kept))
        const all = [...new Set(made.flatMap(({ rows }) => rows))]
          .filter((row) => kept === null || kept.includes(row))
          .map((row) => ({ row, bm25: scoreRow(row, lists, lengths) }))
          .sort(compareScored)
        const found = rankAny({ terms: lists, lengths, allowed, limit }, workspace)
        expect(found).toEqual(all.slice(0, limit))
        const clauses = [lists.slice(0, 2), ...lists.slice(2).map((term) => [term])]
        const inAll = all.filter(({ row }) =>
          clauses.every((clause) => clause.some(({ rows }) => rows.includes(row))),
        )
        expect(rankAll({ clauses, lengths, allowed, limit })).toEqual({
          best: inAll.slice(0, limit),
          total: inAll.length,
        })
        expect(workspace.points.every((points) => points === 0)).toBe(true)
      },
    ),
    { numRuns: 500 },
  )
})
