/** Ranks records by words with SQL alone; every filter applies before the limit. */

import type { RankedBy } from '../../core/answer.js'
import { getPinnedNamespace } from '../../core/filter.js'
import type { RecordId } from '../../core/ids.js'
import type { Field, Node } from '../../query/tree.js'
import { addUp, COLUMN_WEIGHTS, idfOf, normOf, pointsOf } from '../bm25.js'
import type { BestMatch, WeighedWords } from '../search.js'
import type { Page, WordMatch, WordScope } from '../storage.js'
import {
  fts5IdfOf,
  readColumnLengths,
  readVarints,
  readWordCounts,
  recoverFrequency,
} from './bm25.js'
import { compileFilter, type PreparedFilter } from './filter.js'
import { compileMatch, compileRanked } from './match.js'
import { type Condition, joinConditions, type Statements } from './statements.js'

/** Where a filter passes fewer records than this, they are read first: that beats checking every match. */
const NARROW = 2000

/**
 * With a filter a join *from* the full-text side (CROSS fixes the order): beside MATCH, `rowid IN (…)` would probe FTS5
 * once per record.
 */
const SQL = {
  matching: (among: string) => `SELECT rowid FROM records_ft WHERE records_ft MATCH :match${among}`,
  matchingWhere: (condition: string) => `SELECT records_ft.rowid
    FROM records_ft CROSS JOIN records r ON r.row = records_ft.rowid
    WHERE records_ft MATCH :match AND ${condition}`,
  among: (condition: string) => ` AND +rowid IN (SELECT r.row FROM records r WHERE ${condition})`,
  given: ' AND +rowid IN (SELECT value FROM json_each(:rows))',
  holding: `SELECT leaf.key, records_ft.rowid,
      bm25(records_ft, ${Object.values(COLUMN_WEIGHTS).join(', ')})
    FROM json_each(:leaves) leaf CROSS JOIN records_ft
    WHERE records_ft MATCH leaf.value
      AND +records_ft.rowid IN (SELECT value FROM json_each(:rows))`,
  ids: `SELECT r.row, r.id FROM json_each(:rows) wanted CROSS JOIN records r ON r.row = wanted.value`,
  passing: (condition: string) => `SELECT count(*) FROM (
    SELECT 1 FROM records r WHERE ${condition} LIMIT ${NARROW})`,
  newest: (condition: string) => `SELECT r.id, r.created_at AS createdAtMs FROM records r
    WHERE r.present AND ${condition}
    ORDER BY r.created_at DESC, r.id DESC LIMIT :limit OFFSET :offset`,
  countNewest: (condition: string) => `SELECT count(*) FROM records r
    WHERE r.present AND ${condition}`,
  isInBest: (table: 'records_ft' | 'revisions_ft') =>
    `SELECT EXISTS (SELECT 1 FROM ${table} WHERE ${table} MATCH word.value AND rowid = :best)
    FROM json_each(:words) word ORDER BY word.key`,
  countEach: (within: string) => `SELECT (SELECT count(*) FROM records_ft
      WHERE records_ft MATCH word.value${within})
    FROM json_each(:words) word ORDER BY word.key`,
  countAll: 'SELECT count(*) FROM records WHERE present AND namespace = :namespace',
  averages: 'SELECT block FROM records_ft_data WHERE id = 1',
  /** Stops at the first record that matches: the first search of a process need not read a list for it. */
  missing: `SELECT NOT EXISTS (SELECT 1 FROM records_ft WHERE records_ft MATCH word.value
      AND (:namespace IS NULL
        OR EXISTS (SELECT 1 FROM records WHERE row = records_ft.rowid AND namespace = :namespace)))
    FROM json_each(:words) word ORDER BY word.key`,
} as const

const WITHIN = ' AND +rowid IN (SELECT row FROM records WHERE namespace = :namespace)'

export type FullText = ReturnType<typeof createFullText>

export function createFullText(statements: Statements) {
  const listNewest = (filter: PreparedFilter, more: Condition | null, page: Page): DatedPage => {
    const { sql, values } = joinConditions([compileFilter(filter), more])
    const rows = statements.all(SQL.newest(sql), { ...values, ...page })
    const total = Number(statements.value(SQL.countNewest(sql), values))
    return { dated: rows as unknown as DatedPage['dated'], total }
  }
  const compileWords = (words: readonly Node[], fields: readonly Field[] | null): string =>
    JSON.stringify(words.map((word) => compileMatch(word, fields) ?? '""'))
  /** In how many records each expression is found, of how many. */
  const countEach = (words: string, namespace: string | null) => {
    const [within, named] = narrow(namespace)
    const counts = statements.columnInTime(SQL.countEach(within), { ...named, words }).map(Number)
    const records =
      namespace === null
        ? readAverages(statements).records
        : Number(statements.value(SQL.countAll, { namespace }))
    return { words: counts, records }
  }
  /** FTS5 says which rows hold a leaf and, hidden in its bm25(), how often. */
  const scoreLeaves = (
    leaves: readonly string[],
    found: readonly number[],
    namespace: string | null,
  ): ScoredRow[] => {
    if (found.length === 0) return []
    const { records, words } = readAverages(statements)
    const bound = { leaves: JSON.stringify(leaves), rows: JSON.stringify(found) }
    const everywhere = countEach(bound.leaves, null)
    const counted = namespace === null ? everywhere : countEach(bound.leaves, namespace)
    const theirIdf = everywhere.words.map((count) => fts5IdfOf(everywhere.records, count))
    const idf = counted.words.map((count) => idfOf(counted.records, count))
    const columns = readColumnLengths(statements, 'records_ft', found)
    const scored = new Map(
      found.map((row) => [row, { row, words: addUp(columns.get(row) ?? []), bm25: 0 }]),
    )
    for (const [leaf, row, theirs] of statements.listsInTime(SQL.holding, bound) as number[][]) {
      const one = scored.get(row as number)
      const [own, hidden] = [idf[leaf as number], theirIdf[leaf as number]]
      if (one === undefined || own === undefined || hidden === undefined) continue
      const frequency = recoverFrequency(-(theirs as number) / hidden, one.words, words / records)
      one.bm25 -= pointsOf(own, frequency, normOf(one.words))
    }
    return [...scored.values()].sort(compareScored)
  }

  const rankAll = ({ root, fields, filter }: PreparedMatch): ScoredRow[] => {
    const expression = compileRanked(root, fields)
    if (expression === null) return []
    const { match, leaves } = expression
    const form = chooseForm(statements, filter)
    if (form === null) return []
    const rows = statements.columnInTime(form.sql, { ...form.values, match }) as number[]
    return scoreLeaves(leaves, rows, getPinnedNamespace(filter))
  }

  return {
    listNewest,

    rank(match: PreparedMatch, { offset, limit }: Page): ScoredRows<RankedRow> {
      const all = rankAll(match)
      const ranked = addIds(statements, all.slice(offset, offset + limit))
      return { ranked, total: all.length, rankedBy: 'sql' }
    },

    /** The best rows and those of `also` that match, whatever their rank. */
    rankRows(match: PreparedMatch, limit: number, also: readonly number[]): ScoredPassages {
      const all = rankAll(match)
      const known = new Set(also)
      const ranked = all.filter(({ row }, i) => i < limit || known.has(row))
      return { ranked, passages: [], total: all.length, rankedBy: 'sql' }
    },

    /** Whatever the filter lets pass: it only says whose statistics count. */
    scoreRows({ root, fields, filter }: PreparedMatch, rows: readonly number[]): ScoredRow[] {
      const expression = compileRanked(root, fields)
      if (rows.length === 0 || expression === null) return []
      const bound = { match: expression.match, rows: JSON.stringify(rows) }
      const matching = statements.columnInTime(SQL.matching(SQL.given), bound)
      return scoreLeaves(expression.leaves, matching as number[], getPinnedNamespace(filter))
    },

    countWords(rows: readonly number[]): number[] {
      const counts = readWordCounts(statements, 'records_ft', rows)
      return rows.map((row) => counts.get(row) ?? 0)
    },

    weighAll: (words: readonly Node[], { fields, namespace }: WordScope) =>
      countEach(compileWords(words, fields), namespace),

    weigh(words: readonly Node[], { fields, namespace }: WordScope, best: BestMatch): WeighedWords {
      const expressions = compileWords(words, fields)
      const { records, ...counted } = countEach(expressions, namespace)
      const sql = SQL.isInBest(best.isPast ? 'revisions_ft' : 'records_ft')
      const isInBest = statements.column(sql, { words: expressions, best: best.key })
      return {
        words: counted.words.map((count, i) => ({ records: count, isInBest: isInBest[i] === 1 })),
        records,
      }
    },

    missing(words: readonly Node[], { fields, namespace }: WordScope): boolean[] {
      const bound = { namespace, words: compileWords(words, fields) }
      return statements.column(SQL.missing, bound).map(Boolean)
    },
  }
}

export type PreparedMatch = Omit<WordMatch, 'filter'> & { readonly filter: PreparedFilter }
export type DatedPage = {
  readonly dated: readonly { readonly id: RecordId; readonly createdAtMs: number }[]
  readonly total: number
}
export type ScoredRow = { readonly row: number; readonly bm25: number }
export type RankedRow = ScoredRow & { readonly id: RecordId }
export type ScoredRows<T = ScoredRow> = {
  readonly ranked: readonly T[]
  readonly total: number
  readonly rankedBy: RankedBy
}
/** `passages`: long texts by their best passage. SQL has none, as it cannot say where a word stands. */
export type ScoredPassages = ScoredRows & { readonly passages: readonly ScoredRow[] }

/** Best first; rows with equal scores in the order they were added. */
export function compareScored(a: ScoredRow, b: ScoredRow): number {
  return a.bm25 - b.bm25 || a.row - b.row
}

export function addIds(statements: Statements, scored: readonly ScoredRow[]): RankedRow[] {
  const rows = JSON.stringify(scored.map(({ row }) => row))
  const ids = new Map(statements.lists(SQL.ids, { rows }) as [number, RecordId][])
  return scored.flatMap(({ row, bm25 }) => {
    const id = ids.get(row)
    return id === undefined ? [] : [{ row, id, bm25 }]
  })
}

/** The condition that leaves one namespace, with its value; null leaves all. */
function narrow(namespace: string | null): [within: string, named: { namespace?: string }] {
  return namespace === null ? ['', {}] : [WITHIN, { namespace }]
}

/** FTS5's own averages: the number of rows, then the number of words of each column. */
function readAverages(statements: Statements) {
  const [records = 0, ...columns] = readVarints(statements.value(SQL.averages) as Uint8Array)
  return { records, words: addUp(columns) }
}

/** No join without a filter; a look-up per match for a wide filter; the few passing rows for a narrow one. Null: none passes. */
function chooseForm(statements: Statements, filter: PreparedFilter) {
  const condition = compileFilter(filter)
  if (condition === null) return { sql: SQL.matching(''), values: {} }
  const { sql, values } = condition
  // Counting what passes is quick where an index leads there.
  const isIndexed = filter.namespaces ?? filter.tagsAny ?? filter.tagsAll ?? filter.idsIn
  const passing = isIndexed && Number(statements.value(SQL.passing(sql), values))
  if (passing === 0) return null
  const isNarrow = passing !== undefined && passing < NARROW
  return { sql: isNarrow ? SQL.matching(SQL.among(sql)) : SQL.matchingWhere(sql), values }
}
