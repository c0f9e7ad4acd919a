/** Words find what was there as well as what is, scored by the statistics of what is. */

import type { RecordId } from '../../../core/ids.js'
import { listTerms, type Term, termToNode } from '../../../query/terms.js'
import { findMatches, type Pattern } from '../../../text/highlight.js'
import { queryTokens } from '../../../text/segment.js'
import type { WordMatch } from '../../storage.js'
import { COLUMN_WEIGHTS, idfOf, normOf, pointsOf, readVarints } from '../bm25.js'
import type { Condition } from '../filter.js'
import type { FullText, PreparedMatch } from '../full-text.js'
import { compileMatch } from '../match.js'
import type { Row, Statements } from '../statements.js'
import { isSupersededSql } from './past-states.js'

/** The best of these are scored, by the statistics of the past alone. */
export const MOST_PAST = 300

const SQL = {
  matching: (
    condition: string,
    isSuperseded: string,
  ) => `SELECT r.revision, r.row, r.id, r.title, r.body,
      r.tags, r.people, d.sz AS sizes, ${isSuperseded} AS isSuperseded
    FROM revisions_ft CROSS JOIN past r ON r.revision = revisions_ft.rowid
    CROSS JOIN revisions_ft_docsize d ON d.id = r.revision
    WHERE revisions_ft MATCH :match AND ${condition}
    ORDER BY bm25(revisions_ft), r.revision LIMIT ${MOST_PAST}`,
  count: (condition: string, isSuperseded: string) => `SELECT count(*) AS total,
      coalesce(sum(${isSuperseded}), 0) AS superseded
    FROM revisions_ft CROSS JOIN past r ON r.revision = revisions_ft.rowid
    WHERE revisions_ft MATCH :match AND ${condition}`,
} as const

export type PastMatch = {
  readonly id: RecordId
  readonly row: number
  readonly revision: number
  readonly bm25: number
  readonly isSuperseded: boolean
}

export type PastMatches = {
  /** At most MOST_PAST. */
  readonly matches: readonly PastMatch[]
  readonly total: number
  readonly superseded: number
}

export const NO_PAST_MATCHES: PastMatches = { matches: [], total: 0, superseded: 0 }

export type PastWords = ReturnType<typeof createPastWords>

export function createPastWords(statements: Statements, fullText: FullText) {
  return (match: PreparedMatch, past: Condition): PastMatches => {
    const expression = compileMatch(match.root, match.fields)
    if (expression === null) return NO_PAST_MATCHES
    const values = { ...past.values, match: expression }
    const isSuperseded = isSupersededSql(match.filter)
    const rows = statements.all(SQL.matching(past.sql, isSuperseded), values)
    if (rows.length === 0) return NO_PAST_MATCHES
    const score = createScorer(fullText, match)
    const matches = rows.map(
      (row): PastMatch => ({
        id: row.id as RecordId,
        row: Number(row.row),
        revision: Number(row.revision),
        bm25: score(row),
        isSuperseded: row.isSuperseded === 1,
      }),
    )
    if (rows.length < MOST_PAST) {
      const superseded = matches.filter((one) => one.isSuperseded).length
      return { matches, total: rows.length, superseded }
    }
    const [counted] = statements.all(SQL.count(past.sql, isSuperseded), values)
    return {
      matches,
      total: Number(counted?.total),
      superseded: Number(counted?.superseded),
    }
  }
}

/** bm25 below zero, as FTS5 has it; a word in a title counts once and elsewhere by the weight of its column. */
function createScorer(fullText: FullText, { root, fields }: PreparedMatch): (row: Row) => number {
  const sought = listTerms(root)
  const { words, records } = fullText.weighAll(sought.map(termToNode), fields)
  const idf = words.map((matching) => idfOf(records, matching))
  const averageLength = fullText.averageLength()
  const patterns = sought.map(patternOf)
  return (row) => {
    const counts = countBy(row, sought, patterns, fields)
    const length = readVarints(row.sizes as Uint8Array).reduce((sum, words) => sum + words, 0)
    const norm = normOf(length, averageLength)
    return -counts.reduce((sum, count, i) => sum + pointsOf(idf[i] ?? 0, count, norm), 0)
  }
}

function patternOf({ text, isPrefix }: Term): Pattern {
  const { words, lastIsPrefix } = queryTokens(text)
  return { words, lastIsPrefix: isPrefix || lastIsPrefix }
}

const OWN_COLUMNS = ['title', 'body', 'tags', 'people'] as const

/** How often each is found, every place by the weight of its column. */
function countBy(
  row: Row,
  sought: readonly Term[],
  patterns: readonly Pattern[],
  fields: WordMatch['fields'],
): number[] {
  const counts = patterns.map(() => 0)
  for (const column of OWN_COLUMNS) {
    const text = textOf(row, column)
    for (const { pattern } of text === '' ? [] : findMatches(text, patterns)) {
      const own = sought[pattern]?.field ?? null
      const isWanted =
        own === null ? fields === null || fields.some((field) => field === column) : own === column
      if (isWanted) counts[pattern] = (counts[pattern] ?? 0) + COLUMN_WEIGHTS[column]
    }
  }
  return counts
}

function textOf(row: Row, column: (typeof OWN_COLUMNS)[number]): string {
  const text = String(row[column] ?? '')
  return column === 'tags' || column === 'people'
    ? (JSON.parse(text) as string[]).join(' ; ')
    : text
}
