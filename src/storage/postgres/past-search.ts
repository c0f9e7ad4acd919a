/** Searches by words and by time, with past states of records where the filter asks for them. */

import type { Filter } from '../../core/filter.js'
import type { RecordId } from '../../core/ids.js'
import {
  type PastMatches as AnyMatches,
  countSuperseded,
  fromStart,
  joinNewest,
  joinRanked,
  type PastState as PastRevision,
} from '../gathered.js'
import type { ListedPage, Page, RankedPage, WordMatch } from '../storage.js'
import { compileFilter } from './filter.js'
import {
  CONTAINS,
  compileMatch,
  findRows,
  PAST,
  PRESENT,
  restrictByWords,
  type WordsTable,
} from './match.js'
import { compilePast, isSupersededSql } from './past-sql.js'
import { groupParts } from './rank.js'
import { type Condition, joinConditions, type Row, type Statements } from './statements.js'
import type { WordSearch } from './word-search.js'

/** So many of the latest past states are scored. */
const MAX_PAST_MATCHES = 300

const SQL = {
  matching: (
    condition: string,
    isSuperseded: string,
  ) => `SELECT one.*, one.revision AS row, w.length, w.text_words AS "textWords", w.positions
    FROM (SELECT r.revision, r.row AS record, r.id, ${isSuperseded} AS "isSuperseded"
      FROM past r WHERE ${condition} ORDER BY r.revision DESC LIMIT ${MAX_PAST_MATCHES}) one
    JOIN past_words w ON w.revision = one.revision ORDER BY one.revision DESC, w.part`,
  count: (condition: string, isSuperseded: string) => `SELECT count(*) AS total,
      count(*) FILTER (WHERE ${isSuperseded}) AS superseded
    FROM past r WHERE ${condition}`,
  newest: (condition: string) => `SELECT r.id, r.created_at AS "createdAtMs" FROM records r
    WHERE r.present AND ${condition}
    ORDER BY r.created_at DESC, r.id COLLATE "C" DESC LIMIT :limit OFFSET :offset`,
  countNewest: (condition: string) =>
    `SELECT count(*) FROM records r WHERE r.present AND ${condition}`,
  pastNewest: (condition: string, isSuperseded: string) => `SELECT r.revision, r.id,
      r.created_at AS "createdAtMs", ${isSuperseded} AS "isSuperseded"
    FROM past r WHERE ${condition} ORDER BY r.created_at DESC, r.id COLLATE "C" DESC`,
} as const

type PastState = PastRevision & {
  /** The row of the record; absent where nobody asks for it. */
  readonly record?: number
}

/** `words` are those of its text. */
type PastMatch = PastState & { readonly bm25: number; readonly words: number }
export type PastMatches = Omit<AnyMatches, 'matches'> & { readonly matches: readonly PastMatch[] }

export const NO_MATCHES: PastMatches = { matches: [], total: 0, superseded: 0 }

function toState(row: Row): PastState {
  const { id, revision, record, isSuperseded } = row
  return {
    id: id as RecordId,
    record: Number(record),
    revision: Number(revision),
    isSuperseded: isSuperseded === true,
  }
}

/** Past states that match, by the statistics of the present; none where the filter includes none. */
export async function findPastWords(
  statements: Statements,
  search: WordSearch,
  match: WordMatch,
): Promise<PastMatches> {
  const past = compilePast(match.filter)
  const expression = past && compileMatch(match.root, match.fields)
  if (expression === null) return NO_MATCHES
  const rows = findRows(expression, PAST, 'past')
  const holds = { sql: `r.revision IN (${rows.sql})`, values: rows.values }
  const { sql, values } = joinConditions([past, holds])
  const isSuperseded = isSupersededSql(match.filter)
  const parts = await statements.all(SQL.matching(sql, isSuperseded), values)
  if (parts.length === 0) return NO_MATCHES
  const texts = groupParts(parts)
  const states = [...new Map(parts.map((part) => [part.revision, toState(part)])).values()]
  const bm25 = await search.scorePast(statements, match, texts)
  const matches = states.map((state) => ({
    ...state,
    bm25: bm25.get(state.revision) ?? 0,
    words: texts.get(state.revision)?.textWords ?? 0,
  }))
  if (states.length < MAX_PAST_MATCHES) {
    return { matches, total: states.length, superseded: countSuperseded(states) }
  }
  const [counted] = await statements.all(SQL.count(sql, isSuperseded), values)
  return { matches, total: Number(counted?.total), superseded: Number(counted?.superseded) }
}

export async function rank(
  statements: Statements,
  search: WordSearch,
  { match, page }: { readonly match: WordMatch; readonly page: Page },
): Promise<RankedPage> {
  const rankedBy = 'sql'
  if (compilePast(match.filter) === null) {
    return joinRanked({ ...(await search.rank(statements, match, page)), rankedBy }, null, page)
  }
  const [present, past] = await Promise.all([
    search.rank(statements, match, fromStart(page)),
    findPastWords(statements, search, match),
  ])
  return joinRanked({ ...present, rankedBy }, past, page)
}

/** Newest first: what passes the filter and does not match `unwanted`. */
export function listNewest(
  statements: Statements,
  { filter, unwanted, page }: { filter: Filter; unwanted: WordMatch | null; page: Page },
): Promise<ListedPage> {
  const { root = null, fields = null } = unwanted ?? {}
  return list(statements, { filter, page }, (table) =>
    restrictByWords(null, { unwanted: root, fields }, table),
  )
}

/** Newest first: records that contain this text, for text that the index has no words for. */
export function listContaining(
  statements: Statements,
  { text, filter, page }: { text: string; filter: Filter; page: Page },
): Promise<ListedPage> {
  return list(statements, { filter, page }, () => ({ sql: CONTAINS, values: { text } }))
}

/** `restrict` gives what else a row of one of the two indexes has to fulfil. */
async function list(
  statements: Statements,
  { filter, page }: { readonly filter: Filter; readonly page: Page },
  restrict: (table: WordsTable) => Condition | null,
): Promise<ListedPage> {
  const past = compilePast(filter)
  const { sql, values } = joinConditions([compileFilter(filter), restrict(PRESENT)])
  const range = past === null ? page : fromStart(page)
  const then = past && joinConditions([past, restrict(PAST)])
  const [present, total, found] = await Promise.all([
    statements.all(SQL.newest(sql), { ...values, ...range }),
    statements.value(SQL.countNewest(sql), values),
    then && statements.all(SQL.pastNewest(then.sql, isSupersededSql(filter)), then.values),
  ])
  const dated = present.map(({ id, createdAtMs }) => {
    return { id: id as RecordId, createdAtMs: Number(createdAtMs) }
  })
  const states = found?.map((row) => ({ ...toState(row), createdAtMs: Number(row.createdAtMs) }))
  return joinNewest({ dated, total: Number(total) }, states ?? null, page)
}
