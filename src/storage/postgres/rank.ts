/** Finds the best records for an expression: candidates by a bound of their score in SQL, then their exact score. */

import type { RecordId } from '../../core/ids.js'
import { BM25_K1 } from '../bm25.js'
import {
  ALL_COLUMNS,
  anyOf,
  type Expression,
  findLongRows,
  OWN_MASK,
  type SoughtLeaf,
} from './match.js'
import { type IndexedText, scoreText, type WeighedLeaf } from './score.js'
import type { Condition, Statements, Values } from './statements.js'
import type { WordCounts } from './word-counts.js'
import { hashToken, printSparse } from './word-parts.js'

const OWN_SCORE = '(w.weights <#> :own::sparsevec)'
const NEARBY_SCORE = '(coalesce(w.nearby_weights, w.weights) <#> :nearby::sparsevec)'

type Found = {
  readonly where: string
  readonly having: string
  /** Joins the records and tests the filter. */
  readonly filtered: string
}

const SQL = {
  best: ({ where, having, filtered }: Found, score: string) => `SELECT f.row, r.id, f.bm25 FROM (
      SELECT row, bm25 FROM (
        SELECT w.record AS row, ${score} AS bm25 FROM words w${filtered}
        WHERE w.is_whole AND w.lexemes @@ :query::tsquery
        UNION ALL
        SELECT m.record, (SELECT sum(${score}) FROM words w WHERE w.record = m.record AND w.weights IS NOT NULL)
        FROM (SELECT w.record FROM words w${filtered} WHERE ${where} GROUP BY w.record${having}) m) scored
      ORDER BY bm25, row LIMIT :limit) f
    JOIN records r ON r.row = f.row ORDER BY f.bm25, f.row`,
  count: ({ where, having, filtered }: Found) => `SELECT
      (SELECT count(*) FROM words w${filtered} WHERE w.is_whole AND w.lexemes @@ :query::tsquery)
      + (SELECT count(*) FROM (SELECT 1 FROM words w${filtered} WHERE ${where} GROUP BY w.record${having}) m)`,
  matching: ({ where, having, filtered }: Found) => `SELECT w.record FROM words w${filtered}
      WHERE w.is_whole AND w.lexemes @@ :query::tsquery AND w.record = ANY (:rows::bigint[])
    UNION ALL SELECT w.record FROM words w${filtered} WHERE ${where} AND w.record = ANY (:rows::bigint[])
      GROUP BY w.record${having}`,
  texts: `SELECT w.record AS row, w.length, w.text_words AS "textWords", w.positions FROM words w
    WHERE w.record = ANY (:rows::bigint[]) ORDER BY w.record, w.part`,
  expand: (within: string) => `SELECT DISTINCT p.i, t.term
    FROM unnest(:prefixes::text[], :ends::text[]) WITH ORDINALITY p (prefix, after, i)
    JOIN terms t ON t.term >= p.prefix AND t.term < p.after${within}`,
} as const

/** What any word can give at most, before it is multiplied by its idf. */
const MOST_WEIGHT = BM25_K1 + 1
/** Rows that the rarest words should lead to at first: in all, and for each that is wanted. */
const LEAST_ROWS = 500
const ROWS_PER_WANTED = 5
/** A sparsevec holds 16,000 numbers. */
const MAX_SPARSE = 15_000
/** Rows that are scored by positions beyond those that are wanted. */
const SPARE_ROWS = 50

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
}

/** The leaves with their idf, and the terms that prefixes stand for. */
export async function weighLeaves(
  statements: Statements,
  counts: WordCounts,
  { leaves, namespace }: { leaves: readonly SoughtLeaf[]; namespace: string | null },
): Promise<CountedLeaf[]> {
  if (leaves.length === 0) return []
  const [weighed, expanded] = await Promise.all([
    counts.weigh(statements, namespace, leaves),
    expandPrefixes(statements, leaves, namespace),
  ])
  return leaves.map((leaf, i) => ({
    ...leaf,
    idf: weighed.idf[i] ?? 0,
    count: weighed.counts[i] ?? 0,
    expanded: expanded.get(leaf) ?? null,
  }))
}

/** The best rows, best first. */
export async function findBest(
  statements: Statements,
  { expression, filter, leaves }: Sought,
  limit: number,
): Promise<RankedRow[]> {
  const bound = boundScore(leaves)
  const read = async (narrowed: Expression, most: number) => {
    const { found, values } = describe(narrowed, filter)
    const sql = SQL.best(found, bound.sql)
    const rows = await statements.all(sql, { ...values, ...bound.values, limit: most })
    return rows as unknown as RankedRow[]
  }
  const order = expression.rule === null ? planPruning(leaves, limit) : null
  let taken = order?.first ?? 0
  let wanted = bound.isExact ? limit : limit + SPARE_ROWS
  for (;;) {
    const isAll = order === null || taken >= order.leaves.length
    const rows = await read(isAll ? expression : anyOf(order.leaves.slice(0, taken)), wanted)
    const scored = bound.isExact ? rows : await rescore(statements, rows, leaves)
    const points = -(scored[limit - 1]?.bm25 ?? 0)
    // No row that was not read has more points than these.
    const unread = bound.isExact || rows.length < wanted ? 0 : -(rows.at(-1)?.bm25 ?? 0)
    const untaken = isAll ? 0 : order.restOf(taken)
    const isEnough = rows.length < wanted ? isAll : true
    if (isEnough && points >= unread && points >= untaken) return scored.slice(0, limit)
    if (points < unread) wanted *= 4
    if (!isAll) taken = order.next(taken, points)
  }
}

/** How many rows match; `best` are all of them where they are fewer than the limit. */
export async function countMatches(
  statements: Statements,
  { expression, filter }: Sought,
  best: { readonly rows: number; readonly limit: number },
): Promise<number> {
  if (best.rows < best.limit) return best.rows
  const { found, values } = describe(expression, filter)
  return Number(await statements.value(SQL.count(found), values))
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

/**
 * The order in which words are looked up, the rarest first: as soon as what all others can give together is less than the last of
 * the best has, no row without one of the words that were taken can be among the best.
 */
function planPruning(leaves: readonly CountedLeaf[], limit: number) {
  const sorted = leaves.toSorted((a, b) => b.idf - a.idf)
  if (sorted.length < 2) return null
  const restOf = (taken: number): number =>
    sorted.slice(taken).reduce((sum, { idf }) => sum + idf * MOST_WEIGHT, 0)
  const enough = Math.max(LEAST_ROWS, limit * ROWS_PER_WANTED)
  let first = 0
  for (let rows = 0; first < sorted.length; first++) {
    if (rows >= enough && restOf(first) < (sorted[0]?.idf ?? 0)) break
    rows += sorted[first]?.count ?? 0
  }
  return {
    leaves: sorted,
    first,
    restOf,
    /** Where too few rows were found, all words are taken. */
    next(taken: number, points: number): number {
      if (points === 0) return sorted.length
      let next = taken + 1
      while (next < sorted.length && restOf(next) > points) next++
      return next
    },
  }
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

async function rescore<T extends ScoredRow>(
  statements: Statements,
  rows: readonly T[],
  leaves: readonly WeighedLeaf[],
): Promise<T[]> {
  const texts = await readTexts(
    statements,
    rows.map(({ row }) => row),
  )
  return rows
    .map((one) => {
      const text = texts.get(one.row)
      return { ...one, bm25: (text && scoreText(text, leaves)) ?? 0 }
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
  const found = await statements.all(
    SQL.expand(namespace === null ? '' : ' AND t.namespace = :namespace'),
    {
      ...(namespace === null ? {} : { namespace }),
      prefixes,
      ends: prefixes.map((prefix) => `${prefix}\u{10ffff}`),
    },
  )
  const expanded = new Map(open.map((leaf) => [leaf, new Set<number>()]))
  for (const { i, term } of found) {
    const leaf = open[Number(i) - 1]
    if (leaf !== undefined) expanded.get(leaf)?.add(hashToken(String(term)))
  }
  return expanded
}
