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
import type { Statements } from './statements.js'

/** If a filter passes fewer records than this, they are read first: that is faster than checking every match. */
const NARROW = 2000

/**
 * A filter is joined *from* the full-text side (CROSS fixes the order): beside MATCH, `rowid IN (…)` would probe FTS5
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
  isInBest: (table: 'records_ft' | 'revisions_ft') =>
    `SELECT EXISTS (SELECT 1 FROM ${table} WHERE ${table} MATCH word.value AND rowid = :best)
    FROM json_each(:words) word ORDER BY word.key`,
  countEach: (within: string) => `SELECT (SELECT count(*) FROM records_ft
      WHERE records_ft MATCH word.value${within})
    FROM json_each(:words) word ORDER BY word.key`,
  countAll: 'SELECT count(*) FROM records WHERE present AND namespace = :namespace',
  averages: 'SELECT block FROM records_ft_data WHERE id = 1',
  /** Stops at the first match: the first search of a process need not read a whole list for it. */
  missing: `SELECT NOT EXISTS (SELECT 1 FROM records_ft WHERE records_ft MATCH word.value
      AND (:namespace IS NULL
        OR EXISTS (SELECT 1 FROM records WHERE row = records_ft.rowid AND namespace = :namespace)))
    FROM json_each(:words) word ORDER BY word.key`,
} as const

const WITHIN = ' AND +rowid IN (SELECT row FROM records WHERE namespace = :namespace)'

export type FullText = ReturnType<typeof createFullText>

export function createFullText(statements: Statements) {
  const compileWords = (words: readonly Node[], fields: readonly Field[] | null): string[] =>
    words.map((word) => compileMatch(word, fields) ?? '""')
  /** How many records match each expression, and how many records there are. */
  const countEach = (words: readonly string[], namespace: string | null) => {
    const count = (within: string, named: { namespace?: string }): number[] =>
      statements.columnInTime(SQL.countEach(within), { ...named, words }).map(Number)
    if (namespace === null) {
      return { words: count('', {}), records: readAverages(statements).records }
    }
    const records = Number(statements.value(SQL.countAll, { namespace }))
    return { words: count(WITHIN, { namespace }), records }
  }
  /** FTS5 tells which rows hold a leaf; the frequency is recovered from its bm25(). */
  const scoreLeaves = (
    leaves: readonly string[],
    found: readonly number[],
    namespace: string | null,
  ): ScoredRow[] => {
    if (found.length === 0) return []
    const { records, words } = readAverages(statements)
    const everywhere = countEach(leaves, null)
    const counted = namespace === null ? everywhere : countEach(leaves, namespace)
    const theirIdf = everywhere.words.map((count) => fts5IdfOf(everywhere.records, count))
    const idf = counted.words.map((count) => idfOf(counted.records, count))
    const columns = readColumnLengths(statements, 'records_ft', found)
    const scored = new Map(
      found.map((row) => [row, { row, words: addUp(columns.get(row) ?? []), bm25: 0 }]),
    )
    const holding = statements.listsInTime(SQL.holding, { leaves, rows: found })
    for (const [leaf, row, theirs] of holding as [number, number, number][]) {
      const one = scored.get(row)
      const [own, hidden] = [idf[leaf], theirIdf[leaf]]
      if (one === undefined || own === undefined || hidden === undefined) continue
      const frequency = recoverFrequency(-theirs / hidden, one.words, words / records)
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
    rank(match: PreparedMatch, { offset, limit }: Page): ScoredRows<RankedRow> {
      const all = rankAll(match)
      const ranked = addIds(statements, all.slice(offset, offset + limit))
      return { ranked, total: all.length, rankedBy: 'sql' }
    },

    /** The best rows, and the rows of `also` that match, whatever their rank. */
    rankRows(match: PreparedMatch, limit: number, also: readonly number[]): ScoredPassages {
      const all = rankAll(match)
      const known = new Set(also)
      const ranked = all.filter(({ row }, i) => i < limit || known.has(row))
      return { ranked, passages: [], total: all.length, rankedBy: 'sql' }
    },

    /** Ignores the filter, except for the namespace whose statistics count. */
    scoreRows({ root, fields, filter }: PreparedMatch, rows: readonly number[]): ScoredRow[] {
      const expression = compileRanked(root, fields)
      if (rows.length === 0 || expression === null) return []
      const { match, leaves } = expression
      const matching = statements.columnInTime(SQL.matching(SQL.given), { match, rows })
      return scoreLeaves(leaves, matching as number[], getPinnedNamespace(filter))
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
export type ScoredRow = { readonly row: number; readonly bm25: number }
export type RankedRow = ScoredRow & { readonly id: RecordId }
export type ScoredRows<T = ScoredRow> = {
  readonly ranked: readonly T[]
  readonly total: number
  readonly rankedBy: RankedBy
}
/** `passages` scores long texts by their best passage. Empty from SQL, which does not know the positions of words. */
export type ScoredPassages = ScoredRows & { readonly passages: readonly ScoredRow[] }

/** Best first; rows with equal scores in the order in which they were added. */
export function compareScored(a: ScoredRow, b: ScoredRow): number {
  return a.bm25 - b.bm25 || a.row - b.row
}

export function addIds(statements: Statements, scored: readonly ScoredRow[]): RankedRow[] {
  const rows = scored.map(({ row }) => row)
  const ids = new Map(statements.lists(SQL.ids, { rows }) as [number, RecordId][])
  return scored.flatMap(({ row, bm25 }) => {
    const id = ids.get(row)
    return id === undefined ? [] : [{ row, id, bm25 }]
  })
}

/** FTS5's own totals: the number of rows, then the number of words of each column. */
function readAverages(statements: Statements) {
  const [records = 0, ...columns] = readVarints(statements.value(SQL.averages) as Uint8Array)
  return { records, words: addUp(columns) }
}

/** Without a filter no join; for a wide filter a look-up per match; for a narrow one the few passing rows. Null if none passes. */
function chooseForm(statements: Statements, filter: PreparedFilter) {
  const condition = compileFilter(filter)
  if (condition === null) return { sql: SQL.matching(''), values: {} }
  const { sql, values } = condition
  // Counting the passing rows is quick if an index finds them.
  const isIndexed = filter.namespaces ?? filter.tagsAny ?? filter.tagsAll ?? filter.idsIn
  const passing = isIndexed && Number(statements.value(SQL.passing(sql), values))
  if (passing === 0) return null
  const isNarrow = passing !== undefined && passing < NARROW
  return { sql: isNarrow ? SQL.matching(SQL.among(sql)) : SQL.matchingWhere(sql), values }
}
