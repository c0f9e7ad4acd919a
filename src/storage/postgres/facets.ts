/** Everything that a search found: counted by kind, sector, source, namespace, year, tag and fact type, or sorted. */

import type { Facets } from '../../core/answer.js'
import type { Filter } from '../../core/filter.js'
import type { RecordId } from '../../core/ids.js'
import { MAX_FACET_VALUES, toFacets } from '../counts.js'
import { OCCURRED } from '../date-filter.js'
import type { FoundOrder, ResultSet } from '../search.js'
import type { Page } from '../storage.js'
import type { NearSearch } from '../vectors.js'
import { compileFilter, foldSql, HELD, heldAt, type Pool, SOURCE_FOLDER, YEAR } from './filter.js'
import { formatVector } from './halfvec.js'
import {
  CONTAINS,
  compileMatch,
  PAST,
  PRESENT,
  type RequiredWords,
  restrictByWords,
} from './match.js'
import { compilePast, isSupersededSql } from './past-sql.js'
import { readSuccessors } from './revisions.js'
import { type Condition, joinConditions, type Statements, type Values } from './statements.js'
import { formatTimeSql } from './statistics.js'

/** One that was removed has no vectors. */
const MODEL = '(SELECT m.row FROM models m WHERE m.id = :model::text)'

const COLUMNS = `r.row, r.id, r.kind, r.sector, r.tags, r.people, r.source, r.namespace, r.occurred_at, r.created_at`

const mostFrequent = (counts: string): string =>
  `(SELECT * FROM (${counts}) most (facet, value, n) ORDER BY n DESC, value COLLATE "C" LIMIT ${MAX_FACET_VALUES})`
const PEOPLE = (facet: string, kinds: string): string =>
  mostFrequent(`SELECT '${facet}', person, count(DISTINCT r.row)
    FROM found r, unnest(r.people) person WHERE ${kinds} GROUP BY person`)

/** When a work was published, and when anything else was created; a work without a date comes last. */
const DATE = `CASE WHEN r.kind = 'work' THEN r.occurred_at ELSE r.created_at END`
const ORDERS: Readonly<Record<FoundOrder, string>> = {
  newest: `${DATE} DESC NULLS LAST, r.id COLLATE "C" DESC`,
  oldest: `${DATE} NULLS LAST, r.id COLLATE "C"`,
  title: `${foldSql('r.name')}, r.id COLLATE "C"`,
}

const COUNTS = [
  `SELECT 'total' AS facet, '' AS value, count(*) AS n FROM found r`,
  `SELECT 'kind', r.kind, count(*) FROM found r GROUP BY 2`,
  `SELECT 'sector', r.sector, count(*) FROM found r WHERE r.sector IS NOT NULL GROUP BY 2`,
  `SELECT 'namespace', r.namespace, count(*) FROM found r GROUP BY 2`,
  `SELECT 'year', (${YEAR})::text, count(*) FROM found r WHERE ${YEAR} IS NOT NULL GROUP BY 2`,
  `SELECT 'tag', min(tag COLLATE "C"), count(DISTINCT r.row) FROM found r, unnest(r.tags) tag GROUP BY ${foldSql('tag')}`,
  `SELECT 'factType', f.type, count(DISTINCT r.row) FROM found r JOIN facts f ON f.record = r.row AND ${HELD} GROUP BY 2`,
]
const NARROW = [
  ...COUNTS,
  `SELECT 'source', r.source, count(*) FROM found r WHERE r.source IS NOT NULL GROUP BY 2`,
]
const WIDE = [
  ...COUNTS,
  `SELECT 'source', ${SOURCE_FOLDER}, count(*) FROM found r WHERE r.source IS NOT NULL GROUP BY 2`,
  PEOPLE('author', "r.kind = 'work'"),
  PEOPLE('person', "r.kind <> 'work'"),
  mostFrequent(`SELECT 'venue', min(w.venue COLLATE "C"), count(*) FROM found r
    JOIN works w ON w.record = r.row AND w.venue IS NOT NULL GROUP BY ${foldSql('w.venue')}`),
  `SELECT 'month', ${formatTimeSql(OCCURRED, 'YYYY-MM')}, count(*) FROM found r
    WHERE ${formatTimeSql(OCCURRED, 'YYYY-MM')} IS NOT NULL GROUP BY 2`,
]

const SQL = {
  found: (condition: string, more: string) => `found AS MATERIALIZED (
      SELECT ${COLUMNS}${more} FROM records r WHERE r.present AND ${condition}
      UNION ALL SELECT ${COLUMNS}${more} FROM past r WHERE r.revision = ANY (:revisions::bigint[]))`,
  rows: (condition: string) => `SELECT r.row FROM records r WHERE r.present AND ${condition}`,
  states: (condition: string, isSuperseded: string) =>
    `SELECT r.revision, r.id, ${isSuperseded} AS "isSuperseded" FROM past r WHERE ${condition}`,
  near: `r.row IN (SELECT c.record FROM chunks c
    WHERE CASE WHEN c.model = ${MODEL} THEN -(c.vector <#> :vector::halfvec) >= :least::float8 END)`,
  pastNear: `CASE WHEN r.model = ${MODEL} THEN -(r.vector <#> :vector::halfvec) >= :least::float8 END`,
  notExcluded: 'r.id <> ALL (:exclude::text[])',
} as const

export async function countFacets(
  statements: Statements,
  set: ResultSet,
  isWide: boolean,
): Promise<{ facets: Facets; total: number }> {
  const counts = (isWide ? WIDE : NARROW).join(' UNION ALL ')
  const rows = await readAll(statements, set, ({ sql, values }) =>
    statements.all(`WITH ${sql} ${counts}`, values),
  )
  const total = rows.find(({ facet }) => facet === 'total')?.n
  return { facets: toFacets(rows, isWide), total: Number(total) }
}

/** A page of all that was found, in an order of its own. */
export async function sortFound(
  statements: Statements,
  set: ResultSet,
  { order, limit, offset }: Page & { readonly order: FoundOrder },
): Promise<{ ids: RecordId[]; total: number }> {
  const [row] = await readAll(
    statements,
    set,
    ({ sql, values }) =>
      statements.all(
        `WITH ${sql} SELECT (SELECT count(*) FROM found) AS total, ARRAY(SELECT r.id FROM found r
        ORDER BY ${ORDERS[order]} LIMIT :limit::bigint OFFSET :offset::bigint) AS ids`,
        { ...values, limit, offset },
      ),
    ', coalesce(r.title, r.body) AS name',
  )
  return { ids: (row?.ids ?? []) as RecordId[], total: Number(row?.total) }
}

/** One of the sets that a search has found: what passes a filter, holds the words and fulfils a condition. */
type Part = RequiredWords & {
  readonly filter: Filter
  readonly extra?: Readonly<Record<Pool, Condition>>
}

/**
 * Reads from the table `found` of present records and past states, each once. Mostly there are no past states: what is read
 * without them is right then, and read again where there are some.
 */
async function readAll<T>(
  statements: Statements,
  set: ResultSet,
  read: (found: Condition) => Promise<T>,
  more = '',
): Promise<T> {
  const { filter, unwanted } = set.corrected
  const describe = (all: readonly Part[], revisions: readonly number[]) =>
    describeAll(all, { revisions, heldMs: heldAt(filter) }, more)
  const parts = listParts(set)
  const [{ revisions, replaced }, present] = await Promise.all([
    readStates(statements, parts, filter),
    read(describe(parts, [])),
  ])
  if (revisions.length === 0 && replaced.length === 0) return present
  if (replaced.length === 0) return read(describe(parts, revisions))
  const chains = await readSuccessors(statements, replaced, heldAt(filter))
  const ends = [...chains.values()].flatMap((chain) =>
    filter.includeSuperseded ? chain : chain.slice(-1),
  )
  const { idsIn } = filter
  const asked = idsIn === undefined ? ends : ends.filter((id) => idsIn.includes(id))
  const corrections = { filter: { ...filter, idsIn: asked }, unwanted }
  const corrected = await readStates(statements, [corrections], filter)
  const all = [...new Set([...revisions, ...corrected.revisions])]
  return read(describe([...parts, corrections], all))
}

function describeAll(parts: readonly Part[], common: Values, more: string): Condition {
  const conditions = parts.map((part, i) => prefixValues(compilePart(part), `p${i}`))
  const [first, ...others] = conditions.map(({ sql }) => sql)
  const isAny = `r.row IN (${[first, ...others].map((sql) => SQL.rows(sql ?? 'false')).join(' UNION ALL ')})`
  const values: Values = Object.assign({}, ...conditions.map((one) => one.values))
  return {
    sql: SQL.found(others.length === 0 ? (first ?? 'false') : isAny, more),
    values: { ...values, ...common },
  }
}

function listParts(set: ResultSet): Part[] {
  const { words, near, listed, containing } = set
  const parts: Part[] = []
  if (words !== null && compileMatch(words.root, words.fields) !== null) {
    parts.push({ filter: words.filter, required: words.root, fields: words.fields })
  }
  if (listed !== null) {
    const { root = null, fields = null } = listed.unwanted ?? {}
    parts.push({ filter: listed.filter, unwanted: root, fields })
  }
  if (containing !== null) {
    const contains = { sql: CONTAINS, values: { text: containing.text } }
    parts.push({ filter: containing.filter, extra: { present: contains, past: contains } })
  }
  if (near !== null) parts.push({ ...near, extra: compileNear(near) })
  return parts
}

function compileNear(near: NearSearch) {
  const values = { model: near.model, vector: formatVector(near.vector), least: near.minSimilarity }
  const exclude = { sql: SQL.notExcluded, values: { exclude: near.exclude } }
  return {
    present: joinConditions([{ sql: SQL.near, values }, exclude]),
    past: { sql: SQL.pastNear, values },
  }
}

function compilePart({ filter, extra, ...words }: Part): Condition {
  return joinConditions([
    compileFilter(filter),
    restrictByWords(extra?.present ?? null, words, PRESENT),
  ])
}

/** Superseded ones apart, where they are not shown. */
async function readStates(statements: Statements, parts: readonly Part[], shown: Filter) {
  const found = await Promise.all(
    parts.map(async ({ filter, extra, ...words }) => {
      const states = compilePast(filter)
      if (states === null) return []
      const { sql, values } = joinConditions([
        states,
        restrictByWords(extra?.past ?? null, words, PAST),
      ])
      return statements.all(SQL.states(sql, isSupersededSql(filter)), values)
    }),
  )
  const revisions = new Set<number>()
  const replaced = new Set<RecordId>()
  for (const { id, revision, isSuperseded } of found.flat()) {
    if (isSuperseded === true) replaced.add(id as RecordId)
    if (isSuperseded !== true || shown.includeSuperseded === true) revisions.add(Number(revision))
  }
  return { revisions: [...revisions], replaced: [...replaced] }
}

/** Conditions of several parts bind values under the same names. */
function prefixValues({ sql, values }: Condition, prefix: string): Condition {
  const rename = (name: string): string => `${prefix}_${name}`
  return {
    sql: sql.replace(/(?<![:\w]):([a-zA-Z]\w*)/g, (_, name: string) => `:${rename(name)}`),
    values: Object.fromEntries(Object.entries(values).map(([name, one]) => [rename(name), one])),
  }
}
