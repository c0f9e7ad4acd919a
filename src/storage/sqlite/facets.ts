/** Everything that was found is counted by each of its values, found once and counted once. */

import { FACETS, type Facets, type FacetValue } from '../../core/answer.js'
import type { Filter } from '../../core/filter.js'
import type { RecordId } from '../../core/ids.js'
import type { Node } from '../../query/tree.js'
import type { ResultSet } from '../search.js'
import type { WordMatch } from '../storage.js'
import type { PrepareFilter } from './filter.js'
import { type Condition, compileFilter, OCCURRED, type PreparedFilter } from './filter.js'
import type { PreparedMatch } from './full-text.js'
import { compileMatch } from './match.js'
import { findPastNear } from './past/past-search.js'
import { compilePast, isSupersededSql } from './past/past-sql.js'
import type { Statements } from './statements.js'
import type { Supersession } from './tables/revisions.js'
import { HELD, heldAt } from './vectors/candidates.js'
import type { PreparedNear } from './vectors/nearest.js'

const COLUMNS =
  'r.row, r.kind, r.sector, r.tags, r.source, r.namespace, r.occurred_at, r.created_at'
const IS_MATCH = 'r.row IN (SELECT rowid FROM records_ft WHERE records_ft MATCH :match)'
const NO_MATCH = 'r.row NOT IN (SELECT rowid FROM records_ft WHERE records_ft MATCH :match)'
const WAS_MATCH = 'r.revision IN (SELECT rowid FROM revisions_ft WHERE revisions_ft MATCH :match)'
const WAS_NO_MATCH =
  'r.revision NOT IN (SELECT rowid FROM revisions_ft WHERE revisions_ft MATCH :match)'
const CONTAINS = '(instr(r.body, :text) > 0 OR instr(r.title, :text) > 0)'

const SQL = {
  rows: (condition: string) => `SELECT r.row FROM records r WHERE r.present AND ${condition}`,
  revisions: (condition: string, isSuperseded: string) => `SELECT r.revision, r.id,
      ${isSuperseded} AS isSuperseded FROM past r WHERE ${condition}`,
  count: `WITH found AS MATERIALIZED (
      SELECT ${COLUMNS} FROM records r WHERE r.row IN (SELECT value FROM json_each(:rows))
      UNION ALL
      SELECT ${COLUMNS} FROM past r WHERE r.revision IN (SELECT value FROM json_each(:revisions)))
    SELECT 'kind' AS facet, r.kind AS value, count(*) AS n FROM found r GROUP BY 2
    UNION ALL SELECT 'sector', r.sector, count(*) FROM found r WHERE r.sector IS NOT NULL GROUP BY 2
    UNION ALL SELECT 'source', r.source, count(*) FROM found r WHERE r.source IS NOT NULL GROUP BY 2
    UNION ALL SELECT 'namespace', r.namespace, count(*) FROM found r GROUP BY 2
    UNION ALL SELECT 'year', strftime('%Y', ${OCCURRED} / 1000, 'unixepoch') AS year, count(*) FROM found r
      WHERE year IS NOT NULL GROUP BY 2
    UNION ALL SELECT 'tag', min(t.value), count(DISTINCT r.row) FROM found r, json_each(r.tags) t
      GROUP BY t.value COLLATE NOCASE
    UNION ALL SELECT 'factType', f.type, count(DISTINCT r.row) FROM found r
      JOIN facts f ON f.record = r.row AND ${HELD} GROUP BY 2`,
} as const

type PreparedSet = {
  readonly words: PreparedMatch | null
  readonly near: PreparedNear | null
  readonly listed: {
    readonly filter: PreparedFilter
    readonly unwanted: WordMatch | null
  } | null
  readonly containing: { readonly text: string; readonly filter: PreparedFilter } | null
  readonly corrected: { readonly filter: PreparedFilter; readonly unwanted: Node | null }
}

/** Each filter of a set once, in the form that the database understands. */
export function prepareSet(set: ResultSet, prepare: PrepareFilter): PreparedSet {
  const prepared = <T extends { readonly filter: Filter }>(part: T) => ({
    ...part,
    filter: prepare(part.filter),
  })
  const { words, near, listed, containing, corrected } = set
  return {
    words: words && prepared(words),
    near: near && prepared(near),
    listed: listed && prepared(listed),
    containing: containing && prepared(containing),
    corrected: prepared(corrected),
  }
}

export type FacetParts = {
  readonly statements: Statements
  /** The records that are as near as a search asks, by their numbers; and the number of its model. */
  readonly nearRows: (search: PreparedNear) => {
    readonly rows: readonly number[]
    readonly model: number
  }
  readonly successors: Supersession['successors']
}

export function countFacets({ statements, nearRows, successors }: FacetParts, set: PreparedSet) {
  const found = createCollection(statements, set.corrected.filter)
  const { words, near, listed, containing, corrected } = set
  const match = words === null ? null : compileMatch(words.root, words.fields)
  if (words !== null && match !== null)
    found.add(words.filter, is(IS_MATCH, { match }), is(WAS_MATCH, { match }))
  if (listed !== null) {
    const refused = listed.unwanted && compileMatch(listed.unwanted.root, listed.unwanted.fields)
    found.add(listed.filter, ...notMatching(refused))
  }
  if (containing !== null) {
    const has = is(CONTAINS, { text: containing.text })
    found.add(containing.filter, has, has)
  }
  if (near !== null) {
    const { rows, model } = nearRows(near)
    for (const row of rows) found.rows.add(row)
    const past = compilePast(near.filter)
    const states = past === null ? [] : findPastNear(statements, { ...near, model }, past)
    found.addStates(states.filter(({ similarity }) => similarity >= near.minSimilarity))
  }
  const heldMs = heldAt(corrected.filter)
  if (found.replaced.size > 0) {
    const chains = successors([...found.replaced], heldMs)
    const ends = [...chains.values()].flatMap((chain) => (found.isShown ? chain : chain.slice(-1)))
    const { idsIn } = corrected.filter
    const asked = idsIn === undefined ? ends : ends.filter((id) => idsIn.includes(id))
    const refused = corrected.unwanted && compileMatch(corrected.unwanted, null)
    found.add({ ...corrected.filter, idsIn: asked }, ...notMatching(refused))
  }
  const counted = statements.all(SQL.count, {
    rows: JSON.stringify([...found.rows]),
    revisions: JSON.stringify([...found.revisions]),
    heldMs,
  })
  return { facets: toFacets(counted), total: found.rows.size + found.revisions.size }
}

type State = { readonly id: RecordId; readonly revision: number; readonly isSuperseded: boolean }

/** What is there and what was, each once; what was replaced apart, where it is not shown. */
function createCollection(statements: Statements, { includeSuperseded }: PreparedFilter) {
  const rows = new Set<number>()
  const revisions = new Set<number>()
  const replaced = new Set<RecordId>()
  const isShown = includeSuperseded === true
  const addStates = (states: readonly State[]): void => {
    for (const { id, revision, isSuperseded } of states) {
      if (isSuperseded) replaced.add(id)
      if (!isSuperseded || isShown) revisions.add(revision)
    }
  }
  return {
    rows,
    revisions,
    replaced,
    isShown,
    addStates,
    add(filter: PreparedFilter, present: Condition | null, past: Condition | null): void {
      const now = joined([compileFilter(filter), present])
      for (const row of statements.column(SQL.rows(now.sql), now.values)) rows.add(Number(row))
      const states = compilePast(filter)
      if (states === null) return
      const then = joined([states, past])
      const found = statements.all(SQL.revisions(then.sql, isSupersededSql(filter)), then.values)
      addStates(
        found.map((row) => ({
          id: row.id as RecordId,
          revision: Number(row.revision),
          isSuperseded: row.isSuperseded === 1,
        })),
      )
    },
  }
}

function notMatching(match: string | null): [Condition | null, Condition | null] {
  return match === null ? [null, null] : [is(NO_MATCH, { match }), is(WAS_NO_MATCH, { match })]
}

function is(sql: string, values: Condition['values']): Condition {
  return { sql, values }
}

function joined(conditions: readonly (Condition | null)[]): Condition {
  const parts = conditions.filter((condition) => condition !== null)
  return {
    sql: parts.length === 0 ? 'true' : parts.map((part) => part.sql).join(' AND '),
    values: Object.assign({}, ...parts.map((part) => part.values)),
  }
}

function toFacets(rows: readonly Readonly<Record<string, unknown>>[]): Facets {
  const byFacet = new Map<string, FacetValue[]>(FACETS.map((name) => [name, []]))
  for (const row of rows) {
    byFacet.get(String(row.facet))?.push({ value: String(row.value), count: Number(row.n) })
  }
  for (const counted of byFacet.values()) {
    counted.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  }
  return Object.fromEntries(byFacet) as unknown as Facets
}
