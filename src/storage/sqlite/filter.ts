/** Promise: a filter becomes one condition over `records r`, with every value bound and never spelled. */

import type { DateField, Filter } from '../../core/filter.js'

export type Condition = {
  /** SQL over the alias `r`; the same filter shape always gives the same text, so that it is prepared once. */
  readonly sql: string
  readonly values: Readonly<Record<string, string | number>>
}

const DATE_COLUMNS: Readonly<Record<DateField, string>> = {
  created: 'r.created_at',
  updated: 'r.updated_at',
  occurred: 'coalesce(r.occurred_at, r.created_at)',
}

const LISTS = {
  kinds: 'r.kind IN (SELECT value FROM json_each(:kinds))',
  sectors: 'r.sector IN (SELECT value FROM json_each(:sectors))',
  tiers: 'r.tier IN (SELECT value FROM json_each(:tiers))',
  sources: 'r.source IN (SELECT value FROM json_each(:sources))',
  idsIn: 'r.id IN (SELECT value FROM json_each(:idsIn))',
  idsOut: 'r.id NOT IN (SELECT value FROM json_each(:idsOut))',
  tagsAny: `r.row IN (SELECT t.row FROM record_tags t WHERE t.tag IN (SELECT value FROM json_each(:tagsAny)))`,
  tagsNone: `r.row NOT IN (SELECT t.row FROM record_tags t WHERE t.tag IN (SELECT value FROM json_each(:tagsNone)))`,
  tagsAll: `NOT EXISTS (
    SELECT 1 FROM json_each(:tagsAll) wanted
    WHERE NOT EXISTS (SELECT 1 FROM record_tags t WHERE t.row = r.row AND t.tag = wanted.value))`,
  people: `EXISTS (
    SELECT 1 FROM json_each(r.people) person, json_each(:people) wanted
    WHERE instr(lower(person.value), lower(wanted.value)) > 0)`,
} as const

/** Null where everything passes, so that no table needs to be joined for it. */
export function compileFilter(filter: Filter): Condition | null {
  const parts: string[] = []
  const values: Record<string, string | number> = {}
  if (filter.namespaces !== undefined) {
    const inNamespaces = 'r.namespace IN (SELECT value FROM json_each(:namespaces))'
    const isGlobal = `(r.kind = 'memory' AND r.tier = 'global')`
    parts.push(filter.includeGlobal ? `(${inNamespaces} OR ${isGlobal})` : inNamespaces)
    values.namespaces = JSON.stringify(filter.namespaces)
  }
  for (const [name, sql] of Object.entries(LISTS)) {
    const list = filter[name as keyof typeof LISTS]
    if (list === undefined) continue
    parts.push(sql)
    values[name] = JSON.stringify(list)
  }
  if (filter.dates !== undefined) {
    const { field, sinceMs, untilMs } = filter.dates
    const column = DATE_COLUMNS[field]
    if (sinceMs !== null) {
      parts.push(`${column} >= :sinceMs`)
      values.sinceMs = sinceMs
    }
    if (untilMs !== null) {
      parts.push(`${column} < :untilMs`)
      values.untilMs = untilMs
    }
  }
  return parts.length === 0 ? null : { sql: parts.join('\n  AND '), values }
}
