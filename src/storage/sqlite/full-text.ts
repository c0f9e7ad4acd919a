/** Ranks records by words with FTS5; every filter applies before the limit. */

import type { RankedBy } from '../../core/answer.js'
import type { RecordId } from '../../core/ids.js'
import type { Field, Node } from '../../query/tree.js'
import type { BestMatch, WeighedWords } from '../search.js'
import type { Page, WordMatch } from '../storage.js'
import { COLUMN_WEIGHTS, readVarints, readWordCounts } from './bm25.js'
import { type Condition, compileFilter, type PreparedFilter } from './filter.js'
import { compileMatch } from './match.js'
import type { Statements } from './statements.js'

export const BM25 = `bm25(records_ft, ${Object.values(COLUMN_WEIGHTS).join(', ')})`

/** Where a filter passes fewer records than this, they are read first: that beats checking every match. */
const NARROW = 2000

/**
 * `ORDER BY bm25()` instead of `ORDER BY rank`, which keeps a sorter of its own inside FTS5, and a join *from* the
 * full-text side (CROSS fixes the order): beside MATCH, `rowid IN (…)` would probe FTS5 once per record.
 */
const SQL = {
  rank: (first: string) => `SELECT r.id, r.row, best.bm25 FROM (
      SELECT rowid AS row, ${BM25} AS bm25 FROM records_ft
      WHERE records_ft MATCH :match ORDER BY ${first}bm25, rowid LIMIT :limit OFFSET :offset
    ) best JOIN records r ON r.row = best.row ORDER BY best.bm25, best.row`,
  rankWhere: (condition: string) => (first: string) =>
    `SELECT r.id, r.row, ${BM25} AS bm25
    FROM records_ft CROSS JOIN records r ON r.row = records_ft.rowid
    WHERE records_ft MATCH :match AND ${condition}
    ORDER BY ${first}bm25, r.row LIMIT :limit OFFSET :offset`,
  rankAmong: (condition: string) => (first: string) =>
    `SELECT r.id, r.row, best.bm25 FROM (
      SELECT rowid AS row, ${BM25} AS bm25 FROM records_ft
      WHERE records_ft MATCH :match AND +rowid IN (SELECT r.row FROM records r WHERE ${condition})
      ORDER BY ${first}bm25, rowid LIMIT :limit OFFSET :offset
    ) best JOIN records r ON r.row = best.row ORDER BY best.bm25, best.row`,
  countAmong: (condition: string) => `SELECT count(*) FROM records_ft
    WHERE records_ft MATCH :match AND +rowid IN (SELECT r.row FROM records r WHERE ${condition})`,
  passing: (condition: string) => `SELECT count(*) FROM (
    SELECT 1 FROM records r WHERE ${condition} LIMIT ${NARROW})`,
  count: 'SELECT count(*) FROM records_ft WHERE records_ft MATCH :match',
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
  weigh: `SELECT (SELECT count(*) FROM records_ft WHERE records_ft MATCH word.value) AS records,
      EXISTS (SELECT 1 FROM records_ft WHERE records_ft MATCH word.value
        AND rowid = :best) AS isInBest
    FROM json_each(:words) word ORDER BY word.key`,
  weighPast: `SELECT (SELECT count(*) FROM records_ft WHERE records_ft MATCH word.value) AS records,
      EXISTS (SELECT 1 FROM revisions_ft WHERE revisions_ft MATCH word.value AND rowid = :best) AS isInBest
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

const EVERYTHING: Condition = { sql: 'true', values: {} }
const NO_MATCH = 'r.row NOT IN (SELECT rowid FROM records_ft WHERE records_ft MATCH :match)'
export const CONTAINS = '(instr(r.body, :text) > 0 OR instr(r.title, :text) > 0)'

export type FullText = ReturnType<typeof createFullText>

export function createFullText(statements: Statements) {
  const listNewest = (condition: Condition, page: Page): DatedPage => ({
    dated: statements.all(SQL.newest(condition.sql), {
      ...condition.values,
      ...page,
    }) as unknown as DatedId[],
    total: Number(statements.value(SQL.countNewest(condition.sql), condition.values)),
  })
  const rankPage = (
    { root, fields, filter }: PreparedMatch,
    page: Page,
    also: readonly number[] = [],
  ): RankedRows => {
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
    rank: (match: PreparedMatch, page: Page): RankedRows => rankPage(match, page),
    /** The best rows and those of `also` that match, whatever their rank. */
    rankRows(match: PreparedMatch, limit: number, also: readonly number[]): ScoredRows {
      const page = { limit: limit + also.length, offset: 0 }
      const { ranked, ...rest } = rankPage(match, page, also)
      return { ranked: [...ranked].sort((a, b) => a.bm25 - b.bm25 || a.row - b.row), ...rest }
    },

    /** The scores of those rows that match. */
    scoreRows(
      { root, fields }: Pick<WordMatch, 'root' | 'fields'>,
      rows: readonly number[],
    ): readonly ScoredRow[] {
      const match = rows.length === 0 ? null : compileMatch(root, fields)
      if (match === null) return []
      const found = statements.all(SQL.score, { match, rows: JSON.stringify(rows) })
      return found as unknown as ScoredRow[]
    },

    /** How many words the text of each of these rows has. */
    countWords(rows: readonly number[]): number[] {
      const counts = readWordCounts(statements, 'records_ft', rows)
      return rows.map((row) => counts.get(row) ?? 0)
    },

    /** How many records contain each word, of how many. */
    weighAll(words: readonly Node[], fields: readonly Field[] | null) {
      const matches = JSON.stringify(words.map((word) => compileMatch(word, fields) ?? '""'))
      return {
        words: statements.column(SQL.countEach, { words: matches }).map(Number),
        records: readAverages(statements).records,
      }
    },

    /** Of all columns together, in words. */
    averageLength(): number {
      const { records, words } = readAverages(statements)
      return records === 0 ? 1 : Math.max(1, words / records)
    },

    /** How many records contain each word, and whether the best one does. */
    weigh(words: readonly Node[], fields: readonly Field[] | null, best: BestMatch): WeighedWords {
      const matches = JSON.stringify(words.map((word) => compileMatch(word, fields) ?? '""'))
      const sql = best.isPast ? SQL.weighPast : SQL.weigh
      const rows = statements.all(sql, { words: matches, best: best.key })
      return {
        words: rows.map((row) => ({ records: Number(row.records), isInBest: row.isInBest === 1 })),
        records: readAverages(statements).records,
      }
    },

    newest(filter: PreparedFilter, unwanted: WordMatch | null, page: Page): DatedPage {
      const condition = compileFilter(filter) ?? EVERYTHING
      const match = unwanted === null ? null : compileMatch(unwanted.root, unwanted.fields)
      if (match === null) return listNewest(condition, page)
      return listNewest(
        { sql: `${condition.sql} AND ${NO_MATCH}`, values: { ...condition.values, match } },
        page,
      )
    },

    containing(text: string, filter: PreparedFilter, page: Page): DatedPage {
      const condition = compileFilter(filter) ?? EVERYTHING
      return listNewest(
        { sql: `${condition.sql} AND ${CONTAINS}`, values: { ...condition.values, text } },
        page,
      )
    },

    missing(words: readonly Node[], fields: readonly Field[] | null): boolean[] {
      const matches = words.map((word) => compileMatch(word, fields) ?? '""')
      return statements.column(SQL.missing, { words: JSON.stringify(matches) }).map(Boolean)
    },
  }
}

/** With a prepared filter. */
export type PreparedMatch = Omit<WordMatch, 'filter'> & { readonly filter: PreparedFilter }
export type DatedId = { readonly id: RecordId; readonly createdAtMs: number }
export type DatedPage = { readonly dated: readonly DatedId[]; readonly total: number }
export type ScoredRow = { readonly row: number; readonly bm25: number }
export type RankedRow = ScoredRow & { readonly id: RecordId }
export type RankedRows = RankedList<RankedRow>
export type ScoredRows = RankedList<ScoredRow>
type RankedList<T> = {
  readonly ranked: readonly T[]
  readonly total: number
  readonly rankedBy: RankedBy
}

/** FTS5's own averages: the number of rows, then the number of words of each column. */
function readAverages(statements: Statements): {
  readonly records: number
  readonly words: number
} {
  const [records = 0, ...columns] = readVarints(statements.value(SQL.averages) as Uint8Array)
  return { records, words: columns.reduce((sum, words) => sum + words, 0) }
}

type Form = {
  readonly rank: (first: string) => string
  readonly count: string
  readonly values: Condition['values']
}

/** No join without a filter; a look-up per match for a wide filter; the few passing rows for a narrow one. */
function chooseForm(statements: Statements, filter: PreparedFilter): Form {
  const condition = compileFilter(filter)
  if (condition === null) return { rank: SQL.rank, count: SQL.count, values: {} }
  const { sql, values } = condition
  // Counting what passes is quick where an index leads there.
  const isIndexed = filter.namespaces ?? filter.tagsAny ?? filter.tagsAll ?? filter.idsIn
  const isNarrow =
    isIndexed !== undefined && Number(statements.value(SQL.passing(sql), values)) < NARROW
  return isNarrow
    ? { rank: SQL.rankAmong(sql), count: SQL.countAmong(sql), values }
    : { rank: SQL.rankWhere(sql), count: SQL.countWhere(sql), values }
}
