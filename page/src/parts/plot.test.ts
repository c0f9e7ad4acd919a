/** Scales and calendars of plots are right at their edges. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { before, roundUp, stretchesBetween } from './plot.js'

test('a scale ends at or above the highest value, and not far above', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (value) => {
      expect(roundUp(value)).toBeGreaterThanOrEqual(value)
      expect(roundUp(value)).toBeLessThanOrEqual(2 * value)
    }),
  )
  expect([0, 1, 3, 64, 100, 101].map(roundUp)).toEqual([1, 1, 4, 80, 100, 200])
})

test('the stretch before the first of a month or a year is found', () => {
  expect(before('2026-03-01', 'day')).toBe('2026-02-28')
  expect(before('2026-01', 'month')).toBe('2025-12')
  expect(before('2026-12', 'month')).toBe('2026-11')
  expect(before('2000', 'year')).toBe('1999')
})

test('stretches without anything are there too, up to a most', () => {
  expect(stretchesBetween('2025-11', '2026-02', 'month', 9)).toEqual([
    '2025-11',
    '2025-12',
    '2026-01',
    '2026-02',
  ])
  expect(stretchesBetween('1900', '2026', 'year', 3)).toEqual(['2024', '2025', '2026'])
  expect(stretchesBetween('2026', '2026', 'year', 3)).toEqual(['2026'])
})
