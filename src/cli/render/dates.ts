/**
 * Formats dates the way the reader would say them, in the local time zone. `Intl` would take longer for its first date than
 * a search.
 */

import { type CairnRecord, findYear } from '../../core/record.js'
import { formatCount } from './style.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `just now`, `5 minutes ago`, `yesterday`, `3 Jun`, `3 Jun 2025`. */
export function formatAge(iso: string, now: number): string {
  const date = new Date(iso)
  const age = now - date.getTime()
  if (age < 0) return formatDate(date, now)
  if (age < MINUTE_MS) return 'just now'
  if (age < HOUR_MS) return `${formatCount(Math.floor(age / MINUTE_MS), 'minute')} ago`
  const isDay = (ms: number): boolean => date.toDateString() === new Date(ms).toDateString()
  if (isDay(now)) return `${formatCount(Math.floor(age / HOUR_MS), 'hour')} ago`
  return isDay(now - DAY_MS) ? 'yesterday' : formatDate(date, now)
}

/** The date a reader connects with a record: the year of a published work, when it happened, or when it was added. */
export function formatRecordDate(record: CairnRecord, now: number): string {
  const year = findYear(record)
  return year === null ? formatAge(record.occurredAt ?? record.createdAt, now) : String(year)
}

/** `09:30`. */
export function formatClock(iso: string): string {
  return new Date(iso).toTimeString().slice(0, 5)
}

/** `Mon 3 Jun 2025`, the year only if it is not this one. */
export function formatDay(iso: string, now: number): string {
  const date = new Date(iso)
  return `${date.toDateString().slice(0, 3)} ${formatDate(date, now)}`
}

/** `3 Jun 09:30`. */
export function formatMinute(iso: string, now: number): string {
  return `${formatDate(new Date(iso), now)} ${formatClock(iso)}`
}

/** The time up to which something is shown: a day if it is the end of one. */
export function formatEnd(iso: string, now: number): string {
  const next = new Date(Date.parse(iso) + 1)
  const isEndOfDay = next.getTime() === new Date(next).setHours(0, 0, 0, 0)
  return isEndOfDay ? formatDate(new Date(iso), now) : formatMinute(iso, now)
}

function formatDate(date: Date, now: number): string {
  const isThisYear = date.getFullYear() === new Date(now).getFullYear()
  // Tue Jun 03 2025
  const month = date.toDateString().slice(4, 7)
  return `${date.getDate()} ${month}${isThisYear ? '' : ` ${date.getFullYear()}`}`
}
