/** Finds words of the stored texts that are spelled nearly like a given word. */

import {
  compareCandidates,
  findNear,
  findSpellings,
  listFirstLetters,
  MAX_CANDIDATES,
  rankSpellings,
  type ScoredTerm,
  type Vocabulary as Terms,
} from '../spelling.js'
import type { NearTerm } from '../storage.js'
import { queryTerm } from './match.js'
import { readOnce } from './read-ahead.js'
import type { Statements } from './statements.js'
import type { WordCounts } from './word-counts.js'

/** Of so many candidates the records are counted. */
const MAX_COUNTED = 100
const WITHIN = ' AND w.namespace = :namespace'
/** A long text is read from its beginning. */
const EXAMPLE_CHARACTERS = 100_000

const SQL = {
  terms: `SELECT DISTINCT t.term FROM terms t WHERE t.term >= :first AND t.term < :after`,
  count: 'SELECT count(DISTINCT term) FROM terms',
  /** A few texts per term, to see which words the term stands for. */
  examples: (
    within: string,
  ) => `SELECT concat(r.title, ' ', left(r.body, ${EXAMPLE_CHARACTERS})) AS text
    FROM unnest(:queries::text[]) q CROSS JOIN LATERAL (
      (SELECT w.record FROM words w WHERE w.is_whole AND w.lexemes @@ q::tsquery${within} LIMIT 2)
      UNION ALL
      (SELECT w.record FROM words w WHERE NOT w.is_whole AND w.lexemes @@ q::tsquery${within} LIMIT 1)) e
    JOIN records r ON r.row = e.record`,
} as const

export type Vocabulary = ReturnType<typeof createVocabulary>

export function createVocabulary(counts: WordCounts) {
  let cachedFor = -1
  const cached = new Map<string, Terms>()

  /** The terms that begin with a letter, cached until anyone writes. */
  const readTerms = async (statements: Statements, letter: string): Promise<Terms> => {
    const known = cached.get(letter)
    if (known !== undefined) return known
    const found = await statements.column(SQL.terms, {
      first: letter,
      after: `${letter}\u{10ffff}`,
    })
    const terms = found.map((term) => `${String(term)} 0`).join('\n')
    cached.set(letter, terms)
    return terms
  }

  /** Those that records have, of the namespace where one is given. */
  const countIn = async (
    statements: Statements,
    near: readonly ScoredTerm[],
    namespace: string | null,
  ): Promise<ScoredTerm[]> => {
    const sought = near.map(({ term }) => ({
      query: queryTerm(term),
      terms: [term],
      lastIsPrefix: false,
    }))
    const { counts: records } = await counts.count(statements, namespace, sought)
    return near
      .map((one, i) => ({ ...one, records: records[i] ?? 0 }))
      .filter((one) => one.records > 0)
  }

  const findAll = async (
    statements: Statements,
    words: readonly string[],
    namespace: string | null,
  ): Promise<NearTerm[][]> => {
    const { version } = await counts.readState(statements, namespace)
    if (version !== cachedFor) cached.clear()
    cachedFor = version
    const findCandidates = async (word: string): Promise<ScoredTerm[]> => {
      const letters = listFirstLetters(word)
      const terms = await Promise.all(letters.map((letter) => readTerms(statements, letter)))
      const near = terms.flatMap((some) => findNear(word, some))
      const nearest = near.sort((a, b) => a.distance - b.distance).slice(0, MAX_COUNTED)
      const counted = await countIn(statements, nearest, namespace)
      return counted.sort(compareCandidates).slice(0, MAX_CANDIDATES)
    }
    const candidates = await Promise.all(words.map(findCandidates))
    const stems = [...new Set(candidates.flat().map(({ term }) => term))]
    if (stems.length === 0) return words.map(() => [])
    const texts = await statements.column(SQL.examples(namespace === null ? '' : WITHIN), {
      ...(namespace === null ? {} : { namespace }),
      queries: stems.map((stem) => queryTerm(stem)),
    })
    const spelled = findSpellings(stems, texts.map(String))
    return words.map((word, i) => rankSpellings(word, candidates[i] ?? [], spelled))
  }
  const near = (statements: Statements, words: readonly string[], namespace: string | null) =>
    readOnce(statements, JSON.stringify(['near', namespace, words]), () =>
      findAll(statements, words, namespace),
    )

  return {
    count: async (statements: Statements): Promise<number> =>
      Number(await statements.value(SQL.count)),

    near,

    /** Begins to look for them, as they will be asked for. */
    expect(statements: Statements, words: readonly string[], namespace: string | null): void {
      if (words.length > 0) void near(statements, words, namespace)
    },
  }
}
