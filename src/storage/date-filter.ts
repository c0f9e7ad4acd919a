/** Compiles the dates of a filter to SQL over `records r`, for both backends. */

import type { DateField, Filter } from '../core/filter.js'
import { toUtcDay } from '../core/time.js'

export const OCCURRED = 'coalesce(r.occurred_at, r.created_at)'

const DATE_COLUMNS: Readonly<Record<DateField, string>> = {
  created: 'r.created_at',
  updated: 'r.updated_at',
  occurred: OCCURRED,
  published: `CASE WHEN r.kind = 'work' THEN r.occurred_at END`,
}

type DateCondition = { readonly sql: string; readonly values: Readonly<Record<string, number>> }

/** Publication dates have no time zone, so a local day is compared as that day in UTC. */
export function compileDates({
  field,
  sinceMs,
  untilMs,
}: NonNullable<Filter['dates']>): (DateCondition | null)[] {
  const bounds = [
    ['sinceMs', sinceMs, '>='],
    ['untilMs', untilMs, '<'],
  ] as const
  return bounds.map(([name, ms, sign]) => {
    if (ms === null) return null
    if (field !== null)
      return { sql: `${DATE_COLUMNS[field]} ${sign} :${name}`, values: { [name]: ms } }
    const [work, other] = [DATE_COLUMNS.published, DATE_COLUMNS.created]
    return {
      sql: `CASE WHEN r.kind = 'work' THEN ${work} ${sign} :${name}Day ELSE ${other} ${sign} :${name} END`,
      values: { [name]: ms, [`${name}Day`]: toUtcDay(ms) },
    }
  })
}
