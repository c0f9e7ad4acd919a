/** Implements full-text search on the posting lists, and falls back to SQL, which gives the same results, where it must. */

import { getPinnedNamespace } from '../../../core/filter.js'
import type { Node } from '../../../query/tree.js'
import { COLUMN_WEIGHTS, TEXT_COLUMNS } from '../../bm25.js'
import type { WordScope } from '../../storage.js'
import { compileFilter, type PreparedFilter } from '../filter.js'
import { addIds, compareScored, type FullText, type PreparedMatch } from '../full-text.js'
import type { Snapshots } from '../runner.js'
import type { Condition, Statements } from '../statements.js'
import { type Bits, BitsCache, parseRows } from './bits.js'
import { type Leaf, type Plan, planPostings } from './plan.js'
import { openPostings, type PostingsReader } from './postings.js'
import { seek } from './term-lists.js'

const SQL = {
  passing: (condition: string) => `SELECT group_concat(r.row) FROM records r
    WHERE r.present AND ${condition}`,
  fewPassing: (condition: string) => `SELECT count(*) AS n, group_concat(row) AS rows FROM (
    SELECT r.row FROM records r WHERE r.present AND ${condition} LIMIT :most)`,
  passingAmong: (
    condition: string,
  ) => `SELECT group_concat(r.row) FROM json_each(:candidates) wanted
    CROSS JOIN records r ON r.row = wanted.value WHERE ${condition}`,
} as const

/** An index look-up of at most this many rows, plus this share of all rows, is cheaper than a scan. */
const FEW = 2000
const FEW_SHARE = 1 / 50
/** Looking up one row costs about as much as scanning this many. */
const STEPS_PER_LOOKUP = 4

export function createPostingsText(
  snapshots: Snapshots,
  statements: Statements,
  sql: FullText,
): FullText {
  const weights = Object.values(COLUMN_WEIGHTS)
  const options = { table: 'records_ft', weights, textColumns: TEXT_COLUMNS }
  const postings = openPostings(snapshots, statements, options)
  const filters = new BitsCache()

  /** Returns the rows that pass a condition if they are few, otherwise null. */
  const readFew = ({ sql: where, values }: Condition, records: number): Bits | null => {
    const most = Math.ceil(FEW + records * FEW_SHARE)
    const [found] = statements.all(SQL.fewPassing(where), { ...values, most })
    return found === undefined || Number(found.n) >= most ? null : parseRows(found.rows)
  }

  /**
   * Finds the rows that pass a filter in the cheapest of three ways: by an index if few rows pass, by looking up the
   * candidates of a rare query, or by a scan. Returns null if every row passes.
   */
  const readPassing = (given: PreparedFilter, plan: Plan, reader: PostingsReader): Bits | null => {
    // The collection of a pinned caller is its namespace already, so the filter need not check it.
    const { namespaces: _, ...others } = given
    const filter = given.isPinned ? others : given
    const condition = compileFilter(filter)
    if (condition === null) return null
    const { sql: where, values } = condition
    const key = JSON.stringify(condition)
    const known = filters.get(key, reader.marker)
    if (known !== undefined) return known
    const { namespaces, tagsAny, tagsAll, idsIn }: PreparedFilter = filter
    const indexed = namespaces ?? tagsAny ?? tagsAll ?? idsIn
    const few = indexed === undefined ? null : readFew(condition, reader.records)
    if (few !== null) return filters.set(key, few)
    const lookups = reader.maxMatching(plan) * STEPS_PER_LOOKUP
    if (dependsOnTime(filter) || lookups < reader.records) {
      const candidates = JSON.stringify([...reader.candidates(plan)])
      return parseRows(statements.value(SQL.passingAmong(where), { ...values, candidates }))
    }
    return filters.set(key, parseRows(statements.value(SQL.passing(where), values)))
  }

  /** Reads with the records of the namespace as the whole collection; null: with all records. */
  const readIn = <T>(namespace: string | null, work: (reader: PostingsReader) => T): T | null => {
    if (namespace === null) return postings.read(work)
    const key = `all of ${namespace}`
    const sql = SQL.passing('r.namespace = :namespace')
    return postings.read(work, (marker) => {
      const known = filters.get(key, marker)
      const rows = known ?? filters.set(key, parseRows(statements.value(sql, { namespace })))
      return { name: namespace, rows }
    })
  }

  /** Reads the rows of each word. Returns null if one of them is more than a word or a phrase. */
  const readWords = <T>(
    words: readonly Node[],
    { fields, namespace }: WordScope,
    work: (rows: readonly Uint32Array[], records: number) => T,
  ): T | null => {
    const leaves = words.flatMap((word): Leaf[] => {
      const plan = planPostings(word, fields)
      const [leaf, ...more] = plan?.clauses.flat() ?? []
      return leaf === undefined || more.length > 0 || plan?.refused.length !== 0 ? [] : [leaf]
    })
    if (leaves.length < words.length) return null
    return readIn(namespace, (reader) => work(leaves.map(reader.rowsWith), reader.records))
  }

  const readRanked = <T>(
    { root, fields, filter }: PreparedMatch,
    work: (reader: PostingsReader, plan: Plan, allowed: Bits | null) => T,
  ): T | null => {
    const plan = planPostings(root, fields)
    if (plan === null) return null
    return readIn(getPinnedNamespace(filter), (reader) =>
      work(reader, plan, readPassing(filter, plan, reader)),
    )
  }

  return {
    ...sql,
    rank(match, page) {
      const { offset, limit } = page
      const found = readRanked(match, (reader, plan, allowed) => {
        const { best, total } = reader.rank(plan, allowed, offset + limit)
        const ranked = addIds(statements, best.slice(offset))
        return { ranked, total, rankedBy: 'postings' as const }
      })
      return found ?? sql.rank(match, page)
    },

    rankRows(match, limit, also) {
      const found = readRanked(match, (reader, plan, allowed) => {
        const { best, total } = reader.rank(plan, allowed, limit)
        const known = new Set(best.map(({ row }) => row))
        const unscored = also.filter((row) => !known.has(row))
        const others = reader.score(plan, allowed, unscored)
        const ranked = [...best, ...others].sort(compareScored)
        const passages = reader.scorePassages(plan, ranked)
        return { ranked, passages, total, rankedBy: 'postings' as const }
      })
      return found ?? sql.rankRows(match, limit, also)
    },

    scoreRows(match, rows) {
      const plan = rows.length === 0 ? null : planPostings(match.root, match.fields)
      const namespace = getPinnedNamespace(match.filter)
      const found = plan && readIn(namespace, (reader) => reader.score(plan, null, rows))
      return found ?? sql.scoreRows(match, rows)
    },

    countWords: (rows) =>
      postings.read((reader) => rows.map(reader.textWordsOf)) ?? sql.countWords(rows),

    weighAll(words, scope) {
      const found = readWords(words, scope, (lists, records) => ({
        words: lists.map(({ length }) => length),
        records,
      }))
      return found ?? sql.weighAll(words, scope)
    },

    weigh(words, scope, best) {
      const holdsBest = (rows: Uint32Array) => rows[seek(rows, best.key)] === best.key
      const found = best.isPast
        ? null
        : readWords(words, scope, (lists, records) => ({
            words: lists.map((rows) => ({ records: rows.length, isInBest: holdsBest(rows) })),
            records,
          }))
      return found ?? sql.weigh(words, scope, best)
    },
  }
}

/** Whether the result of a filter depends on the time of the search. Caching it would be useless. */
function dependsOnTime({ asOfMs, dates, minSalience }: PreparedFilter): boolean {
  return asOfMs !== undefined || dates !== undefined || minSalience !== undefined
}
