/** Promise: everything that was found is counted by each of its values, found once and counted once. */

import { FACETS, type Facets, type FacetValue } from '../../core/answer.js'
import type { Filter } from '../../core/filter.js'
import type { WordMatch } from '../storage.js'
import type { ResultSet } from '../surroundings.js'
import { type Condition, compileFilter, OCCURRED, type PreparedFilter } from './filter.js'
import type { PreparedMatch } from './full-text.js'
import { compileMatch } from './match.js'
import type { PreparedNear } from './meaning/allowed.js'
import { HELD, heldAt } from './meaning/candidate-facts.js'
import { findPastNear } from './past/past-near.js'
import { compilePast } from './past/past-states.js'
import type { PrepareFilter } from './prepare-filter.js'
import type { Statements } from './statements.js'

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
  revisions: (condition: string) => `SELECT r.revision FROM past r WHERE ${condition}`,
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

export type PreparedSet = {
  readonly words: PreparedMatch | null
  readonly near: PreparedNear | null
  readonly listed: {
    readonly filter: PreparedFilter
    readonly unwanted: WordMatch | null
  } | null
  readonly containing: { readonly text: string; readonly filter: PreparedFilter } | null
  readonly also: PreparedFilter | null
  readonly asOfMs: number | undefined
}

/** Each filter of a set once, in the form that the database understands. */
export function prepareSet(set: ResultSet, prepare: PrepareFilter): PreparedSet {
  const prepared = <T extends { readonly filter: Filter }>(part: T) => ({
    ...part,
    filter: prepare(part.filter),
  })
  const { words, near, listed, containing, also } = set
  return {
    words: words && prepared(words),
    near: near && prepared(near),
    listed: listed && prepared(listed),
    containing: containing && prepared(containing),
    also: also && prepare(also),
    asOfMs: set.asOfMs,
  }
}

export type FacetParts = {
  readonly statements: Statements
  /** The records that are as near as a search asks, by their numbers; and the number of its model. */
  readonly nearRows: (search: PreparedNear) => {
    readonly rows: readonly number[]
    readonly model: number
  }
}

export function countFacets({ statements, nearRows }: FacetParts, set: PreparedSet) {
  const rows = new Set<number>()
  const revisions = new Set<number>()
  const collect = (
    filter: PreparedFilter,
    present: Condition | null,
    past: Condition | null,
  ): void => {
    for (const row of selectAll(statements, SQL.rows, [compileFilter(filter), present]))
      rows.add(row)
    const states = compilePast(filter)
    if (states === null) return
    for (const row of selectAll(statements, SQL.revisions, [states, past])) revisions.add(row)
  }
  const { words, near, listed, containing } = set
  const match = words === null ? null : compileMatch(words.root, words.fields)
  if (words !== null && match !== null)
    collect(words.filter, is(IS_MATCH, { match }), is(WAS_MATCH, { match }))
  if (listed !== null) {
    const refused = listed.unwanted && compileMatch(listed.unwanted.root, listed.unwanted.fields)
    const not = (sql: string) => (refused === null ? null : is(sql, { match: refused }))
    collect(listed.filter, not(NO_MATCH), not(WAS_NO_MATCH))
  }
  if (containing !== null) {
    const has = is(CONTAINS, { text: containing.text })
    collect(containing.filter, has, has)
  }
  if (near !== null) {
    const found = nearRows(near)
    for (const row of found.rows) rows.add(row)
    const past = compilePast(near.filter)
    const states =
      past === null ? [] : findPastNear(statements, { ...near, model: found.model }, past)
    for (const { revision, similarity } of states) {
      if (similarity >= near.minSimilarity) revisions.add(revision)
    }
  }
  if (set.also !== null) collect(set.also, null, null)
  const counted = statements.all(SQL.count, {
    rows: JSON.stringify([...rows]),
    revisions: JSON.stringify([...revisions]),
    heldMs: heldAt(set),
  })
  return { facets: toFacets(counted), total: rows.size + revisions.size }
}

function is(sql: string, values: Condition['values']): Condition {
  return { sql, values }
}

function selectAll(
  statements: Statements,
  sql: (condition: string) => string,
  conditions: readonly (Condition | null)[],
): number[] {
  const parts = conditions.filter((condition) => condition !== null)
  const text = parts.length === 0 ? 'true' : parts.map((part) => part.sql).join(' AND ')
  const values = Object.assign({}, ...parts.map((part) => part.values))
  return statements.column(sql(text), values) as number[]
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
