/** Ranks records by words with FTS5; every filter applies before the limit. */

import type { RankedBy } from '../../core/answer.js'
import type { RecordId } from '../../core/ids.js'
import type { Field, Node } from '../../query/tree.js'
import type { BestMatch, WeighedWords } from '../search.js'
import type { Page, WordMatch } from '../storage.js'
import { COLUMN_WEIGHTS, readVarints, readWordCounts } from './bm25.js'
import { compileFilter, type PreparedFilter } from './filter.js'
import { compileMatch, restrictByWords } from './match.js'
import { type Condition, joinConditions, type Statements } from './statements.js'

export const BM25 = `bm25(records_ft, ${Object.values(COLUMN_WEIGHTS).join(', ')})`

/** Where a filter passes fewer records than this, they are read first: that beats checking every match. */
const NARROW = 2000

/**
 * `ORDER BY bm25()` instead of `ORDER BY rank`, which keeps a sorter of its own inside FTS5, and a join *from* the
 * full-text side (CROSS fixes the order): beside MATCH, `rowid IN (…)` would probe FTS5 once per record.
 */
const SQL = {
  rank: (among: string) => (first: string) =>
    `SELECT r.id, r.row, best.bm25 FROM (
      SELECT rowid AS row, ${BM25} AS bm25 FROM records_ft
      WHERE records_ft MATCH :match${among} ORDER BY ${first}bm25, rowid LIMIT :limit OFFSET :offset
    ) best JOIN records r ON r.row = best.row ORDER BY best.bm25, best.row`,
  rankWhere: (condition: string) => (first: string) =>
    `SELECT r.id, r.row, ${BM25} AS bm25
    FROM records_ft CROSS JOIN records r ON r.row = records_ft.rowid
    WHERE records_ft MATCH :match AND ${condition}
    ORDER BY ${first}bm25, r.row LIMIT :limit OFFSET :offset`,
  among: (condition: string) => ` AND +rowid IN (SELECT r.row FROM records r WHERE ${condition})`,
  passing: (condition: string) => `SELECT count(*) FROM (
    SELECT 1 FROM records r WHERE ${condition} LIMIT ${NARROW})`,
  count: (among: string) => `SELECT count(*) FROM records_ft WHERE records_ft MATCH :match${among}`,
  countWhere: (condition: string) => `SELECT count(*)
    FROM records_ft CROSS JOIN records r ON r.row = records_ft.rowid
    WHERE records_ft MATCH :match AND ${condition}`,
  newest: (condition: string) => `SELECT r.id, r.created_at AS createdAtMs FROM records r
    WHERE r.present AND ${condition}
    ORDER BY r.created_at DESC, r.id DESC LIMIT :limit OFFSET :offset`,
  countNewest: (condition: string) => `SELECT count(*) FROM records r
    WHERE r.present AND ${condition}`,
  score: `SELECT rowid AS row, ${BM25} AS bm25 FROM records_ft
    WHERE records_ft MATCH :match AND +rowid IN (SELECT value FROM json_each(:rows))`,
  weigh: (table: 'records_ft' | 'revisions_ft') =>
    `SELECT (SELECT count(*) FROM records_ft WHERE records_ft MATCH word.value) AS records,
      EXISTS (SELECT 1 FROM ${table} WHERE ${table} MATCH word.value AND rowid = :best) AS isInBest
    FROM json_each(:words) word ORDER BY word.key`,
  countEach: `SELECT (SELECT count(*) FROM records_ft WHERE records_ft MATCH word.value)
    FROM json_each(:words) word ORDER BY word.key`,
  averages: 'SELECT block FROM records_ft_data WHERE id = 1',
  /** FTS5 stops at the first record that matches. */
  missing: `SELECT NOT EXISTS (SELECT 1 FROM records_ft WHERE records_ft MATCH word.value)
    FROM json_each(:words) word ORDER BY word.key`,
} as const

/** FTS5 scores every match anyway: picking some of them costs one look-up each. */
const ALSO_FIRST = '(+records_ft.rowid IN (SELECT value FROM json_each(:also))) DESC, '

export const CONTAINS = '(instr(r.body, :text) > 0 OR instr(r.title, :text) > 0)'

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
  const rankPage = (
    { root, fields, filter }: PreparedMatch,
    page: Page,
    also: readonly number[] = [],
  ): ScoredRows<RankedRow> => {
    const match = compileMatch(root, fields)
    if (match === null) return { ranked: [], total: 0, rankedBy: 'sql' }
    const { rank, count, values } = chooseForm(statements, filter)
    const order = also.length === 0 ? {} : { also: JSON.stringify(also) }
    const sql = rank(also.length === 0 ? '' : ALSO_FIRST)
    const rows = statements.all(sql, { ...values, ...order, match, ...page })
    const ranked = rows as unknown as RankedRow[]
    // A page that is not full ends the list: only a full one needs a count.
    const isLast = ranked.length < page.limit && (ranked.length > 0 || page.offset === 0)
    const total = isLast
      ? page.offset + ranked.length
      : statements.value(count, { ...values, match })
    return { ranked, total: Number(total), rankedBy: 'sql' }
  }
  return {
    rank: (match: PreparedMatch, page: Page) => rankPage(match, page),
    /** The best rows and those of `also` that match, whatever their rank. */
    rankRows(match: PreparedMatch, limit: number, also: readonly number[]): ScoredRows {
      const page = { limit: limit + also.length, offset: 0 }
      const { ranked, ...rest } = rankPage(match, page, also)
      return { ranked: [...ranked].sort((a, b) => a.bm25 - b.bm25 || a.row - b.row), ...rest }
    },

    scoreRows({ root, fields }: Omit<WordMatch, 'filter'>, rows: readonly number[]): ScoredRow[] {
      const match = rows.length === 0 ? null : compileMatch(root, fields)
      if (match === null) return []
      const found = statements.all(SQL.score, { match, rows: JSON.stringify(rows) })
      return found as unknown as ScoredRow[]
    },

    countWords(rows: readonly number[]): number[] {
      const counts = readWordCounts(statements, 'records_ft', rows)
      return rows.map((row) => counts.get(row) ?? 0)
    },

    weighAll(words: readonly Node[], fields: readonly Field[] | null) {
      return {
        words: statements.column(SQL.countEach, { words: compileWords(words, fields) }).map(Number),
        records: readAverages(statements).records,
      }
    },

    /** Of all columns together, in words. */
    averageLength(): number {
      const { records, words } = readAverages(statements)
      return records === 0 ? 1 : Math.max(1, words / records)
    },

    weigh(words: readonly Node[], fields: readonly Field[] | null, best: BestMatch): WeighedWords {
      const sql = SQL.weigh(best.isPast ? 'revisions_ft' : 'records_ft')
      const rows = statements.all(sql, { words: compileWords(words, fields), best: best.key })
      return {
        words: rows.map((row) => ({ records: Number(row.records), isInBest: row.isInBest === 1 })),
        records: readAverages(statements).records,
      }
    },

    newest(filter: PreparedFilter, unwanted: WordMatch | null, page: Page): DatedPage {
      const { root = null, fields = null } = unwanted ?? {}
      const words = { unwanted: root, fields }
      const refused = restrictByWords(null, words, { row: 'r.row', index: 'records_ft' })
      return listNewest(filter, refused, page)
    },

    containing: (text: string, filter: PreparedFilter, page: Page): DatedPage =>
      listNewest(filter, { sql: CONTAINS, values: { text } }, page),

    missing: (words: readonly Node[], fields: readonly Field[] | null): boolean[] =>
      statements.column(SQL.missing, { words: compileWords(words, fields) }).map(Boolean),
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

/** FTS5's own averages: the number of rows, then the number of words of each column. */
function readAverages(statements: Statements) {
  const [records = 0, ...columns] = readVarints(statements.value(SQL.averages) as Uint8Array)
  return { records, words: columns.reduce((sum, words) => sum + words, 0) }
}

/** No join without a filter; a look-up per match for a wide filter; the few passing rows for a narrow one. */
function chooseForm(statements: Statements, filter: PreparedFilter) {
  const condition = compileFilter(filter)
  if (condition === null) return { rank: SQL.rank(''), count: SQL.count(''), values: {} }
  const { sql, values } = condition
  // Counting what passes is quick where an index leads there.
  const isIndexed = filter.namespaces ?? filter.tagsAny ?? filter.tagsAll ?? filter.idsIn
  const isNarrow =
    isIndexed !== undefined && Number(statements.value(SQL.passing(sql), values)) < NARROW
  if (!isNarrow) return { rank: SQL.rankWhere(sql), count: SQL.countWhere(sql), values }
  const among = SQL.among(sql)
  return { rank: SQL.rank(among), count: SQL.count(among), values }
}
