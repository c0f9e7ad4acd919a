/** Groups entries by day, and within a day by session. */

import type { TimelineEntry } from '../../../src/cairn/timeline.js'
import { dayKey } from './moments.js'

export type Run = { readonly session: string | null; readonly entries: TimelineEntry[] }
export type TimelineDay = { readonly key: string; readonly time: string; readonly runs: Run[] }

export function byDay(entries: readonly TimelineEntry[]): TimelineDay[] {
  const days: TimelineDay[] = []
  for (const entry of entries) {
    const key = dayKey(entry.time)
    const last = days.at(-1)
    const day = last?.key === key ? last : { key, time: entry.time, runs: [] }
    if (day !== last) days.push(day)
    const run = day.runs.at(-1)
    if (run !== undefined && run.session === entry.session) run.entries.push(entry)
    else day.runs.push({ session: entry.session, entries: [entry] })
  }
  return days
}
