/** Answers what a search asks of the words of records. */

import { getPinnedNamespace } from '../../core/filter.js'
import type { Field, Node } from '../../query/tree.js'
import type { BestMatch, WeighedWords } from '../search.js'
import type { Page, WordMatch, WordScope } from '../storage.js'
import { compileFilter } from './filter.js'
import { anyOf, compileMatch } from './match.js'
import {
  compareScored,
  countMatches,
  findBest,
  findMatching,
  type RankedRow,
  readTexts,
  type ScoredRow,
  type Sought,
  weighLeaves,
} from './rank.js'
import { type IndexedText, scoreBestPassage, scoreText } from './score.js'
import type { Statements } from './statements.js'
import type { WordCounts } from './word-counts.js'

const SQL = {
  lengths: `SELECT w.record AS row, max(w.text_words) AS words FROM words w
    WHERE w.record = ANY (:rows::bigint[]) GROUP BY w.record`,
  isInBest: (table: 'words' | 'past_words', key: string) => `SELECT EXISTS (SELECT 1 FROM ${table} w
      WHERE w.${key} = :best AND w.lexemes @@ q.query::tsquery)
    FROM unnest(:queries::text[]) WITH ORDINALITY q (query, i) ORDER BY i`,
} as const

export type RankedRows = {
  readonly ranked: readonly RankedRow[]
  readonly total: number
}
/** With what a hybrid search needs of its candidates. */
export type GatheredWords = {
  /** The best rows and those of `also` that match, best first. */
  readonly ranked: readonly ScoredRow[]
  readonly total: number
  /** Of long texts, by their best passage. */
  readonly passages: ReadonlyMap<number, number>
  readonly pairs: ReadonlyMap<number, number>
}

export type GatherWords = {
  readonly words: WordMatch
  readonly pairs: Node | null
  readonly limit: number
  readonly also: readonly number[]
}

export type WordSearch = ReturnType<typeof createWordSearch>

export function createWordSearch(counts: WordCounts) {
  const prepare = async (statements: Statements, match: WordMatch): Promise<Sought | null> => {
    const expression = compileMatch(match.root, match.fields)
    if (expression === null) return null
    const namespace = getPinnedNamespace(match.filter)
    const leaves = await weighLeaves(statements, counts, { leaves: expression.leaves, namespace })
    return { expression, filter: compileFilter(match.filter), leaves }
  }

  return {
    /** Best first, from `offset` on. */
    async rank(
      statements: Statements,
      match: WordMatch,
      { offset, limit }: Page,
    ): Promise<RankedRows> {
      const sought = await prepare(statements, match)
      if (sought === null) return { ranked: [], total: 0 }
      const most = offset + limit
      const ranked = await findBest(statements, sought, Math.max(1, most))
      const total = await countMatches(statements, sought, { rows: ranked.length, limit: most })
      return { ranked: ranked.slice(offset, most), total }
    },

    /** The best rows and those of `also` that match, whatever their rank, with their passages and the score of pairs. */
    async gather(
      statements: Statements,
      { words, pairs, limit, also }: GatherWords,
    ): Promise<GatheredWords> {
      const nothing = { ranked: [], total: 0, passages: new Map(), pairs: new Map() }
      const sought = await prepare(statements, words)
      if (sought === null) return nothing
      const most = limit + also.length
      const namespace = getPinnedNamespace(words.filter)
      const pairLeaves = pairs === null ? [] : (compileMatch(pairs, words.fields)?.leaves ?? [])
      const [best, matching, inPairs] = await Promise.all([
        findBest(statements, sought, most),
        findMatching(statements, sought, also),
        weighLeaves(statements, counts, { leaves: pairLeaves, namespace }),
      ])
      const total = await countMatches(statements, sought, { rows: best.length, limit: most })
      const known = new Set(matching)
      const others = best.filter(({ row }) => !known.has(row)).slice(0, most - known.size)
      const rows = [...known, ...others.map(({ row }) => row)]
      const texts = await readTexts(statements, rows)
      const bm25 = new Map(best.map((one) => [one.row, one.bm25]))
      return { total, ...scoreCandidates({ texts, bm25 }, sought, inPairs) }
    },

    /** Those of the rows that match, whatever the filter lets pass: it only says whose statistics count. */
    async scoreRows(
      statements: Statements,
      match: WordMatch,
      rows: readonly number[],
    ): Promise<ScoredRow[]> {
      const sought = rows.length === 0 ? null : await prepare(statements, match)
      if (sought === null) return []
      const [matching, texts] = await Promise.all([
        findMatching(statements, { ...sought, filter: null }, rows),
        readTexts(statements, rows),
      ])
      return matching.flatMap((row) => {
        const text = texts.get(row)
        return text === undefined ? [] : [{ row, bm25: scoreText(text, sought.leaves) ?? 0 }]
      })
    },

    /** Scores texts of past states by the statistics of the present. */
    async scoreTexts<T>(
      statements: Statements,
      match: WordMatch,
      texts: ReadonlyMap<T, IndexedText>,
    ): Promise<Map<T, number>> {
      const leaves = compileMatch(match.root, match.fields)?.leaves ?? []
      const namespace = getPinnedNamespace(match.filter)
      const weighed = await weighLeaves(statements, counts, { leaves, namespace })
      return new Map([...texts].map(([key, text]) => [key, scoreText(text, weighed) ?? 0]))
    },

    /** The words of the text of each record: neither tags nor names. */
    async countWords(statements: Statements, rows: readonly number[]): Promise<number[]> {
      const found = await statements.all(SQL.lengths, { rows })
      const lengths = new Map(found.map(({ row, words }) => [row, Number(words)]))
      return rows.map((row) => lengths.get(row) ?? 0)
    },

    async weigh(
      statements: Statements,
      words: readonly Node[],
      { scope, best }: { readonly scope: WordScope; readonly best: BestMatch },
    ): Promise<WeighedWords> {
      const sought = words.map((word) => compileWord(word, scope.fields))
      const sql = best.isPast
        ? SQL.isInBest('past_words', 'revision')
        : SQL.isInBest('words', 'record')
      const queries = sought.map(({ query }) => query)
      const [{ records, counts: counted }, isInBest] = await Promise.all([
        counts.count(statements, scope.namespace, sought),
        statements.column(sql, { queries, best: best.key }),
      ])
      return {
        words: counted.map((count, i) => ({ records: count, isInBest: isInBest[i] === true })),
        records,
      }
    },

    async missing(
      statements: Statements,
      words: readonly Node[],
      { fields, namespace }: WordScope,
    ): Promise<boolean[]> {
      const sought = words.map((word) => compileWord(word, fields))
      const { counts: counted } = await counts.count(statements, namespace, sought)
      return counted.map((count) => count === 0)
    },
  }
}

/** `bm25` of those that are known; the others are scored. */
function scoreCandidates(
  { texts, bm25 }: { texts: Map<number, IndexedText>; bm25: ReadonlyMap<number, number> },
  { expression, leaves }: Sought,
  pairLeaves: Sought['leaves'],
): Omit<GatheredWords, 'total'> {
  const ranked: ScoredRow[] = []
  const passages = new Map<number, number>()
  const pairs = new Map<number, number>()
  // Of prefixes and NEAR, only whole records are scored, as in a file.
  const hasPassages = !expression.hasNear && leaves.every((leaf) => !leaf.lastIsPrefix)
  for (const [row, text] of texts) {
    ranked.push({ row, bm25: bm25.get(row) ?? scoreText(text, leaves) ?? 0 })
    const passage = hasPassages ? scoreBestPassage(text, leaves) : null
    if (passage !== null) passages.set(row, passage)
    const pair = scoreText(text, pairLeaves)
    if (pair !== null) pairs.set(row, pair)
  }
  return { ranked: ranked.sort(compareScored), passages, pairs }
}

/** A word as something that is counted. */
function compileWord(word: Node, fields: readonly Field[] | null) {
  const expression = compileMatch(word, fields) ?? anyOf([])
  const [only, another] = expression.leaves
  if (only !== undefined && another === undefined && !expression.hasNear) return only
  return { query: expression.query, terms: [], lastIsPrefix: false, columns: 0 }
}
