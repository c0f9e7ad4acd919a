/** Compiles a filter to one SQL condition over `records r`, or over the view `past r`; every value is bound. */

import type { Filter } from '../../core/filter.js'
import { END_OF_TIME } from '../../core/time.js'
import { compileDates, OCCURRED } from '../date-filter.js'
import { effectiveConfidenceSql, effectiveSalienceSql } from './salience-sql.js'
import { bindCondition, type Condition, joinConditions } from './statements.js'
import { compileWhere } from './where.js'

/** Rows of `records`, or of the view `past`, which has the same columns. */
export type Pool = 'present' | 'past'

/** A work without a publication date has no year: the day it was stored says nothing. */
const DATED = `CASE WHEN r.kind = 'work' THEN r.occurred_at ELSE ${OCCURRED} END`
/** Null before 4713 BC and after 9999. */
export const YEAR = `CASE WHEN ${DATED} BETWEEN -210866760000000 AND 253402300799999
  THEN extract(year FROM to_timestamp(${DATED} / 1000.0) AT TIME ZONE 'UTC')::integer END`

/** Without the case of ASCII letters, as SQLite compares tags, names and venues. */
export const foldSql = (text: string): string => `lower(${text} COLLATE "C")`
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

const LISTS = {
  kinds: 'r.kind = ANY (:kinds::text[])',
  sectors: 'r.sector = ANY (:sectors::text[])',
  tiers: 'r.tier = ANY (:tiers::text[])',
  idsIn: 'r.id = ANY (:idsIn::text[])',
  idsOut: 'r.id <> ALL (:idsOut::text[])',
  people: `EXISTS (
    SELECT 1 FROM unnest(r.people) person, unnest(:people::text[]) wanted
    WHERE CASE WHEN wanted LIKE '"%"' THEN wanted = '"' || person || '"'
      ELSE strpos(${foldSql('person')}, ${foldSql('wanted')}) > 0 END)`,
} as const

const FOLDED = {
  venues: `r.row IN (SELECT w.record FROM works w
    WHERE ${foldSql('w.venue')} = ANY (:venues::text[]))`,
} as const

const YEARS = `EXISTS (SELECT 1 FROM unnest(:firstYears::float8[], :lastYears::float8[]) one (first, last)
  WHERE ${YEAR} BETWEEN one.first AND one.last)`

/** A folder stands for what is in it: the column is compared only where one is asked for. */
const SOURCES = 'r.source = ANY (:sources::text[])'
const SOURCE_FOLDERS = `EXISTS (SELECT 1 FROM unnest(:sources::text[]) one WHERE r.source = one
    OR one = './*' AND ${isLooseFile('r.source')}
    OR (one LIKE '%/*' OR one LIKE '%:*') AND starts_with(r.source, left(one, -1)))`

/** The folder of a source as a filter takes it: `notes/a.md` → `notes/*`, `git:1f3` → `git:*`, `a.md` → `./*`. */
export const SOURCE_FOLDER = `CASE
    WHEN strpos(r.source, '/') > 0 THEN regexp_replace(r.source, '[^/]*$', '') || '*'
    WHEN strpos(r.source, ':') > 0 THEN split_part(r.source, ':', 1) || ':*'
    WHEN ${isLooseFile('r.source')} THEN './*' ELSE r.source END`

function isLooseFile(source: string): string {
  return `(strpos(${source}, '/') = 0 AND strpos(${source}, ':') = 0 AND strpos(${source}, '.') > 0)`
}

const USED_IN = 'session_records u ON u.session = s.row AND u.usage = ANY (:usages::text[])'
const SESSIONS = `r.row IN (
    SELECT u.record FROM sessions s JOIN ${USED_IN} WHERE s.id = ANY (:sessions::text[]))`
/** A caller that is pinned to a namespace does not learn what the sessions of others used. */
const OWN_SESSIONS = `EXISTS (
    SELECT 1 FROM sessions s JOIN ${USED_IN} AND u.record = r.row
    WHERE s.id = ANY (:sessions::text[]) AND s.namespace = r.namespace)`

/** Over `facts f`, with `heldAt` bound to `:heldMs`. */
export const HELD =
  'f.created_at <= :heldMs::bigint AND (f.ended_at IS NULL OR f.ended_at > :heldMs::bigint)'

/** Without `asOfMs`, what holds now holds whatever the clock says. */
export function heldAt({ asOfMs = END_OF_TIME }: { readonly asOfMs?: number | undefined }): number {
  return asOfMs
}

const FACT_TYPES = `r.row IN (SELECT f.record FROM facts f
    WHERE ${HELD} AND f.type = ANY (:factTypes::text[]))`
/** A record without facts is certain. */
const CONFIDENT = `NOT EXISTS (SELECT 1 FROM facts f WHERE f.record = r.row AND ${HELD}
    HAVING avg(${effectiveConfidenceSql.replaceAll(':nowMs', ':confidenceAtMs')}) < :leastConfidence::float8)`

type Tags = 'tagsAny' | 'tagsNone' | 'tagsAll'

/** Present records have their tags in a table; past states hold them alone. */
const isPastTag = (list: string): string =>
  `SELECT 1 FROM unnest(r.tags) t WHERE ${foldSql('t')} = ANY (${list}::text[])`
const TAGS = {
  present: {
    tagsAny: 'r.row IN (SELECT t.record FROM record_tags t WHERE t.tag = ANY (:tagsAny::text[]))',
    tagsNone:
      'r.row NOT IN (SELECT t.record FROM record_tags t WHERE t.tag = ANY (:tagsNone::text[]))',
    tagsAll: `NOT EXISTS (SELECT 1 FROM unnest(:tagsAll::text[]) one WHERE NOT EXISTS (
    SELECT 1 FROM record_tags t WHERE t.record = r.row AND t.tag = one))`,
  },
  past: {
    tagsAny: `EXISTS (${isPastTag(':tagsAny')})`,
    tagsNone: `NOT EXISTS (${isPastTag(':tagsNone')})`,
    tagsAll: `NOT EXISTS (SELECT 1 FROM unnest(:tagsAll::text[]) one
    WHERE NOT EXISTS (${isPastTag('ARRAY[one]')}))`,
  },
} as const satisfies Record<Pool, Record<Tags, string>>

const IN_NAMESPACES = 'r.namespace = ANY (:namespaces::text[])'
const IS_GLOBAL = `(r.kind = 'memory' AND r.tier = 'global')`
/** A record counts for an earlier time only if it already had its current state. */
const HAD_ITS_STATE = 'coalesce(r.valid_from, r.created_at) <= :asOfMs::bigint'

/** Null where everything passes, so that no table needs to be joined for it. */
export function compileFilter(filter: Filter, pool: Pool = 'present'): Condition | null {
  const { namespaces, factTypes, dates, asOfMs, sources, sessions, usages = ['created'] } = filter
  const { minSalience, minConfidence, years } = filter
  const inScope = filter.includeGlobal ? `(${IN_NAMESPACES} OR ${IS_GLOBAL})` : IN_NAMESPACES
  const hasFolder = sources?.some((one) => one.endsWith('*'))
  const conditions = [
    bindCondition(inScope, { namespaces }),
    ...Object.entries(LISTS).map(([name, sql]) =>
      bindCondition(sql, { [name]: filter[name as keyof typeof LISTS] }),
    ),
    ...Object.entries({ ...FOLDED, ...TAGS[pool] }).map(([name, sql]) =>
      bindCondition(sql, { [name]: filter[name as keyof typeof FOLDED | Tags]?.map(fold) }),
    ),
    bindCondition(YEARS, {
      firstYears: years?.map(([first]) => first),
      lastYears: years?.map(([, last]) => last),
    }),
    bindCondition(hasFolder ? SOURCE_FOLDERS : SOURCES, { sources }),
    bindCondition(filter.isPinned ? OWN_SESSIONS : SESSIONS, { sessions, usages }),
    bindCondition(FACT_TYPES, { factTypes, heldMs: heldAt({ asOfMs }) }),
    ...(dates === undefined ? [] : compileDates(dates)),
    filter.where === undefined ? null : compileWhere(filter.where),
    bindCondition(`${effectiveSalienceSql} >= :least::float8`, {
      least: minSalience?.least,
      nowMs: minSalience?.atMs,
      decay: minSalience?.decay,
    }),
    minConfidence === undefined || minConfidence.least <= 0
      ? null
      : bindCondition(CONFIDENT, {
          leastConfidence: minConfidence.least,
          confidenceAtMs: minConfidence.atMs,
          heldMs: heldAt({ asOfMs }),
        }),
    pool === 'present' ? bindCondition(HAD_ITS_STATE, { asOfMs }) : null,
  ]
  return conditions.every((condition) => condition === null) ? null : joinConditions(conditions)
}
