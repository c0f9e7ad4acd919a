/** Adds past states of records to the results of a search, if its filter includes them. */

import { getPinnedNamespace } from '../../../core/filter.js'
import type { RecordId } from '../../../core/ids.js'
import { listTerms, type Term, termToNode } from '../../../query/terms.js'
import { createMatcher, type Matcher } from '../../../text/highlight.js'
import { queryTokens } from '../../../text/segment.js'
import { cosineFine } from '../../../vectors/quantise.js'
import { addUp, COLUMN_WEIGHTS, idfOf, normOf, OWN_COLUMNS, pointsOf } from '../../bm25.js'
import {
  addPast,
  addPastNear,
  choosePast,
  countSuperseded,
  fromStart,
  type GatheredPresent,
  joinNewest,
  joinRanked,
  type NearState,
  NO_MATCHES,
  type PastMatches,
  type PastState,
} from '../../gathered.js'
import type { Gathered } from '../../search.js'
import type { ListedPage, Page, RankedPage, WordMatch } from '../../storage.js'
import type { NearRecord } from '../../vectors.js'
import { readVarints, readWordCounts } from '../bm25.js'
import { compileFilter, type PreparedFilter } from '../filter.js'
import type { FullText, PreparedMatch } from '../full-text.js'
import { CONTAINS, compileMatch, PAST, PRESENT, restrictByWords } from '../match.js'
import { type Condition, joinConditions, type Row, type Statements } from '../statements.js'
import { readTexts } from '../stored-values.js'
import type { PreparedGather } from '../vectors/candidates.js'
import type { ModelRow } from '../vectors/models.js'
import type { PreparedNear } from '../vectors/nearest.js'
import { toFineCodes } from '../vectors/vector-writer.js'
import { compilePast, isSupersededSql } from './past-sql.js'

/** The best states by FTS5's statistics of the past; these are scored by the statistics of the present. */
export const MAX_PAST_MATCHES = 300

const SQL = {
  matching: (
    condition: string,
    isSuperseded: string,
    order: string,
  ) => `SELECT r.revision, r.id, r.title, r.body,
      r.tags, r.people, json_extract(r.citation_ix, '$.venue') AS venue, json_extract(r.citation_ix, '$.key') AS key,
      json_extract(r.citation_ix, '$.doi') AS doi, json_extract(r.citation_ix, '$.year') AS year, d.sz AS sizes, ${isSuperseded} AS isSuperseded
    FROM revisions_ft CROSS JOIN past r ON r.revision = revisions_ft.rowid
    CROSS JOIN revisions_ft_docsize d ON d.id = r.revision
    WHERE revisions_ft MATCH :match AND ${condition}
    ORDER BY ${order} LIMIT ${MAX_PAST_MATCHES}`,
  count: (condition: string, isSuperseded: string) => `SELECT count(*) AS total,
      coalesce(sum(${isSuperseded}), 0) AS superseded
    FROM revisions_ft CROSS JOIN past r ON r.revision = revisions_ft.rowid
    WHERE revisions_ft MATCH :match AND ${condition}`,
  vectors: (condition: string, isSuperseded: string) => `SELECT r.revision, r.id, r.scale, r.codes,
      ${isSuperseded} AS isSuperseded FROM past r
    WHERE r.model = :model AND r.codes IS NOT NULL AND ${condition}`,
  newest: (condition: string) => `SELECT r.id, r.created_at AS createdAtMs FROM records r
    WHERE r.present AND ${condition}
    ORDER BY r.created_at DESC, r.id DESC LIMIT :limit OFFSET :offset`,
  countNewest: (condition: string) => `SELECT count(*) FROM records r
    WHERE r.present AND ${condition}`,
  newestPast: (condition: string, isSuperseded: string) => `SELECT r.revision, r.id,
      r.created_at AS createdAtMs, ${isSuperseded} AS isSuperseded FROM past r WHERE ${condition}`,
} as const

type Dated = { readonly id: RecordId; readonly createdAtMs: number }

function toState(row: Row): PastState {
  const { id, revision, isSuperseded } = row
  return { id: id as RecordId, revision: Number(revision), isSuperseded: isSuperseded === 1 }
}

type PastNearSearch = Pick<
  PreparedNear,
  'vector' | 'filter' | 'required' | 'unwanted' | 'fields'
> & {
  readonly model: number
}

/** All past states with a vector of this model and their cosines, in no particular order. */
export function findPastNear(
  statements: Statements,
  search: PastNearSearch,
  past: Condition,
): NearState[] {
  const condition = restrictByWords(past, search, PAST)
  const rows = statements.all(
    SQL.vectors(condition?.sql ?? past.sql, isSupersededSql(search.filter)),
    { ...condition?.values, model: search.model },
  )
  return rows.map((row) => ({
    ...toState(row),
    similarity: cosineFine(search.vector, toFineCodes(row)),
  }))
}

export function createPastSearch(statements: Statements, fullText: FullText) {
  const findWords = (match: PreparedMatch, past: Condition): PastMatches => {
    const expression = compileMatch(match.root, match.fields)
    if (expression === null) return NO_MATCHES
    const values = { ...past.values, match: expression }
    const isSuperseded = isSupersededSql(match.filter)
    // FTS5's statistics cover all namespaces, which a pinned caller must not learn of.
    const order = match.filter.isPinned ? 'r.revision DESC' : 'bm25(revisions_ft), r.revision'
    const rows = statements.all(SQL.matching(past.sql, isSuperseded, order), values)
    if (rows.length === 0) return NO_MATCHES
    const score = createScorer(fullText, match)
    const matches = rows.map((row) => ({ ...toState(row), bm25: score(row) }))
    if (rows.length < MAX_PAST_MATCHES) {
      return { matches, total: rows.length, superseded: countSuperseded(matches) }
    }
    const [counted] = statements.all(SQL.count(past.sql, isSuperseded), values)
    return { matches, total: Number(counted?.total), superseded: Number(counted?.superseded) }
  }

  /** `restrict` returns a further condition on the rows of one of the two indexes. */
  const listNewest = (
    filter: PreparedFilter,
    page: Page,
    restrict: (to: typeof PRESENT | typeof PAST) => Condition | null,
  ): ListedPage => {
    const past = compilePast(filter)
    const { sql, values } = joinConditions([compileFilter(filter), restrict(PRESENT)])
    const range = past === null ? page : fromStart(page)
    const dated = statements.all<Dated>(SQL.newest(sql), { ...values, ...range })
    const total = Number(statements.value(SQL.countNewest(sql), values))
    const then = past && joinConditions([past, restrict(PAST)])
    const states =
      then &&
      statements
        .all(SQL.newestPast(then.sql, isSupersededSql(filter)), then.values)
        .map((row) => ({ ...toState(row), createdAtMs: Number(row.createdAtMs) }))
    return joinNewest({ dated, total }, states, page)
  }

  return {
    rank(match: PreparedMatch, page: Page): RankedPage {
      const past = compilePast(match.filter)
      const present = fullText.rank(match, past === null ? page : fromStart(page))
      return joinRanked(present, past && findWords(match, past), page)
    },

    newest(filter: PreparedFilter, unwanted: WordMatch | null, page: Page): ListedPage {
      const { root = null, fields = null } = unwanted ?? {}
      return listNewest(filter, page, (to) => restrictByWords(null, { unwanted: root, fields }, to))
    },

    containing: (text: string, filter: PreparedFilter, page: Page): ListedPage =>
      listNewest(filter, page, () => ({ sql: CONTAINS, values: { text } })),

    addNearest(model: ModelRow, search: PreparedNear, present: NearRecord[]): NearRecord[] {
      const past = compilePast(search.filter)
      if (past === null) return present
      const near = findPastNear(statements, { ...search, model: model.row }, past)
      return addPastNear(present, near, search)
    },

    addCandidates(model: ModelRow, request: PreparedGather, present: GatheredPresent): Gathered {
      const past = compilePast(request.near.filter)
      if (past === null) return present
      const { words, pairs, vector } = request
      const byWords = words === null ? NO_MATCHES : findWords(words, past)
      const inPairs =
        words === null || pairs === null ? NO_MATCHES : findWords({ ...words, root: pairs }, past)
      const near = findPastNear(statements, { ...request.near, model: model.row, vector }, past)
      const found = { byWords, inPairs, near, floor: request.floor }
      const revisions = choosePast(found).map(({ revision }) => revision)
      return addPast(present, found, readWordCounts(statements, 'revisions_ft', revisions))
    },
  }
}

/** Computes bm25 with FTS5's sign, below zero, by the statistics of the present; a word counts by the weight of its column. */
function createScorer(fullText: FullText, { root, fields, filter }: PreparedMatch) {
  const sought = listTerms(root)
  const scope = { fields, namespace: getPinnedNamespace(filter) }
  const { words, records } = fullText.weighAll(sought.map(termToNode), scope)
  const idf = words.map((matching) => idfOf(records, matching))
  const patterns = sought.map(({ text, isPrefix }) => {
    const tokens = queryTokens(text)
    return { words: tokens.words, lastIsPrefix: isPrefix || tokens.lastIsPrefix }
  })
  const findMatches = createMatcher(patterns)
  return (row: Row): number => {
    const counts = countMatches(row, sought, findMatches, fields)
    const norm = normOf(addUp(readVarints(row.sizes as Uint8Array)))
    return -counts.reduce((sum, count, i) => sum + pointsOf(idf[i] ?? 0, count, norm), 0)
  }
}

function countMatches(
  row: Row,
  sought: readonly Term[],
  findMatches: Matcher,
  fields: WordMatch['fields'],
): number[] {
  const counts = sought.map(() => 0)
  for (const column of OWN_COLUMNS) {
    const stored = String(row[column] ?? '')
    const isList = column === 'tags' || column === 'people'
    const text = isList ? readTexts(stored).join(' ; ') : stored
    for (const { pattern } of text === '' ? [] : findMatches(text)) {
      const field = sought[pattern]?.field ?? null
      const isWanted =
        field === null ? fields === null || fields.some((one) => one === column) : field === column
      if (isWanted) counts[pattern] = (counts[pattern] ?? 0) + COLUMN_WEIGHTS[column]
    }
  }
  return counts
}
