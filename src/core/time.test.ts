import { expect, test } from 'vitest'
import { parseTime } from './time.js'

const NOW = new Date(2026, 5, 15, 12, 30).getTime()
const local = (year: number, month: number, day: number): number =>
  new Date(year, month - 1, day).getTime()

test('a day is its first moment, or with the end meant the first moment after it', () => {
  expect(parseTime('2026-06-01', NOW)).toBe(local(2026, 6, 1))
  expect(parseTime('2026-06-30', NOW, 'end')).toBe(local(2026, 7, 1))
  expect(parseTime('2026', NOW, 'end')).toBe(local(2027, 1, 1))
  expect(parseTime('2026-02', NOW, 'end')).toBe(local(2026, 3, 1))
})

test('today, yesterday and ages count from now', () => {
  expect(parseTime('today', NOW)).toBe(local(2026, 6, 15))
  expect(parseTime('Yesterday', NOW)).toBe(local(2026, 6, 14))
  expect(parseTime('7d', NOW)).toBe(NOW - 7 * 86_400_000)
  expect(parseTime('12h', NOW)).toBe(NOW - 12 * 3_600_000)
})

test('a full time with a zone is that instant', () => {
  expect(parseTime('2026-06-01T09:30:00Z', NOW)).toBe(Date.UTC(2026, 5, 1, 9, 30))
})

test.each(['', 'soon', '2026-02-31', '2026-13-01', '12', '5 apples', '2026-06-01T99:99'])(
  '%j is not a time',
  (text) => {
    expect(parseTime(text, NOW)).toBeNull()
  },
)
