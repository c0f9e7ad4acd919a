/** Answers what a search asks of the words of records. */

import { getPinnedNamespace } from '../../core/filter.js'
import type { Field, Node } from '../../query/tree.js'
import type { BestMatch, WeighedWords } from '../search.js'
import type { Page, WordMatch, WordScope } from '../storage.js'
import { compileFilter } from './filter.js'
import { anyOf, compileMatch } from './match.js'
import {
  compareScored,
  countIfQuick,
  countMatches,
  findBest,
  findMatching,
  isNowhere,
  type RankedRow,
  readFoundTexts,
  readTexts,
  type ScoredRow,
  type Sought,
  weighLeaves,
} from './rank.js'
import { type IndexedText, scoreBestPassage, scoreText } from './score.js'
import type { Statements } from './statements.js'
import type { Vocabulary } from './vocabulary.js'
import type { WordCounts } from './word-counts.js'

const SQL = {
  isInBest: (table: 'words' | 'past_words', key: string) => `SELECT EXISTS (SELECT 1 FROM ${table} w
      WHERE w.${key} = :best AND w.lexemes @@ q.query::tsquery)
    FROM unnest(:queries::text[]) WITH ORDINALITY q (query, i) ORDER BY i`,
} as const

const RARE_MATCHES = 10
const WORD = /^[\p{L}\p{N}'’]+$/u

export type RankedRows = {
  readonly ranked: readonly RankedRow[]
  readonly total: number
}
/** With what a hybrid search needs of its candidates. */
export type GatheredWords = {
  /** The best rows and those of `also` that match, best first. */
  readonly ranked: readonly ScoredRow[]
  /** At least so many match. */
  readonly total: number
  readonly isExact: boolean
  /** Of long texts, by their best passage. */
  readonly passages: ReadonlyMap<number, number>
  readonly pairs: ReadonlyMap<number, number>
}

/** A search by words with the weights of its words, and of pairs of adjacent words as phrases. */
export type PreparedWords = {
  readonly match: WordMatch
  readonly sought: Sought
  readonly inPairs: Sought['leaves']
}

export type FoundWords = PreparedWords & {
  readonly best: readonly RankedRow[]
  /** Fewer than this are all that match. */
  readonly limit: number
  /** Null where it was not counted. */
  readonly total: number | null
  /** What was read along with the best: their texts, and of the rows in `also` texts and those that match. */
  readonly also: readonly number[]
  readonly matching: readonly number[]
  readonly texts: ReadonlyMap<number, IndexedText>
}

export type WordSearch = ReturnType<typeof createWordSearch>

export function createWordSearch(counts: WordCounts, vocabulary: Vocabulary) {
  /** What a search has read of its candidates, by the statements of its snapshot. */
  const texts = new WeakMap<Statements, ReadonlyMap<number, IndexedText>>()
  const pastTexts = new WeakMap<Statements, ReadonlyMap<number, IndexedText>>()

  const prepare = (statements: Statements, match: WordMatch, pairs: Node | null = null) =>
    prepareMatch({ counts, vocabulary }, statements, { match, pairs })

  /** Counts the words of the steps that may follow. */
  const prepareNext = (statements: Statements, { next = [], ...match }: WordMatch) =>
    Promise.all(next.map((root) => prepare(statements, { ...match, root })))

  /** In how many records each is found. */
  const countEach = async (
    statements: Statements,
    words: readonly Node[],
    { fields, namespace }: WordScope,
  ): Promise<readonly number[]> => {
    const sought = words.map((word) => compileWord(word, fields, counts.hasNeighbours()))
    return (await counts.count(statements, namespace, sought)).counts
  }

  return {
    /** Best first, from `offset` on. */
    async rank(
      statements: Statements,
      match: WordMatch,
      { offset, limit }: Page,
    ): Promise<RankedRows> {
      const { sought } = (await prepare(statements, match)) ?? {}
      if (sought === undefined) return { ranked: [], total: 0 }
      const most = offset + limit
      const [ranked, total] = await Promise.all([
        findBest(statements, sought, Math.max(1, most)),
        countMatches(statements, sought),
        isRare(sought) ? prepareNext(statements, match) : null,
      ])
      return { ranked: ranked.slice(offset, most), total }
    },

    prepareWords: prepare,

    /**
     * The best rows, to be scored with those that are found elsewhere; `also` are those of them that are known by now. All
     * statements are sent before it returns, the one that finds the best rows first.
     */
    async findWords(
      statements: Statements,
      prepared: PreparedWords,
      { limit, also }: { readonly limit: number; readonly also: readonly number[] },
    ): Promise<FoundWords> {
      const { sought, match } = prepared
      const next = isRare(sought) ? () => prepareNext(statements, match) : async () => null
      if (isNowhere(sought)) {
        await next()
        const none = { best: [], total: 0, matching: [], texts: new Map() }
        return { ...prepared, ...none, limit, also: [] }
      }
      const [best, total, matching, read] = await Promise.all([
        findBest(statements, sought, limit),
        countIfQuick(statements, sought),
        findMatching(statements, sought, also),
        readFoundTexts(statements, also),
        next(),
      ])
      return { ...prepared, best, limit, total, also, matching, texts: read }
    },

    /** The best rows and those of `also` that match, whatever their rank, with their passages and the score of pairs. */
    async scoreWords(
      statements: Statements,
      found: FoundWords,
      { limit, also }: { readonly limit: number; readonly also: readonly number[] },
    ): Promise<GatheredWords> {
      const { sought, best } = found
      const isAll = best.length < found.limit
      const { read, matching } = await readOthers(statements, found, isAll ? [] : also)
      texts.set(statements, read)
      const bm25 = new Map(best.map((one) => [one.row, one.bm25]))
      const known = new Set(also)
      const wanted = [...also.filter((row) => bm25.has(row)), ...matching]
      const rest = best
        .filter(({ row }) => !known.has(row))
        .slice(0, limit + also.length - wanted.length)
      const rows = [...wanted, ...rest.map(({ row }) => row)]
      const most = sought.leaves.reduce((largest, one) => Math.max(largest, one.count), best.length)
      return {
        total: isAll ? best.length : (found.total ?? most),
        isExact: isAll || found.total !== null,
        ...scoreCandidates(rows, { texts: read, bm25 }, found),
      }
    },

    /** Scores texts of past states by the statistics of the present. */
    async scorePast(
      statements: Statements,
      match: WordMatch,
      texts: ReadonlyMap<number, IndexedText>,
    ): Promise<Map<number, number>> {
      pastTexts.set(statements, new Map([...(pastTexts.get(statements) ?? []), ...texts]))
      const leaves = compileMatch(match.root, match.fields, counts.hasNeighbours())?.leaves ?? []
      const namespace = getPinnedNamespace(match.filter)
      const weighed = await weighLeaves(statements, counts, { leaves, namespace })
      return new Map([...texts].map(([key, text]) => [key, scoreText(text, weighed.leaves) ?? 0]))
    },

    async weigh(
      statements: Statements,
      words: readonly Node[],
      { scope, best }: { readonly scope: WordScope; readonly best: BestMatch },
    ): Promise<WeighedWords> {
      const sought = words.map((word) => compileWord(word, scope.fields, counts.hasNeighbours()))
      const text = (best.isPast ? pastTexts : texts).get(statements)?.get(best.key)
      const [{ records, counts: counted }, isInBest] = await Promise.all([
        counts.count(statements, scope.namespace, sought),
        findInText(sought, text) ?? findInBest(statements, sought, best),
      ])
      return {
        words: counted.map((count, i) => ({ records: count, isInBest: isInBest[i] === true })),
        records,
      }
    },

    countEach,

    missing: async (
      statements: Statements,
      words: readonly Node[],
      scope: WordScope,
    ): Promise<boolean[]> =>
      (await countEach(statements, words, scope)).map((count) => count === 0),
  }
}

/** With the leaves of pairs of adjacent words; null where the match only excludes. */
async function prepareMatch(
  parts: { readonly counts: WordCounts; readonly vocabulary: Vocabulary },
  statements: Statements,
  { match, pairs }: { readonly match: WordMatch; readonly pairs: Node | null },
): Promise<PreparedWords | null> {
  const { counts, vocabulary } = parts
  const hasNeighbours = counts.hasNeighbours()
  const expression = compileMatch(match.root, match.fields, hasNeighbours)
  if (expression === null) return null
  const own = expression.leaves.length
  const pairLeaves = pairs && compileMatch(pairs, match.fields, hasNeighbours)?.leaves
  const { leaves, records } = await weighLeaves(statements, counts, {
    leaves: [...expression.leaves, ...(pairLeaves ?? [])],
    namespace: getPinnedNamespace(match.filter),
  })
  // Counting has read whether there are neighbours by now.
  if (counts.hasNeighbours() !== hasNeighbours) {
    return prepareMatch(parts, statements, { match, pairs })
  }
  const unknown = leaves
    .slice(0, own)
    .filter(({ text, count, lastIsPrefix }) => count === 0 && !lastIsPrefix && WORD.test(text))
    .map(({ text }) => text)
  vocabulary.expect(statements, [...new Set(unknown)], getPinnedNamespace(match.filter))
  const filter = compileFilter(match.filter)
  const sought = { expression, filter, leaves: leaves.slice(0, own), records }
  return { match, sought, inPairs: leaves.slice(own) }
}

/** No word is found often: the next step may be taken. */
function isRare({ leaves }: Sought): boolean {
  return leaves.every(({ count }) => count < RARE_MATCHES)
}

function findInBest(
  statements: Statements,
  sought: readonly { readonly query: string }[],
  { key, isPast }: BestMatch,
): Promise<unknown[]> {
  const sql = isPast ? SQL.isInBest('past_words', 'revision') : SQL.isInBest('words', 'record')
  return statements.column(sql, { queries: sought.map(({ query }) => query), best: key })
}

/** Null where the text is not at hand, or one of them is more than a word or a phrase. */
function findInText(
  sought: readonly ReturnType<typeof compileWord>[],
  text: IndexedText | undefined,
): boolean[] | null {
  const leaves = sought.flatMap((one) => ('hashes' in one && !one.lastIsPrefix ? [one] : []))
  if (text === undefined || leaves.length < sought.length) return null
  return leaves.map((leaf) => scoreText(text, [{ ...leaf, idf: 1, expanded: null }]) !== null)
}

/** The texts of the best rows and of `also`, and those of `also` that match and are not among the best. */
async function readOthers(statements: Statements, found: FoundWords, also: readonly number[]) {
  const best = new Set(found.best.map(({ row }) => row))
  const others = also.filter((row) => !best.has(row))
  const late = others.filter((row) => !found.also.includes(row))
  const unread = [...best, ...others].filter((row) => !found.texts.has(row))
  const [matching, more] = await Promise.all([
    findMatching(statements, found.sought, late),
    readTexts(statements, unread),
  ])
  const matches = new Set([...found.matching, ...matching])
  return {
    read: new Map([...found.texts, ...more]),
    matching: others.filter((row) => matches.has(row)),
  }
}

/** `bm25` of those that are known; the others are scored. */
function scoreCandidates(
  rows: readonly number[],
  { texts, bm25 }: { texts: Map<number, IndexedText>; bm25: ReadonlyMap<number, number> },
  { sought: { expression, leaves }, inPairs }: PreparedWords,
): Omit<GatheredWords, 'total' | 'isExact'> {
  const ranked: ScoredRow[] = []
  const passages = new Map<number, number>()
  const pairs = new Map<number, number>()
  // Of prefixes and NEAR, only whole records are scored, as in a file.
  const hasPassages = !expression.hasNear && leaves.every((leaf) => !leaf.lastIsPrefix)
  for (const row of rows) {
    const text = texts.get(row)
    if (text === undefined) continue
    ranked.push({ row, bm25: bm25.get(row) ?? scoreText(text, leaves) ?? 0 })
    const passage = hasPassages ? scoreBestPassage(text, leaves) : null
    if (passage !== null) passages.set(row, passage)
    const pair = scoreText(text, inPairs)
    if (pair !== null) pairs.set(row, pair)
  }
  return { ranked: ranked.sort(compareScored), passages, pairs }
}

/** A word as something that is counted. */
function compileWord(word: Node, fields: readonly Field[] | null, hasNeighbours: boolean) {
  const expression = compileMatch(word, fields, hasNeighbours) ?? anyOf([])
  const [only, another] = expression.leaves
  if (only !== undefined && another === undefined && !expression.hasNear) return only
  return { query: expression.query, terms: [], lastIsPrefix: false }
}
