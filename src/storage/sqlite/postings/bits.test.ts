import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addRows, createBits, placeIn, rankBits } from './bits.js'

test('the place of a row is the number of rows before it, and there is none for others', () => {
  const LAST = 300
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: LAST })), (given) => {
      const rows = Uint32Array.from(given).sort()
      const bits = createBits(Math.max(0, ...given))
      addRows(bits, rows)
      const ranked = rankBits(bits)
      expect(ranked).not.toBeNull()
      if (ranked === null) return
      for (let row = 0; row <= LAST + 100; row++) {
        expect(placeIn(ranked, row)).toBe(rows.indexOf(row))
      }
    }),
  )
})
