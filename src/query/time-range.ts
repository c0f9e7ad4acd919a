/** Finds the time that a question speaks of: "last week", "in March", "two years ago". */

import { localDay } from '../core/time.js'
import { isProse, QUOTED } from './lex.js'

/** From the first millisecond to the first one after it. */
export type TimeRange = { readonly fromMs: number; readonly toMs: number }

const MONTHS =
  'january february march april may june july august september october november december'.split(' ')
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const COUNTS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const COUNT = `\\d{1,3}|an?|${COUNTS.slice(1).join('|')}`
const UNIT = 'day|week|month|year'
const MONTH = MONTHS.join('|')

type Groups = readonly (string | undefined)[]
type Form = readonly [words: string, read: (groups: Groups, now: Date) => TimeRange]

/** If a question has several forms, the first one of this list counts. */
const FORMS: readonly Form[] = [
  [`(?:in |last |on )?(${MONTH}) (\\d{4})`, ([month, year]) => spanMonth(month, Number(year))],
  [
    `(?:in|during|from|of) ((?:19|20)\\d\\d)`,
    ([year]) => span('year', localDay(Number(year), 0, 1)),
  ],
  [`(?:in|during|last) (${MONTH})`, ([month], now) => spanLastMonth(month, now)],
  [`(${COUNT}) (${UNIT})s? ago`, ([count, unit], now) => span(unit, back(now, unit, count))],
  [
    `(?:in )?(?:the )?(?:last|past) (${COUNT}) (${UNIT})s?`,
    ([count, unit], now) => ({ fromMs: back(now, unit, count).getTime(), toMs: now.getTime() + 1 }),
  ],
  [`last (week|month|year)`, ([unit], now) => span(unit, back(now, unit, '1'))],
  [`this (week|month|year)`, ([unit], now) => span(unit, now)],
  [`(?:on|last) (${WEEKDAYS.join('|')})`, ([name], now) => spanWeekday(name, now)],
  [`yesterday|last night`, (_, now) => span('day', back(now, 'day', '1'))],
  [`today|tonight|this (?:morning|afternoon|evening)`, (_, now) => span('day', now)],
]

/** No letter follows. Where all letters are named as `\p{L}`, the first search of a process takes 3 ms more. */
const END = '(?![a-z\\d\\u00aa-\\u1fff])'

/** Every form has one of these words. */
const SIGN = new RegExp(
  `${MONTH}|\\b(?:in|during|from|of|on|ago|last|past|this|yesterday|today|tonight)\\b`,
)

const PATTERNS = FORMS.map(([words, read]) => {
  return { pattern: new RegExp(`(?<![^\\s(])(?:${words})${END}`), read }
})

/** Null if a text names no time, and for a pasted passage, whose times are not the reader's. Days are local. */
export function findTimeRange(text: string, nowMs: number): TimeRange | null {
  if (isProse(text)) return null
  const asked = text.replace(QUOTED, ' ').toLowerCase().replace(/\s+/g, ' ')
  if (!SIGN.test(asked)) return null
  for (const { pattern, read } of PATTERNS) {
    const groups = pattern.exec(asked)?.slice(1)
    if (groups !== undefined) return read(groups, new Date(nowMs))
  }
  return null
}

function toCount(written = ''): number {
  const named = COUNTS.indexOf(written)
  if (named >= 0) return named
  return written.startsWith('a') ? 1 : Number(written)
}

function back(now: Date, unit: string | undefined, count: string | undefined): Date {
  const n = toCount(count)
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  if (unit === 'year') return localDay(year - n, month, 1)
  if (unit === 'month') return localDay(year, month - n, 1)
  return localDay(year, month, day - n * (unit === 'week' ? 7 : 1))
}

/** The whole day, week from Monday, month or year that a date lies in. */
function span(unit: string | undefined, date: Date): TimeRange {
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  const monday = day - ((date.getDay() + 6) % 7)
  const [from, to] =
    unit === 'year'
      ? [localDay(year, 0, 1), localDay(year + 1, 0, 1)]
      : unit === 'month'
        ? [localDay(year, month, 1), localDay(year, month + 1, 1)]
        : unit === 'week'
          ? [localDay(year, month, monday), localDay(year, month, monday + 7)]
          : [localDay(year, month, day), localDay(year, month, day + 1)]
  return { fromMs: from.getTime(), toMs: to.getTime() }
}

function spanMonth(name: string | undefined, year: number): TimeRange {
  return span('month', localDay(year, MONTHS.indexOf(name ?? ''), 1))
}

/** The latest month of that name that has begun. */
function spanLastMonth(name: string | undefined, now: Date): TimeRange {
  const isLater = MONTHS.indexOf(name ?? '') > now.getMonth()
  return spanMonth(name, now.getFullYear() - (isLater ? 1 : 0))
}

/** The latest day of that name before today. */
function spanWeekday(name: string | undefined, now: Date): TimeRange {
  const days = (now.getDay() - WEEKDAYS.indexOf(name ?? '') + 7) % 7 || 7
  return span('day', back(now, 'day', String(days)))
}
