/** Compiles a filter to one SQL condition over `records r`; every value is bound. */

import {
  type Filter,
  METADATA_SIGNS,
  type MetadataTest,
  type Threshold,
} from '../../core/filter.js'
import { compileDates, OCCURRED } from '../date-filter.js'
import { compileMetadata, readNumbers } from '../metadata-filter.js'
import { effectiveConfidenceSql, effectiveSalienceSql } from './salience-sql.js'
import {
  bindCondition,
  type Condition,
  eachOf,
  joinConditions,
  readVersion,
  type Statements,
} from './statements.js'
import { HELD, heldAt } from './vectors/candidates.js'

/** Rows of `records`, or of the view `past`, which has the same columns. */
type Pool = 'present' | 'past'

/** A filter in which `minConfidence` is replaced by the rows below it. */
export type PreparedFilter = Omit<Filter, 'minConfidence'> & {
  readonly rowsOut?: readonly number[]
}

/** A work without a publication date has no year: the day it was stored does not count. */
export const YEAR = `CAST(strftime('%Y',
  CASE WHEN r.kind = 'work' THEN r.occurred_at ELSE ${OCCURRED} END / 1000.0, 'unixepoch') AS INTEGER)`

const LISTS = {
  kinds: 'r.kind IN (SELECT value FROM json_each(:kinds))',
  sectors: 'r.sector IN (SELECT value FROM json_each(:sectors))',
  tiers: 'r.tier IN (SELECT value FROM json_each(:tiers))',
  venues: `r.row IN (SELECT w.record FROM works w
    WHERE w.venue COLLATE NOCASE IN (SELECT value FROM json_each(:venues)))`,
  years: `EXISTS (SELECT 1 FROM json_each(:years) one
    WHERE ${YEAR} BETWEEN json_extract(one.value, '$[0]') AND json_extract(one.value, '$[1]'))`,
  idsIn: 'r.id IN (SELECT value FROM json_each(:idsIn))',
  idsOut: 'r.id NOT IN (SELECT value FROM json_each(:idsOut))',
  rowsOut: 'r.row NOT IN (SELECT value FROM json_each(:rowsOut))',
  people: `EXISTS (
    SELECT 1 FROM ${eachOf('r.people')} person, json_each(:people) wanted
    WHERE iif(wanted.value LIKE '"%"', wanted.value = '"' || person.value || '"',
      instr(lower(person.value), lower(wanted.value)) > 0))`,
} as const

/** `sources` may name folders; only then are the beginnings of sources compared. */
const SOURCES = 'r.source IN (SELECT value FROM json_each(:sources))'
const SOURCE_FOLDERS = `EXISTS (SELECT 1 FROM json_each(:sources) one WHERE r.source = one.value
    OR one.value = './*' AND ${isLooseFile('r.source')}
    OR (one.value LIKE '%/*' OR one.value LIKE '%:*')
      AND substr(r.source, 1, length(one.value) - 1) = substr(one.value, 1, length(one.value) - 1))`

/** The folder of a source as a filter takes it: `notes/a.md` → `notes/*`, `git:1f3` → `git:*`, `a.md` → `./*`. */
export const SOURCE_FOLDER = `CASE
    WHEN instr(r.source, '/') > 0 THEN rtrim(r.source, replace(r.source, '/', '')) || '*'
    WHEN instr(r.source, ':') > 0 THEN substr(r.source, 1, instr(r.source, ':')) || '*'
    WHEN ${isLooseFile('r.source')} THEN './*' ELSE r.source END`

function isLooseFile(source: string): string {
  return `(instr(${source}, '/') = 0 AND instr(${source}, ':') = 0 AND instr(${source}, '.') > 0)`
}

const USED_IN =
  'session_records u ON u.session = s.row AND u.usage IN (SELECT value FROM json_each(:usages))'
const SESSIONS = `r.row IN (
    SELECT u.record FROM json_each(:sessions) one JOIN sessions s ON s.id = one.value JOIN ${USED_IN})`
/** A caller pinned to a namespace must not learn which records the sessions of others used. */
const OWN_SESSIONS = `EXISTS (
    SELECT 1 FROM json_each(:sessions) one JOIN sessions s ON s.id = one.value AND s.namespace = r.namespace
      JOIN ${USED_IN} AND u.record = r.row)`

const FACT_TYPES = `r.row IN (SELECT f.record FROM facts f
    WHERE ${HELD} AND f.type IN (SELECT value FROM json_each(:factTypes)))`

/** Present records have their tags in a table; past states hold them as JSON. */
const TAGS = {
  present: {
    tagsAny: `r.row IN (SELECT t.row FROM record_tags t WHERE t.tag IN (SELECT value FROM json_each(:tagsAny)))`,
    tagsNone: `r.row NOT IN (SELECT t.row FROM record_tags t WHERE t.tag IN (SELECT value FROM json_each(:tagsNone)))`,
    tagsAll: `NOT EXISTS (
    SELECT 1 FROM json_each(:tagsAll) wanted
    WHERE NOT EXISTS (SELECT 1 FROM record_tags t WHERE t.row = r.row AND t.tag = wanted.value))`,
  },
  past: {
    tagsAny: `EXISTS (SELECT 1 FROM ${eachOf('r.tags')} t, json_each(:tagsAny) wanted
    WHERE t.value = wanted.value COLLATE NOCASE)`,
    tagsNone: `NOT EXISTS (SELECT 1 FROM ${eachOf('r.tags')} t, json_each(:tagsNone) wanted
    WHERE t.value = wanted.value COLLATE NOCASE)`,
    tagsAll: `NOT EXISTS (
    SELECT 1 FROM json_each(:tagsAll) wanted
    WHERE NOT EXISTS (SELECT 1 FROM ${eachOf('r.tags')} t WHERE t.value = wanted.value COLLATE NOCASE))`,
  },
} as const satisfies Record<Pool, Record<'tagsAny' | 'tagsNone' | 'tagsAll', string>>

const IS_GLOBAL = `(r.kind = 'memory' AND r.tier = 'global')`
/** A record counts for an earlier time only if it already had its current state. */
const HAD_ITS_STATE = 'coalesce(r.valid_from, r.created_at) <= :asOfMs'

/** Null if everything passes, so that no table has to be joined. */
export function compileFilter(filter: PreparedFilter, pool: Pool = 'present'): Condition | null {
  const { namespaces, factTypes, dates, asOfMs, sources, sessions, usages = ['created'] } = filter
  const { least, atMs, decay }: Partial<NonNullable<Filter['minSalience']>> =
    filter.minSalience ?? {}
  const inNamespaces = 'r.namespace IN (SELECT value FROM json_each(:namespaces))'
  const inScope = filter.includeGlobal ? `(${inNamespaces} OR ${IS_GLOBAL})` : inNamespaces
  const conditions = [
    bindCondition(inScope, { namespaces }),
    ...Object.entries({ ...LISTS, ...TAGS[pool] }).map(([name, sql]) =>
      bindCondition(sql, {
        [name]: filter[name as keyof typeof LISTS | keyof (typeof TAGS)[Pool]],
      }),
    ),
    bindCondition(sources?.some((one) => one.endsWith('*')) ? SOURCE_FOLDERS : SOURCES, {
      sources,
    }),
    bindCondition(filter.isPinned ? OWN_SESSIONS : SESSIONS, { sessions, usages }),
    bindCondition(FACT_TYPES, { factTypes, heldMs: heldAt({ asOfMs }) }),
    ...(dates === undefined ? [] : compileDates(dates)),
    filter.where === undefined ? null : compileMetadata(filter.where, compileTest),
    bindCondition(`${effectiveSalienceSql} >= :least`, { least, nowMs: atMs, decay }),
    pool === 'present' ? bindCondition(HAD_ITS_STATE, { asOfMs }) : null,
  ]
  return conditions.every((condition) => condition === null) ? null : joinConditions(conditions)
}

const SQL = {
  anyFact: 'SELECT EXISTS (SELECT 1 FROM facts)',
  doubtful: `SELECT f.record FROM facts f WHERE ${HELD}
    GROUP BY f.record HAVING avg(${effectiveConfidenceSql}) < :least`,
} as const

/** Confidence fades over days, so the result of a minute ago still holds. */
const FRESH_MS = 60_000

export type PrepareFilter = ReturnType<typeof createPrepareFilter>

/** Replaces `minConfidence` by the few records below it; costs nothing in a file without facts. */
export function createPrepareFilter(statements: Statements) {
  let cached: { readonly key: string; readonly rows: readonly number[] } | null = null
  const findDoubtful = ({ least, atMs }: Threshold, asOfMs: number | undefined) => {
    if (least <= 0 || statements.value(SQL.anyFact) !== 1) return []
    const time = asOfMs === undefined ? Math.floor(atMs / FRESH_MS) : `at ${asOfMs}`
    const key = `${readVersion(statements)}.${least}.${time}`
    if (cached?.key === key) return cached.rows
    const values = { least, nowMs: atMs, heldMs: heldAt({ asOfMs }) }
    const rows = statements.column<number>(SQL.doubtful, values)
    cached = { key, rows }
    return rows
  }
  return ({ minConfidence, ...filter }: Filter): PreparedFilter => {
    const rowsOut = minConfidence === undefined ? [] : findDoubtful(minConfidence, filter.asOfMs)
    return rowsOut.length === 0 ? filter : { ...filter, rowsOut }
  }
}

/** Tests each item of a list; an object matches nothing. */
function compileTest({ path, test, values }: MetadataTest, name: string): Condition {
  const keys = path.split('.').map((key) => `."${key}"`)
  const bound = { [`${name}Path`]: `$${keys.join('')}` }
  const value = `json_extract(r.metadata, :${name}Path)`
  if (test === 'exists') return { sql: `${value} IS NOT NULL`, values: bound }

  const type = `json_type(r.metadata, :${name}Path)`
  const compare = test === 'is' ? isAnyOf(name) : isBeyond(name, METADATA_SIGNS[test])
  const isAnyItem = `EXISTS (SELECT 1 FROM json_each(r.metadata, :${name}Path) item
    WHERE ${compare('item.type', 'item.value')})`
  const sql = `coalesce(iif(${type} = 'array', ${isAnyItem}, ${compare(type, value)}), 0)`
  return {
    sql,
    values: { ...bound, [`${name}Texts`]: values, [`${name}Numbers`]: readNumbers(values) },
  }
}

type CompareSql = (type: string, value: string) => string

/** The type of a boolean is its name in JSON, so the text `true` finds it. */
function isAnyOf(name: string): CompareSql {
  const isIn = (value: string, list: string) =>
    `${value} IN (SELECT value FROM json_each(:${name}${list}))`
  return (type, value) => `CASE WHEN ${type} = 'text' THEN ${isIn(value, 'Texts')}
    WHEN ${type} IN ('integer', 'real') THEN ${isIn(value, 'Numbers')}
    WHEN ${type} IN ('true', 'false') THEN ${isIn(type, 'Texts')} END`
}

function isBeyond(name: string, sign: string): CompareSql {
  return (
    type,
    value,
  ) => `CASE WHEN ${type} = 'text' THEN ${value} ${sign} json_extract(:${name}Texts, '$[0]')
    WHEN ${type} IN ('integer', 'real') THEN ${value} ${sign} json_extract(:${name}Numbers, '$[0]') END`
}
