/** Compiles a filter to one SQL condition over `records r`; every value is bound. */

import type { DateField, Filter, Threshold } from '../../core/filter.js'
import { effectiveConfidenceSql, effectiveSalienceSql } from './salience-sql.js'
import { readVersion, type Statements } from './statements.js'
import { HELD, heldAt } from './vectors/candidates.js'

export type Values = Readonly<Record<string, string | number>>

export type Condition = {
  /** SQL over the alias `r`; the same filter shape always gives the same text, so that it is prepared once. */
  readonly sql: string
  readonly values: Values
}

/** Rows of `records` that are there now, or states of the view `past`, which has the same columns. */
export type Pool = 'present' | 'past'

/** A filter whose confidence has become the numbers of the few records that are too doubtful. */
export type PreparedFilter = Omit<Filter, 'minConfidence'> & {
  readonly rowsOut?: readonly number[]
}

export const OCCURRED = 'coalesce(r.occurred_at, r.created_at)'

/** A part that holds for no kind of date is left to the condition on the kind. */
const DATE_COLUMNS: Readonly<Record<DateField, string>> = {
  created: 'r.created_at',
  updated: 'r.updated_at',
  occurred: OCCURRED,
  published: `CASE WHEN r.kind = 'work' THEN r.occurred_at END`,
}

const LISTS = {
  kinds: 'r.kind IN (SELECT value FROM json_each(:kinds))',
  sectors: 'r.sector IN (SELECT value FROM json_each(:sectors))',
  tiers: 'r.tier IN (SELECT value FROM json_each(:tiers))',
  sources: 'r.source IN (SELECT value FROM json_each(:sources))',
  sessions: `r.row IN (SELECT u.record FROM json_each(:sessions) one JOIN sessions s ON s.id = one.value
    JOIN session_records u ON u.session = s.row AND u.usage = 'created')`,
  years: `CAST(strftime('%Y', ${OCCURRED} / 1000, 'unixepoch') AS INTEGER) IN (SELECT value FROM json_each(:years))`,
  factTypes: `r.row IN (SELECT f.record FROM facts f
    WHERE f.ended_at IS NULL AND f.type IN (SELECT value FROM json_each(:factTypes)))`,
  idsIn: 'r.id IN (SELECT value FROM json_each(:idsIn))',
  idsOut: 'r.id NOT IN (SELECT value FROM json_each(:idsOut))',
  rowsOut: 'r.row NOT IN (SELECT value FROM json_each(:rowsOut))',
  people: `EXISTS (
    SELECT 1 FROM json_each(r.people) person, json_each(:people) wanted
    WHERE instr(lower(person.value), lower(wanted.value)) > 0)`,
} as const

/** Which facts held then. */
const FACT_TYPES_THEN = `r.row IN (SELECT f.record FROM facts f
    WHERE f.created_at <= :asOfMs AND (f.ended_at IS NULL OR f.ended_at > :asOfMs)
      AND f.type IN (SELECT value FROM json_each(:factTypes)))`

/** What is there now has its tags in an index; what was there keeps them as it had them. */
const TAGS = {
  present: {
    tagsAny: `r.row IN (SELECT t.row FROM record_tags t WHERE t.tag IN (SELECT value FROM json_each(:tagsAny)))`,
    tagsNone: `r.row NOT IN (SELECT t.row FROM record_tags t WHERE t.tag IN (SELECT value FROM json_each(:tagsNone)))`,
    tagsAll: `NOT EXISTS (
    SELECT 1 FROM json_each(:tagsAll) wanted
    WHERE NOT EXISTS (SELECT 1 FROM record_tags t WHERE t.row = r.row AND t.tag = wanted.value))`,
  },
  past: {
    tagsAny: `EXISTS (SELECT 1 FROM json_each(r.tags) t, json_each(:tagsAny) wanted
    WHERE t.value = wanted.value COLLATE NOCASE)`,
    tagsNone: `NOT EXISTS (SELECT 1 FROM json_each(r.tags) t, json_each(:tagsNone) wanted
    WHERE t.value = wanted.value COLLATE NOCASE)`,
    tagsAll: `NOT EXISTS (
    SELECT 1 FROM json_each(:tagsAll) wanted
    WHERE NOT EXISTS (SELECT 1 FROM json_each(r.tags) t WHERE t.value = wanted.value COLLATE NOCASE))`,
  },
} as const satisfies Record<Pool, Record<'tagsAny' | 'tagsNone' | 'tagsAll', string>>

/** Null where everything passes, so that no table needs to be joined for it. */
export function compileFilter(filter: PreparedFilter, pool: Pool = 'present'): Condition | null {
  const parts: string[] = []
  const values: Record<string, string | number> = {}
  if (filter.namespaces !== undefined) {
    const inNamespaces = 'r.namespace IN (SELECT value FROM json_each(:namespaces))'
    const isGlobal = `(r.kind = 'memory' AND r.tier = 'global')`
    parts.push(filter.includeGlobal ? `(${inNamespaces} OR ${isGlobal})` : inNamespaces)
    values.namespaces = JSON.stringify(filter.namespaces)
  }
  const then = filter.asOfMs === undefined ? {} : { factTypes: FACT_TYPES_THEN }
  for (const [name, sql] of Object.entries({ ...LISTS, ...then, ...TAGS[pool] })) {
    const list = filter[name as keyof typeof LISTS | keyof (typeof TAGS)[Pool]]
    if (list === undefined) continue
    parts.push(sql)
    values[name] = JSON.stringify(list)
  }
  for (const { sql, values: own } of [
    datesOf(filter),
    salienceOf(filter),
    momentOf(filter, pool),
  ]) {
    if (sql === '') continue
    parts.push(sql)
    Object.assign(values, own)
  }
  return parts.length === 0 ? null : { sql: parts.join('\n  AND '), values }
}

const NOTHING: Condition = { sql: '', values: {} }

function datesOf({ dates }: PreparedFilter): Condition {
  if (dates === undefined) return NOTHING
  const { field, sinceMs, untilMs } = dates
  const column = DATE_COLUMNS[field]
  const since = sinceMs === null ? [] : [`${column} >= :sinceMs`]
  const until = untilMs === null ? [] : [`${column} < :untilMs`]
  return {
    sql: [...since, ...until].join(' AND '),
    values: { ...(sinceMs === null ? {} : { sinceMs }), ...(untilMs === null ? {} : { untilMs }) },
  }
}

function salienceOf({ minSalience }: PreparedFilter): Condition {
  if (minSalience === undefined) return NOTHING
  const { least, atMs, decay } = minSalience
  return {
    sql: `${effectiveSalienceSql} >= :minSalience`,
    values: { minSalience: least, nowMs: atMs, decay },
  }
}

/** What is there now counts for a moment before only if it was already so. */
function momentOf({ asOfMs }: PreparedFilter, pool: Pool): Condition {
  if (asOfMs === undefined || pool === 'past') return NOTHING
  return { sql: 'coalesce(r.valid_from, r.created_at) <= :asOfMs', values: { asOfMs } }
}

const SQL = {
  anyFact: 'SELECT EXISTS (SELECT 1 FROM facts)',
  doubtful: `SELECT f.record FROM facts f WHERE ${HELD}
    GROUP BY f.record HAVING avg(${effectiveConfidenceSql}) < :least`,
} as const

/** Confidence fades over days: what was doubtful a minute ago is so still. */
const FRESH_MS = 60_000

export type PrepareFilter = ReturnType<typeof createPrepareFilter>

export function createPrepareFilter(statements: Statements) {
  let kept: { readonly key: string; readonly rows: readonly number[] } | null = null
  const doubtful = ({ least, atMs }: Threshold, asOfMs: number | undefined): readonly number[] => {
    if (least <= 0 || statements.value(SQL.anyFact) !== 1) return []
    const moment = asOfMs === undefined ? Math.floor(atMs / FRESH_MS) : `at ${asOfMs}`
    const key = `${readVersion(statements)}.${least}.${moment}`
    if (kept?.key !== key) {
      const values = { least, nowMs: atMs, heldMs: heldAt({ asOfMs }) }
      const rows = statements.column(SQL.doubtful, values) as number[]
      kept = { key, rows }
    }
    return kept?.rows ?? []
  }
  return ({ minConfidence, ...filter }: Filter): PreparedFilter => {
    const rowsOut = minConfidence === undefined ? [] : doubtful(minConfidence, filter.asOfMs)
    return rowsOut.length === 0 ? filter : { ...filter, rowsOut }
  }
}
