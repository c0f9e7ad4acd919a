import { describe, expect, test } from 'vitest'
import { findTimeRange } from './time-range.js'

/** A Monday morning, in local time. */
const NOW = new Date(2026, 10, 16, 8, 30).getTime()

function read(text: string): string | null {
  const range = findTimeRange(text, NOW)
  if (range === null) return null
  return [range.fromMs, range.toMs].map((ms) => new Date(ms).toLocaleDateString('sv')).join(' ')
}

describe('the time a question speaks of, up to the day after it', () => {
  test.each([
    ['what did we decide last week?', '2026-11-09 2026-11-16'],
    ['this week', '2026-11-16 2026-11-23'],
    ['Yesterday we met whom', '2026-11-15 2026-11-16'],
    ['who called last night', '2026-11-15 2026-11-16'],
    ['notes of this morning', '2026-11-16 2026-11-17'],
    ['trips in March', '2026-03-01 2026-04-01'],
    ['trips in December', '2025-12-01 2026-01-01'],
    ['trips in March 2021', '2021-03-01 2021-04-01'],
    ['papers in 2021', '2021-01-01 2022-01-01'],
    ['two years ago', '2024-01-01 2025-01-01'],
    ['what broke a month ago', '2026-10-01 2026-11-01'],
    ['3 weeks ago', '2026-10-26 2026-11-02'],
    ['ten days ago', '2026-11-06 2026-11-07'],
    ['last month', '2026-10-01 2026-11-01'],
    ['in the last 2 days', '2026-11-14 2026-11-16'],
    ['on Monday', '2026-11-09 2026-11-10'],
    ['last friday', '2026-11-13 2026-11-14'],
  ])('%s', (text, expected) => expect(read(text)).toBe(expected))

  test.each([
    'may I march in',
    'the year in review',
    '"last week" show',
    '-yesterday',
    'title:yesterday',
    'inmarch in marching',
    '',
    `${'a long passage that somebody pasted '.repeat(5)} last week`,
  ])('none in %s', (text) => expect(read(text)).toBeNull())
})
