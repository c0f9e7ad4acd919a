/** Times: parsing dates and ages as users write them, and formatting as ISO 8601. */

export const DAY_MS = 86_400_000
const UNITS_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
  m: 30 * DAY_MS,
  y: 365 * DAY_MS,
}

export type Clock = () => number

/** Later than any time: the state at this time is the current one, even if a clock was set back. */
export const END_OF_TIME = 8.64e15

export function toIso(ms: number): string {
  return new Date(ms).toISOString()
}

export const TIME_FORMS =
  '2026-06-01, 2026-06-01T09:30, today, yesterday, or an age such as 12h, 7d, 2w, 6m, 1y'

const AGE = /^(\d{1,5})\s*([hdwmy])$/

/** Parses a time like `parseTime`, but an age counts into the future: `90d` is in ninety days. */
export function parseDeadline(text: string, now: number): number | null {
  const ms = parseTime(text, now, 'end')
  return ms !== null && AGE.test(text.trim().toLowerCase()) ? 2 * now - ms : ms
}

/**
 * Milliseconds UTC, or null. A day means its start in the local time zone, or with `edge: 'end'` the start of the next
 * day, so that "until 30 June" includes 30 June.
 */
export function parseTime(text: string, now: number, edge: 'start' | 'end' = 'start') {
  const written = text.trim().toLowerCase()
  const [, count, unit] = AGE.exec(written) ?? []
  if (count !== undefined && unit !== undefined) {
    return now - Number(count) * (UNITS_MS[unit] ?? 0)
  }
  const days = written === 'today' ? 0 : written === 'yesterday' ? -1 : null
  if (days !== null) {
    const today = new Date(now)
    const day = today.getDate() + days + (edge === 'end' ? 1 : 0)
    return localDay(today.getFullYear(), today.getMonth(), day).getTime()
  }

  const [, year, month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(written) ?? []
  if (year !== undefined) return readDate({ year, month, day }, edge)
  if (!/^\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}/.test(written)) return null
  const ms = Date.parse(text.trim().replace(' ', 'T'))
  return Number.isNaN(ms) ? null : ms
}

/**
 * Turns the start of a local day into the start of that day in UTC; any other time stays as it is.
 * Publication dates have no time zone: "since 2019" means 2019 everywhere.
 */
export function toUtcDay(ms: number): number {
  const date = new Date(ms)
  const isStartOfDay =
    localDay(date.getFullYear(), date.getMonth(), date.getDate()).getTime() === ms
  return isStartOfDay
    ? new Date(0).setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate())
    : ms
}

type Written = Readonly<Record<'year' | 'month' | 'day', string | undefined>>

/** A year, a month or a day; `end` is the first millisecond after it. */
function readDate({ year, month, day }: Written, edge: 'start' | 'end'): number | null {
  const [y, m, d] = [Number(year), Number(month ?? 1), Number(day ?? 1)]
  const date = localDay(y, m - 1, d)
  // 2026-02-31 would quietly become 3 March.
  if (date.getMonth() !== m - 1 || date.getDate() !== d) return null
  if (edge === 'start') return date.getTime()
  if (day !== undefined) return localDay(y, m - 1, d + 1).getTime()
  return (month === undefined ? localDay(y + 1, 0, 1) : localDay(y, m, 1)).getTime()
}

/** `new Date(26, …)` would mean 1926. */
export function localDay(year: number, month: number, day: number): Date {
  const date = new Date(2000, 0, 1)
  date.setFullYear(year, month, day)
  return date
}

/** Days between two times; 0 if `then` lies in the future because a clock was wrong. */
export function daysSince(thenMs: number, nowMs: number): number {
  return Math.max(0, (nowMs - thenMs) / DAY_MS)
}
