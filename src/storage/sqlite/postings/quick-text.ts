/** What SQL answers about words is answered from the index's own lists where that is possible, and is the same. */

import type { RecordId } from '../../../core/ids.js'
import type { Field, Node } from '../../../query/tree.js'
import { COLUMN_WEIGHTS, TEXT_COLUMNS } from '../bm25.js'
import type {
  FullText,
  PreparedMatch,
  RankedRow,
  RankedRows,
  ScoredRow,
  ScoredRows,
} from '../full-text.js'
import type { Moments } from '../runner.js'
import type { Statements } from '../statements.js'
import { openPostings } from './open-postings.js'
import { createPassingRows } from './passing-rows.js'
import { type Leaf, planOf } from './plan.js'
import { seek } from './posting-list.js'

const SQL = {
  ids: `SELECT r.row, r.id FROM json_each(:rows) wanted CROSS JOIN records r ON r.row = wanted.value`,
} as const

export function createQuickText(moments: Moments, statements: Statements, sql: FullText): FullText {
  const weights = Object.values(COLUMN_WEIGHTS)
  const postings = openPostings(moments, statements, {
    table: 'records_ft',
    weights,
    textColumns: TEXT_COLUMNS,
  })
  const passing = createPassingRows(statements)

  const withIds = (scored: readonly ScoredRow[]): RankedRow[] => {
    const rows = JSON.stringify(scored.map(({ row }) => row))
    const found = statements.all(SQL.ids, { rows })
    const ids = new Map(found.map(({ row, id }) => [Number(row), id as RecordId]))
    return scored.flatMap(({ row, bm25 }) => {
      const id = ids.get(row)
      return id === undefined ? [] : [{ row, id, bm25 }]
    })
  }

  /** SQL's answer, of which is known how much work it was. */
  const bySql = <T extends ScoredRows>(answer: T): T => {
    postings.noteSql(answer.total)
    return answer
  }

  /** Each word as the one thing that is looked for; null where one of them is more than that. */
  const leavesOf = (words: readonly Node[], fields: readonly Field[] | null): Leaf[] | null => {
    const leaves = words.flatMap((word) => {
      const plan = planOf(word, fields)
      const [leaf, ...more] = plan?.clauses.flat() ?? []
      return leaf === undefined || more.length > 0 || plan?.refused.length !== 0 ? [] : [leaf]
    })
    return leaves.length === words.length ? leaves : null
  }

  const readLeaves = <T>(
    words: readonly Node[],
    fields: readonly Field[] | null,
    work: (rows: readonly Uint32Array[], records: number) => T,
  ): T | null => {
    const leaves = leavesOf(words, fields)
    if (leaves === null) return null
    return postings.read((reader) => work(leaves.map(reader.rowsWith), reader.records))
  }

  return {
    ...sql,
    rank(match, page) {
      const plan = planOf(match.root, match.fields)
      const { offset, limit } = page
      const found =
        plan &&
        postings.read((reader): RankedRows => {
          const allowed = passing(match.filter, plan, reader)
          const { best, total } = reader.rank(plan, allowed, offset + limit)
          return { ranked: withIds(best.slice(offset)), total, rankedBy: 'postings' }
        })
      return found ?? bySql(sql.rank(match, page))
    },

    rankRows(match, limit, also) {
      const plan = planOf(match.root, match.fields)
      const found =
        plan &&
        postings.read((reader): ScoredRows => {
          const allowed = passing(match.filter, plan, reader)
          const most = limit + also.length
          const { best, total } = reader.rank(plan, allowed, most)
          const known = new Set(also)
          const wanted = reader.score(plan, allowed, [...known])
          const others = best.filter(({ row }) => !known.has(row)).slice(0, most - wanted.length)
          const ranked = [...wanted, ...others]
          ranked.sort((a, b) => a.bm25 - b.bm25 || a.row - b.row)
          return { ranked, total, rankedBy: 'postings' }
        })
      return found ?? bySql(sql.rankRows(match, limit, also))
    },

    scoreRows(match: Pick<PreparedMatch, 'root' | 'fields'>, rows) {
      const plan = rows.length === 0 ? null : planOf(match.root, match.fields)
      const found = plan && postings.read((reader) => reader.score(plan, null, rows))
      return found ?? sql.scoreRows(match, rows)
    },

    countWords(rows) {
      return postings.read((reader) => rows.map(reader.textWordsOf)) ?? sql.countWords(rows)
    },

    weighAll(words, fields) {
      const found = readLeaves(words, fields, (lists, records) => ({
        words: lists.map(({ length }) => length),
        records,
      }))
      return found ?? sql.weighAll(words, fields)
    },

    weigh(words, fields, best) {
      const holdsBest = (rows: Uint32Array) => rows[seek(rows, best.key)] === best.key
      const found = best.isPast
        ? null
        : readLeaves(words, fields, (lists, records) => ({
            words: lists.map((rows) => ({ records: rows.length, isInBest: holdsBest(rows) })),
            records,
          }))
      return found ?? sql.weigh(words, fields, best)
    },

    missing(words, fields) {
      const found = readLeaves(words, fields, (lists) => lists.map(({ length }) => length === 0))
      return found ?? sql.missing(words, fields)
    },
  }
}
