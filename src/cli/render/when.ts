/** A date is shown as the reader would say it. */

import type { CairnRecord } from '../../core/record.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `just now`, `5 minutes ago`, `yesterday`, `3 Jun`, `3 Jun 2025`, in the reader's time zone. */
export function when(iso: string, now: number): string {
  const date = new Date(iso)
  const age = now - date.getTime()
  if (age >= 0 && age < MINUTE_MS) return 'just now'
  if (age >= 0 && age < HOUR_MS) return ago(Math.floor(age / MINUTE_MS), 'minute')
  const today = new Date(now)
  if (age >= 0 && isSameDay(date, today)) return ago(Math.floor(age / HOUR_MS), 'hour')
  if (age >= 0 && isSameDay(date, new Date(now - DAY_MS))) return 'yesterday'
  const month = date.toLocaleString('en-GB', { month: 'short' })
  const year = date.getFullYear() === today.getFullYear() ? '' : ` ${date.getFullYear()}`
  return `${date.getDate()} ${month}${year}`
}

function ago(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`
}

function isSameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString()
}

/** The date a reader connects with a record: the year of a published work, when it happened, or when it was added. */
export function dateOf(
  { kind, metadata, work, occurredAt, createdAt }: CairnRecord,
  now: number,
): string {
  const year = work?.year ?? metadata.year
  if (kind === 'work' && (typeof year === 'number' || typeof year === 'string')) return String(year)
  return when(occurredAt ?? createdAt, now)
}

/** `09:30`, in the reader's time zone. */
export function clock(iso: string): string {
  return new Date(iso).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

/** `Mon 3 Jun 2025`, the year where it is not this one. */
export function day(iso: string, now: number): string {
  const date = new Date(iso)
  const isThisYear = date.getFullYear() === new Date(now).getFullYear()
  const weekday = date.toLocaleString('en-GB', { weekday: 'short' })
  const month = date.toLocaleString('en-GB', { month: 'short' })
  return `${weekday} ${date.getDate()} ${month}${isThisYear ? '' : ` ${date.getFullYear()}`}`
}

/** A moment to the minute: `3 Jun 09:30`. */
export function dayAndClock(iso: string, now: number): string {
  return `${day(iso, now).replace(/^\S+ /, '')} ${clock(iso)}`
}

/** The moment up to which something is told: a day where it is the end of one. */
export function upTo(iso: string, now: number): string {
  const next = new Date(Date.parse(iso) + 1)
  const isEndOfDay = next.getTime() === new Date(next).setHours(0, 0, 0, 0)
  return isEndOfDay ? day(iso, now).replace(/^\S+ /, '') : dayAndClock(iso, now)
}
