/** Finds words of the stored texts that are spelled nearly like a given word. */

import {
  compareCandidates,
  findNear,
  findSpellings,
  listFirstLetters,
  MAX_CANDIDATES,
  rankSpellings,
  type ScoredTerm,
  type Vocabulary,
} from '../spelling.js'
import type { NearTerm } from '../storage.js'
import { ALL_COLUMNS, queryTerm } from './match.js'
import type { Statements } from './statements.js'
import type { WordCounts } from './word-counts.js'

/** Of so many candidates the records are counted. */
const MAX_COUNTED = 100
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

export function createVocabulary(counts: WordCounts) {
  let cachedFor = -1
  const cached = new Map<string, Vocabulary>()

  /** The terms that begin with a letter, cached until anyone writes. */
  const readTerms = async (statements: Statements, letter: string): Promise<Vocabulary> => {
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
      columns: ALL_COLUMNS,
    }))
    const { counts: records } = await counts.count(statements, namespace, sought)
    return near
      .map((one, i) => ({ ...one, records: records[i] ?? 0 }))
      .filter((one) => one.records > 0)
  }

  return {
    count: async (statements: Statements): Promise<number> =>
      Number(await statements.value(SQL.count)),

    async near(
      statements: Statements,
      words: readonly string[],
      namespace: string | null,
    ): Promise<NearTerm[][]> {
      const { version } = await counts.readState(statements, namespace)
      if (version !== cachedFor) cached.clear()
      cachedFor = version
      const candidates: ScoredTerm[][] = []
      for (const word of words) {
        const near: ScoredTerm[] = []
        for (const letter of listFirstLetters(word)) {
          near.push(...findNear(word, await readTerms(statements, letter)))
        }
        const nearest = near.sort((a, b) => a.distance - b.distance).slice(0, MAX_COUNTED)
        const counted = await countIn(statements, nearest, namespace)
        candidates.push(counted.sort(compareCandidates).slice(0, MAX_CANDIDATES))
      }
      const stems = [...new Set(candidates.flat().map(({ term }) => term))]
      const within = namespace === null ? '' : ' AND w.namespace = :namespace'
      const texts =
        stems.length === 0
          ? []
          : await statements.column(SQL.examples(within), {
              ...(namespace === null ? {} : { namespace }),
              queries: stems.map(queryTerm),
            })
      const spelled = findSpellings(stems, texts.map(String))
      return words.map((word, i) => rankSpellings(word, candidates[i] ?? [], spelled))
    },
  }
}
