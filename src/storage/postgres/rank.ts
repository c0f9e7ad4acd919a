/** Finds the best records for an expression: candidates by a bound of their score in SQL, then their exact score. */

import type { RecordId } from '../../core/ids.js'
import {
  ALL_COLUMNS,
  type Expression,
  findLongRows,
  joinQueries,
  OWN_MASK,
  type SoughtLeaf,
} from './match.js'
import { planPruning } from './prune.js'
import { readOnce } from './read-ahead.js'
import { type IndexedText, scoreText, type WeighedLeaf } from './score.js'
import type { Condition, Statements, Values } from './statements.js'
import { MANY_RECORDS, type WordCounts } from './word-counts.js'
import { hashToken, printSparse } from './word-parts.js'

/** Scores are rounded by less than this share. */
const SLACK = 1e-5

const OWN_SCORE = '(w.weights <#> :own::sparsevec)'
const NEARBY_SCORE = '(coalesce(w.nearby_weights, w.weights) <#> :nearby::sparsevec)'

const TEXT = 'w.length, w.text_words AS "textWords", w.positions'

/**
 * The best rows of the last search, in a setting of the transaction: statements that are sent along with the search read them
 * there, so that they need no round trip of their own.
 */
export const FOUND_ROWS = `string_to_array(nullif(current_setting('cairn.found', true), ''), ',')::bigint[]`
const NOTE_FOUND = `length((SELECT set_config('cairn.found', string_agg(row::text, ','), true) FROM best)) AS noted`

type Found = {
  readonly where: string
  readonly having: string
  /** Joins the records and tests the filter. */
  readonly filtered: string
}

/** Every row that matches, with its score; those of texts of several parts are together. */
const scored = ({ where, having, filtered }: Found, score: string, query: string) => `(
    SELECT w.record AS row, ${score} AS bm25 FROM words w${filtered}
    WHERE w.is_whole AND w.lexemes @@ ${query}
    UNION ALL
    SELECT m.record, (SELECT sum(${score}) FROM words w WHERE w.record = m.record AND w.weights IS NOT NULL)
    FROM (SELECT w.record FROM words w${filtered} WHERE ${where} GROUP BY w.record${having}) m)`

const SQL = {
  best: (found: Found, score: string) => `WITH best AS MATERIALIZED (
      SELECT row, bm25 FROM ${scored(found, score, ':query::tsquery')} scored
      ORDER BY bm25, row LIMIT :limit)
    SELECT f.row, r.id, f.bm25, ${NOTE_FOUND} FROM best f
    JOIN records r ON r.row = f.row ORDER BY f.bm25, f.row`,
  /** With what is needed to score them exactly, one row per part. */
  bestTexts: (found: Found, score: string) => `WITH best AS MATERIALIZED (
      SELECT row, bm25 FROM ${scored(found, score, ':query::tsquery')} scored
      ORDER BY bm25, row LIMIT :limit)
    SELECT f.row, r.id, f.bm25, ${TEXT}, ${NOTE_FOUND} FROM best f
    JOIN records r ON r.row = f.row JOIN words w ON w.record = f.row ORDER BY f.bm25, f.row, w.part`,
  /**
   * The rows of the rarest words, and where others may have more points than the last of them, all rows that can: the last of
   * the first ones says by which rule they are found.
   */
  bestByRule: (first: Found, ruled: Found, score: string) => `WITH first AS MATERIALIZED (
      SELECT row, bm25 FROM ${scored(first, score, ':query::tsquery')} scored ORDER BY bm25, row LIMIT :limit),
    least AS MATERIALIZED (SELECT CASE WHEN count(*) < :limit THEN 0 ELSE -max(bm25) END AS points FROM first),
    rule AS MATERIALIZED (SELECT one.query, one.any_word
      FROM unnest(:points::float8[], :queries::text[], :anyWords::text[]) one (points, query, any_word)
      WHERE one.points <= (SELECT points FROM least) * ${1 - SLACK} ORDER BY one.points DESC LIMIT 1),
    best AS MATERIALIZED (SELECT row, bm25 FROM (
        SELECT row, bm25 FROM first WHERE (SELECT points FROM least) >= :outside::float8
        UNION ALL SELECT row, bm25 FROM ${scored(ruled, score, '(SELECT query FROM rule)::tsquery')} more
        WHERE (SELECT points FROM least) < :outside::float8) either
      ORDER BY bm25, row LIMIT :limit)
    SELECT f.row, r.id, f.bm25, ${NOTE_FOUND} FROM best f
    JOIN records r ON r.row = f.row ORDER BY f.bm25, f.row`,
  count: ({ where, having, filtered }: Found) => `SELECT
      (SELECT count(*) FROM words w${filtered} WHERE w.is_whole AND w.lexemes @@ :query::tsquery)
      + (SELECT count(*) FROM (SELECT 1 FROM words w${filtered} WHERE ${where} GROUP BY w.record${having}) m)`,
  matching: ({ where, having, filtered }: Found) => `SELECT w.record FROM words w${filtered}
      WHERE w.is_whole AND w.lexemes @@ :query::tsquery AND w.record = ANY (:rows::bigint[])
    UNION ALL SELECT w.record FROM words w${filtered} WHERE ${where} AND w.record = ANY (:rows::bigint[])
      GROUP BY w.record${having}`,
  texts: `SELECT w.record AS row, ${TEXT} FROM words w
    WHERE w.record = ANY (:rows::bigint[]) ORDER BY w.record, w.part`,
  foundTexts: `SELECT w.record AS row, ${TEXT} FROM words w
    WHERE w.record = ANY (:rows::bigint[] || ${FOUND_ROWS}) ORDER BY w.record, w.part`,
  expand: (within: string) => `SELECT DISTINCT p.i, t.term
    FROM unnest(:prefixes::text[], :ends::text[]) WITH ORDINALITY p (prefix, after, i)
    JOIN terms t ON t.term >= p.prefix AND t.term < p.after${within}`,
} as const

/** A sparsevec holds 16,000 numbers. */
const MAX_SPARSE = 15_000
/** Rows that are scored by positions beyond those that are wanted: those that can have the most points. */
const FIRST_SPARE_ROWS = 50
const SPARE_ROWS = 1000

export type ScoredRow = { readonly row: number; readonly bm25: number }
export type RankedRow = ScoredRow & { readonly id: RecordId }
/** Best first; rows with equal scores in the order they were added. */
export function compareScored(a: ScoredRow, b: ScoredRow): number {
  return a.bm25 - b.bm25 || a.row - b.row
}

type CountedLeaf = WeighedLeaf & { readonly count: number }

/** What is sought, and what the records have to fulfil besides. */
export type Sought = {
  readonly expression: Expression
  readonly filter: Condition | null
  readonly leaves: readonly CountedLeaf[]
  /** How many records there are. */
  readonly records: number
}

/** The leaves with their idf, and the terms that prefixes stand for. */
export async function weighLeaves(
  statements: Statements,
  counts: WordCounts,
  { leaves, namespace }: { leaves: readonly SoughtLeaf[]; namespace: string | null },
): Promise<{ readonly leaves: CountedLeaf[]; readonly records: number }> {
  if (leaves.length === 0) return { leaves: [], records: 0 }
  const [weighed, expanded] = await Promise.all([
    counts.weigh(statements, namespace, leaves),
    expandPrefixes(statements, leaves, namespace),
  ])
  const counted = leaves.map((leaf, i) => ({
    ...leaf,
    idf: weighed.idf[i] ?? 0,
    count: weighed.counts[i] ?? 0,
    expanded: expanded.get(leaf) ?? null,
  }))
  return { leaves: counted, records: weighed.records }
}

/** The best rows, best first. */
export async function findBest(
  statements: Statements,
  sought: Sought,
  limit: number,
): Promise<RankedRow[]> {
  const { expression, filter, leaves } = sought
  if (isNowhere(sought)) return []
  const bound = boundScore(leaves)
  const canPrune = expression.rule === null && !expression.hasNear
  const pruning = canPrune ? planPruning(leaves, limit) : null
  if (!bound.isExact) return findBestByTexts(statements, sought, { limit, bound, pruning })
  const { found, values } = describe(pruning?.first.narrowed ?? expression, filter)
  const bounds = { ...values, ...bound.values, limit }
  if (pruning === null) return readRanked(statements, SQL.best(found, bound.sql), bounds)
  const rules = pruning.listRules(expression)
  const ruled = { ...found, where: found.where.replace(':longAny', '(SELECT any_word FROM rule)') }
  return readRanked(statements, SQL.bestByRule(found, ruled, bound.sql), {
    ...bounds,
    outside: pruning.first.outside,
    points: rules.map(({ points }) => points),
    queries: rules.map(({ rule }) => rule.query),
    anyWords: rules.map(({ rule }) => joinQueries(rule.tests, '|')),
  })
}

async function readRanked(
  statements: Statements,
  sql: string,
  values: Values,
): Promise<RankedRow[]> {
  return (await statements.all(sql, values)) as unknown as RankedRow[]
}

type TextSearch = {
  readonly limit: number
  readonly bound: ReturnType<typeof boundScore>
  readonly pruning: ReturnType<typeof planPruning>
}

/**
 * Where SQL can only bound a score, as of a phrase: rows are read until none of the others can be better. The second statement
 * is the last one: of long questions it takes seconds, however few rows it returns.
 */
async function findBestByTexts(
  statements: Statements,
  { expression, filter, leaves }: Sought,
  { limit, bound, pruning }: TextSearch,
): Promise<RankedRow[]> {
  const read = async (narrowed: Expression, wanted: number) => {
    const { found, values } = describe(narrowed, filter)
    const parts = await statements.all(SQL.bestTexts(found, bound.sql), {
      ...values,
      ...bound.values,
      limit: wanted,
    })
    const rows = [
      ...new Map(parts.map((part) => [part.row, part as unknown as RankedRow])).values(),
    ]
    return { rows, scored: rescore(rows, groupParts(parts), leaves) }
  }
  const { narrowed, outside } = pruning?.first ?? { narrowed: expression, outside: 0 }
  const first = await read(narrowed, limit + FIRST_SPARE_ROWS)
  const points = -(first.scored[limit - 1]?.bm25 ?? 0)
  const isAll = first.rows.length < limit + FIRST_SPARE_ROWS
  // No row that was not read has more points than these.
  const unread = isAll ? 0 : -(first.rows.at(-1)?.bm25 ?? 0)
  if ((points > 0 || isAll) && points >= Math.max(unread, outside)) {
    return first.scored.slice(0, limit)
  }
  const wider = points > 0 && pruning ? pruning.atLeast(points * (1 - SLACK)) : expression
  const second = await read(points < outside ? wider : narrowed, limit + SPARE_ROWS)
  return second.scored.slice(0, limit)
}

/** No record holds one of the words. */
export function isNowhere({ expression, leaves }: Sought): boolean {
  return !expression.hasNear && leaves.length > 0 && leaves.every(({ count }) => count === 0)
}

export async function countMatches(statements: Statements, sought: Sought): Promise<number> {
  if (isNowhere(sought)) return 0
  const { expression, filter } = sought
  const { found, values } = describe(expression, filter)
  return Number(await statements.value(SQL.count(found), values))
}

/** Null where it takes as long as the search: many records hold any of some frequent words. */
export async function countIfQuick(statements: Statements, sought: Sought): Promise<number | null> {
  const { expression, filter, records } = sought
  const isAny = expression.rule === null && !expression.hasNear
  return isAny && filter === null && records >= MANY_RECORDS
    ? null
    : countMatches(statements, sought)
}

function describe(expression: Expression, filter: Condition | null) {
  const long = findLongRows(expression, 'long')
  const filtered =
    filter === null
      ? ''
      : ` JOIN records r ON r.namespace = w.namespace AND r.row = w.record AND ${filter.sql}`
  const values: Values = { ...filter?.values, ...long.values, query: expression.query }
  return { found: { ...long.sql, filtered }, values }
}

/** A score that no row exceeds, and whether it is the score itself. */
function boundScore(leaves: readonly WeighedLeaf[]) {
  const own = new Map<number, number>()
  const nearby = new Map<number, number>()
  let isExact = true
  for (const { hashes, terms, columns, idf, expanded } of leaves) {
    const vector = columns === ALL_COLUMNS ? nearby : own
    const isWord = hashes.length === 1 && expanded === null
    isExact &&= isWord && (columns === ALL_COLUMNS || columns === OWN_MASK)
    // A phrase is found as often as its rarest word at most: the longest is rare. A prefix gives at most what all of its
    // terms give together.
    const bounding = chooseBounding(terms, hashes, expanded)
    for (const hash of bounding) vector.set(hash, (vector.get(hash) ?? 0) + idf)
  }
  const parts = [
    ...(own.size > 0 || nearby.size === 0 ? [OWN_SCORE] : []),
    ...(nearby.size > 0 ? [NEARBY_SCORE] : []),
  ]
  return {
    isExact,
    sql: parts.join(' + '),
    values: { own: printVector(own), ...(nearby.size > 0 ? { nearby: printVector(nearby) } : {}) },
  }
}

function chooseBounding(
  terms: readonly string[],
  hashes: readonly number[],
  expanded: ReadonlySet<number> | null,
): Iterable<number> {
  const whole = expanded === null ? terms : terms.slice(0, -1)
  if (whole.length === 0) return expanded ?? []
  const lengths = whole.map(({ length }) => length)
  return hashes.slice(lengths.indexOf(Math.max(...lengths)), whole.length).slice(0, 1)
}

function printVector(vector: ReadonlyMap<number, number>): string {
  const sorted = [...vector].slice(0, MAX_SPARSE).sort(([a], [b]) => a - b)
  return printSparse(sorted.map(([hash, idf]) => `,${hash}:${idf.toPrecision(9)}`).join(''))
}

/** Those of the rows that match. */
export async function findMatching(
  statements: Statements,
  { expression, filter }: Sought,
  rows: readonly number[],
): Promise<number[]> {
  if (rows.length === 0) return []
  const { found, values } = describe(expression, filter)
  return (await statements.column(SQL.matching(found), { ...values, rows })) as number[]
}

function rescore(
  rows: readonly RankedRow[],
  texts: ReadonlyMap<number, IndexedText>,
  leaves: readonly WeighedLeaf[],
): RankedRow[] {
  return rows
    .map(({ row, id }) => {
      const text = texts.get(row)
      return { row, id, bm25: (text && scoreText(text, leaves)) ?? 0 }
    })
    .sort(compareScored)
}

export async function readTexts(
  statements: Statements,
  rows: readonly number[],
): Promise<Map<number, IndexedText>> {
  if (rows.length === 0) return new Map()
  return groupParts(await statements.all(SQL.texts, { rows }))
}

/** The texts of these rows and of those that `findBest` finds: to be sent right after it. */
export async function readFoundTexts(
  statements: Statements,
  rows: readonly number[],
): Promise<Map<number, IndexedText>> {
  return groupParts(await statements.all(SQL.foundTexts, { rows }))
}

/** Rows with `row`, `length`, `textWords` and `positions`, the parts of one text after each other. */
export function groupParts(
  rows: readonly Readonly<Record<string, unknown>>[],
): Map<number, IndexedText> {
  const texts = new Map<number, IndexedText>()
  for (const { row, length, textWords, positions } of rows) {
    const key = Number(row)
    const before = texts.get(key)
    texts.set(key, {
      length: Number(length ?? before?.length ?? 0),
      textWords: Number(textWords ?? before?.textWords ?? 0),
      parts: [...(before?.parts ?? []), positions as Uint8Array],
    })
  }
  return texts
}

/** For each leaf that ends in a prefix the terms that it stands for. */
async function expandPrefixes(
  statements: Statements,
  leaves: readonly SoughtLeaf[],
  namespace: string | null,
): Promise<ReadonlyMap<SoughtLeaf, ReadonlySet<number>>> {
  const open = leaves.filter(({ lastIsPrefix, terms }) => lastIsPrefix && terms.length > 0)
  if (open.length === 0) return new Map()
  const prefixes = open.map(({ terms }) => terms.at(-1) ?? '')
  const found = await readOnce(statements, JSON.stringify(['expand', namespace, prefixes]), () =>
    statements.all(SQL.expand(namespace === null ? '' : ' AND t.namespace = :namespace'), {
      ...(namespace === null ? {} : { namespace }),
      prefixes,
      ends: prefixes.map((prefix) => `${prefix}\u{10ffff}`),
    }),
  )
  const expanded = new Map(open.map((leaf) => [leaf, new Set<number>()]))
  for (const { i, term } of found) {
    const leaf = open[Number(i) - 1]
    if (leaf !== undefined) expanded.get(leaf)?.add(hashToken(String(term)))
  }
  return expanded
}
