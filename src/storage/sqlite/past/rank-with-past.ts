/** A ranked or dated list has the past in its place, where a search asks for it. */

import type { RecordId } from '../../../core/ids.js'
import type { ListedPage, Page, RankedPage, WordMatch } from '../../storage.js'
import type { NearRecord } from '../../vectors.js'
import type { Condition, PreparedFilter } from '../filter.js'
import type { DatedPage, FullText, PreparedMatch, RankedRows } from '../full-text.js'
import { compileMatch } from '../match.js'
import type { Row, Statements } from '../statements.js'
import type { PreparedNear } from '../vectors/allowed.js'
import type { KnownModel } from '../vectors/models.js'
import { findPastNear } from './past-near.js'
import { compilePast, isSupersededSql } from './past-states.js'
import { createPastWords } from './past-words.js'

const SQL = {
  newest: (condition: string, isSuperseded: string) => `SELECT r.id, r.created_at AS createdAtMs,
      ${isSuperseded} AS isSuperseded FROM past r
    WHERE ${condition} ORDER BY r.created_at DESC, r.id DESC`,
  notMatching: 'r.revision NOT IN (SELECT rowid FROM revisions_ft WHERE revisions_ft MATCH :match)',
  containing: '(instr(r.body, :text) > 0 OR instr(r.title, :text) > 0)',
} as const

export function createRankWithPast(statements: Statements, fullText: FullText) {
  const findWords = createPastWords(statements, fullText)

  const datedWith = (
    filter: PreparedFilter,
    extra: Condition | null,
    page: Page,
    present: (page: Page) => DatedPage,
  ): ListedPage => {
    const past = compilePast(filter)
    if (past === null) return toListed(present(page))
    const all = present({ limit: page.offset + page.limit, offset: 0 })
    const sql = extra === null ? past.sql : `${past.sql} AND ${extra.sql}`
    const rows = statements.all(SQL.newest(sql, isSupersededSql(filter)), {
      ...past.values,
      ...extra?.values,
    })
    const dated = [
      ...all.dated.map((one) => ({ ...one, isSuperseded: false })),
      ...rows.map(toDated),
    ]
    dated.sort((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1))
    return {
      listed: dated.slice(page.offset, page.offset + page.limit),
      total: all.total + rows.length,
      superseded: rows.filter((row) => row.isSuperseded === 1).length,
    }
  }

  return {
    rank(match: PreparedMatch, page: Page): RankedPage {
      const past = compilePast(match.filter)
      if (past === null) return toRanked(fullText.rank(match, page))
      const present = fullText.rank(match, { limit: page.offset + page.limit, offset: 0 })
      const { matches, total, superseded } = findWords(match, past)
      const ranked = [...toRanked(present).ranked, ...matches]
      ranked.sort((a, b) => a.bm25 - b.bm25 || (a.id < b.id ? -1 : 1))
      return {
        ranked: ranked.slice(page.offset, page.offset + page.limit),
        total: present.total + total,
        superseded,
        rankedBy: present.rankedBy,
      }
    },

    newest(filter: PreparedFilter, unwanted: WordMatch | null, page: Page): ListedPage {
      const match = unwanted === null ? null : compileMatch(unwanted.root, unwanted.fields)
      const extra = match === null ? null : { sql: SQL.notMatching, values: { match } }
      return datedWith(filter, extra, page, (own) => fullText.newest(filter, unwanted, own))
    },

    containing(text: string, filter: PreparedFilter, page: Page): ListedPage {
      const extra = { sql: SQL.containing, values: { text } }
      return datedWith(filter, extra, page, (own) => fullText.containing(text, filter, own))
    },

    /** Adds what was there to the nearest of what is. */
    nearest(
      model: KnownModel,
      search: PreparedNear,
      present: readonly NearRecord[],
    ): readonly NearRecord[] {
      const past = compilePast(search.filter)
      if (past === null) return present
      const excluded = new Set<RecordId>(search.exclude)
      const near = findPastNear(statements, { ...search, model: model.row }, past)
        .filter(({ id, similarity }) => similarity >= search.minSimilarity && !excluded.has(id))
        .map(({ id, similarity, isSuperseded }) => ({ id, similarity, isSuperseded, chunk: null }))
      return [...present, ...near]
        .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
        .slice(0, search.limit)
    },
  }
}

function toRanked({ ranked, total, rankedBy }: RankedRows): RankedPage {
  return {
    ranked: ranked.map(({ id, bm25 }) => ({ id, bm25, isSuperseded: false })),
    total,
    superseded: 0,
    rankedBy,
  }
}

function toListed({ dated, total }: DatedPage): ListedPage {
  return { listed: dated.map(({ id }) => ({ id, isSuperseded: false })), total, superseded: 0 }
}

function toDated(row: Row) {
  return {
    id: row.id as RecordId,
    createdAtMs: Number(row.createdAtMs),
    isSuperseded: row.isSuperseded === 1,
  }
}
