/** Groups entries by day, and within a day by session; works have no day but a year. */

import type { TimelineEntry } from '../../../src/cairn/timeline.js'
import { dayKey } from './moments.js'

export type Run = { readonly session: string | null; readonly entries: TimelineEntry[] }
export type TimelineDay = {
  readonly key: string
  readonly time: string
  /** A group of works is named by its year. */
  readonly isYear: boolean
  readonly runs: Run[]
}

export function byDay(entries: readonly TimelineEntry[]): TimelineDay[] {
  const days: TimelineDay[] = []
  for (const entry of entries) {
    const isYear = entry.kind === 'work'
    const key = isYear ? `works of ${entry.time.slice(0, 4)}` : dayKey(entry.time)
    const last = days.at(-1)
    const day = last?.key === key ? last : { key, time: entry.time, isYear, runs: [] }
    if (day !== last) days.push(day)
    const run = day.runs.at(-1)
    if (run !== undefined && run.session === entry.session) run.entries.push(entry)
    else day.runs.push({ session: entry.session, entries: [entry] })
  }
  return days
}
