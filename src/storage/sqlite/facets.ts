/** Counts all results of a search by kind, sector, source, namespace, year, tag and fact type, or sorts them. */

import type { Filter } from '../../core/filter.js'
import type { RecordId } from '../../core/ids.js'
import { MAX_FACET_VALUES, toFacets } from '../counts.js'
import { OCCURRED } from '../date-filter.js'
import type { FoundOrder, ResultSet } from '../search.js'
import type { Page } from '../storage.js'
import { compileFilter, type PrepareFilter, SOURCE_FOLDER, YEAR } from './filter.js'
import {
  CONTAINS,
  compileMatch,
  PAST,
  PRESENT,
  type RequiredWords,
  restrictByWords,
} from './match.js'
import { findPastNear } from './past/past-search.js'
import { compilePast, isSupersededSql } from './past/past-sql.js'
import { type Condition, eachOf, joinConditions, type Statements } from './statements.js'
import type { Supersession } from './tables/revisions.js'
import { HELD, heldAt } from './vectors/candidates.js'
import type { PreparedNear } from './vectors/nearest.js'

const COLUMNS =
  'r.row, r.kind, r.sector, r.tags, r.people, r.source, r.namespace, r.occurred_at, r.created_at'

const mostFrequent = (counts: string): string =>
  `SELECT * FROM (${counts} ORDER BY 3 DESC, 2 LIMIT ${MAX_FACET_VALUES})`
const PEOPLE = (facet: string, kinds: string): string =>
  mostFrequent(`SELECT '${facet}', p.value, count(DISTINCT r.row)
    FROM found r, ${eachOf('r.people')} p WHERE ${kinds} GROUP BY 2`)

/** When a work was published, and when anything else was created; a work without a date comes last. */
const DATE = `CASE WHEN r.kind = 'work' THEN r.occurred_at ELSE r.created_at END`
const ORDERS: Readonly<Record<FoundOrder, string>> = {
  newest: `${DATE} DESC NULLS LAST, r.id DESC`,
  oldest: `${DATE} NULLS LAST, r.id`,
  title: 'coalesce(r.title, r.body) COLLATE NOCASE, r.id',
}

const FOUND = (columns: string, inTime: string): string => `SELECT ${columns} FROM records r
      WHERE r.row IN (SELECT value FROM json_each(:rows)) AND ${inTime}
      UNION ALL
      SELECT ${columns} FROM past r WHERE r.revision IN (SELECT value FROM json_each(:revisions))`

const SQL = {
  sort: (order: string, inTime: string) => `SELECT r.id FROM (
      ${FOUND('r.id, r.kind, r.title, r.body, r.occurred_at, r.created_at', inTime)}) r
    ORDER BY ${order} LIMIT :limit OFFSET :offset`,
  rows: (condition: string) => `SELECT r.row FROM records r WHERE r.present AND ${condition}`,
  revisions: (condition: string, isSuperseded: string) => `SELECT r.revision, r.id,
      ${isSuperseded} AS isSuperseded FROM past r WHERE ${condition}`,
  count: (source: string, more: string, inTime: string) => `WITH found AS MATERIALIZED (
      ${FOUND(COLUMNS, inTime)})
    SELECT 'kind' AS facet, r.kind AS value, count(*) AS n FROM found r GROUP BY 2
    UNION ALL SELECT 'sector', r.sector, count(*) FROM found r WHERE r.sector IS NOT NULL GROUP BY 2
    UNION ALL SELECT 'source', ${source} AS source, count(*) FROM found r
      WHERE r.source IS NOT NULL GROUP BY 2
    UNION ALL SELECT 'namespace', r.namespace, count(*) FROM found r GROUP BY 2
    UNION ALL SELECT 'year', ${YEAR} AS year, count(*) FROM found r
      WHERE year IS NOT NULL GROUP BY 2
    UNION ALL SELECT 'tag', min(t.value), count(DISTINCT r.row) FROM found r, ${eachOf('r.tags')} t
      GROUP BY t.value COLLATE NOCASE
    UNION ALL SELECT 'factType', f.type, count(DISTINCT r.row) FROM found r
      JOIN facts f ON f.record = r.row AND ${HELD} GROUP BY 2${more}`,
} as const

const WIDE = [
  '',
  PEOPLE('author', "r.kind = 'work'"),
  PEOPLE('person', "r.kind <> 'work'"),
  mostFrequent(`SELECT 'venue', min(w.venue), count(*) FROM found r
      JOIN works w ON w.record = r.row AND w.venue IS NOT NULL GROUP BY w.venue COLLATE NOCASE`),
  `SELECT 'month', strftime('%Y-%m', ${OCCURRED} / 1000.0, 'unixepoch') AS month, count(*)
      FROM found r WHERE month IS NOT NULL GROUP BY 2`,
].join('\n    UNION ALL ')

type FacetParts = {
  readonly statements: Statements
  readonly prepare: PrepareFilter
  /** The rows that are near enough for a search, and the row of its model. */
  readonly nearRows: (search: PreparedNear) => { rows: readonly number[]; model: number }
  readonly successors: Supersession['successors']
}

export function countFacets(parts: FacetParts, set: ResultSet, isWide: boolean) {
  const { rows, revisions, total, inTime } = collectFound(parts, set)
  const heldMs = heldAt(set.corrected.filter)
  const sql = isWide ? SQL.count(SOURCE_FOLDER, WIDE, inTime) : SQL.count('r.source', '', inTime)
  const counted = parts.statements.all(sql, { rows, revisions, heldMs })
  return { facets: toFacets(counted, isWide), total }
}

/** A page of all results in the given order. */
export function sortFound(parts: FacetParts, set: ResultSet, page: Page & { order: FoundOrder }) {
  const { rows, revisions, total, inTime } = collectFound(parts, set)
  const { order, limit, offset } = page
  const sql = SQL.sort(ORDERS[order], inTime)
  const ids = parts.statements.column<RecordId>(sql, { rows, revisions, limit, offset })
  return { ids, total }
}

function collectFound(parts: FacetParts, set: ResultSet) {
  const { statements, prepare, successors } = parts
  const { words, near, listed, containing, corrected } = set
  const found = createCollection(parts, corrected.filter.includeSuperseded === true)
  if (words !== null && compileMatch(words.root, words.fields) !== null) {
    found.add(words.filter, { required: words.root, fields: words.fields })
  }
  if (listed !== null) {
    const { root = null, fields = null } = listed.unwanted ?? {}
    found.add(listed.filter, { unwanted: root, fields })
  }
  if (containing !== null) {
    found.add(containing.filter, {}, { sql: CONTAINS, values: { text: containing.text } })
  }
  if (near !== null) {
    const prepared = { ...near, filter: prepare(near.filter) }
    const { rows, model } = parts.nearRows(prepared)
    for (const row of rows) found.rows.add(row)
    const past = compilePast(prepared.filter)
    const states = past === null ? [] : findPastNear(statements, { ...prepared, model }, past)
    found.addStates(states.filter(({ similarity }) => similarity >= near.minSimilarity))
  }
  const heldMs = heldAt(corrected.filter)
  if (found.replaced.size > 0) {
    const chains = successors([...found.replaced], heldMs)
    const ends = [...chains.values()].flatMap((chain) =>
      corrected.filter.includeSuperseded ? chain : chain.slice(-1),
    )
    const { idsIn } = corrected.filter
    const asked = idsIn === undefined ? ends : ends.filter((id) => idsIn.includes(id))
    found.add({ ...corrected.filter, idsIn: asked }, { unwanted: corrected.unwanted })
  }
  return {
    rows: [...found.rows],
    revisions: [...found.revisions],
    total: found.rows.size + found.revisions.size,
    inTime: joinConditions([statements.timeCheck('r')]).sql,
  }
}

type State = Readonly<{ id: RecordId; revision: number; isSuperseded: boolean | number }>

/** Collects present records and past states, each once; keeps superseded ones apart if they are not shown. */
function createCollection({ statements, prepare }: FacetParts, showsSuperseded: boolean) {
  const rows = new Set<number>()
  const revisions = new Set<number>()
  const replaced = new Set<RecordId>()
  const addStates = (states: readonly State[]): void => {
    for (const { id, revision, isSuperseded } of states) {
      if (isSuperseded) replaced.add(id)
      if (!isSuperseded || showsSuperseded) revisions.add(revision)
    }
  }
  return {
    rows,
    revisions,
    replaced,
    addStates,
    add(given: Filter, words: RequiredWords, extra: Condition | null = null): void {
      const filter = prepare(given)
      const now = joinConditions([
        statements.timeCheck('r'),
        compileFilter(filter),
        restrictByWords(extra, words, PRESENT),
      ])
      for (const row of statements.column<number>(SQL.rows(now.sql), now.values)) rows.add(row)
      const states = compilePast(filter)
      if (states === null) return
      const then = joinConditions([states, restrictByWords(extra, words, PAST)])
      addStates(statements.all(SQL.revisions(then.sql, isSupersededSql(filter)), then.values))
    },
  }
}
