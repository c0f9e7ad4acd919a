/** Bins cover the time from the first month to the last, without gaps, and lose no record. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toBins } from './bins.js'

const month = fc
  .tuple(fc.integer({ min: 1500, max: 2030 }), fc.integer({ min: 1, max: 12 }))
  .map(([year, one]) => `${year}-${String(one).padStart(2, '0')}`)

test('every record is in one bin, and each bin begins the day after the last one ends', () => {
  const months = fc.uniqueArray(
    fc.record({ value: month, count: fc.integer({ min: 1, max: 9 }) }),
    {
      selector: ({ value }) => value,
      minLength: 1,
    },
  )
  fc.assert(
    fc.property(months, (counts) => {
      const bins = toBins(counts)
      expect(bins.length).toBeLessThanOrEqual(43)
      for (const { value, count } of counts) {
        const inside = bins.filter(
          ({ since, until }) => since <= `${value}-15` && `${value}-15` <= until,
        )
        expect(inside).toHaveLength(1)
        expect(inside[0]?.count).toBeGreaterThanOrEqual(count)
      }
      const sum = (all: readonly { readonly count: number }[]) =>
        all.reduce((n, { count }) => n + count, 0)
      expect(sum(bins)).toBe(sum(counts))
      for (const [i, { since }] of bins.entries()) {
        const before = bins[i - 1]
        if (before !== undefined)
          expect(Date.parse(since) - Date.parse(before.until)).toBe(86_400_000)
      }
    }),
  )
})
