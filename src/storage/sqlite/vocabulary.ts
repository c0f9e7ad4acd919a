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
import { readVersion, type Statements } from './statements.js'

const WITHIN = ' CROSS JOIN records n ON n.row = i.doc AND n.namespace = :namespace'

const SQL = {
  /** One text takes a third of the time of one row per term. */
  terms: `SELECT coalesce(group_concat(term || ' ' || doc, char(10)), '')
    FROM records_vocabulary WHERE term >= :first AND term < :after`,
  count: 'SELECT count(*) FROM records_vocabulary',
  /** A few texts per term, which show the words behind it. CROSS: SQLite would scan all records of a small file first. */
  examples: (within: string) => `SELECT coalesce(r.title, '') || ' ' || r.body AS text
    FROM json_each(:terms) wanted CROSS JOIN records r
      ON r.row IN (SELECT i.doc FROM records_instances i${within} WHERE i.term = wanted.value LIMIT 2)`,
  countIn: `SELECT wanted.value AS term, (SELECT count(DISTINCT i.doc)
      FROM records_instances i${WITHIN} WHERE i.term = wanted.value) AS records
    FROM json_each(:terms) wanted ORDER BY wanted.key`,
} as const

export function createVocabulary(statements: Statements) {
  let cachedFor = ''
  const cached = new Map<string, Vocabulary>()

  /** The terms that begin with a letter, cached until any process writes. */
  const readTerms = (letter: string): Vocabulary => {
    const version = readVersion(statements)
    if (cachedFor !== version) cached.clear()
    cachedFor = version
    const known = cached.get(letter)
    if (known !== undefined) return known
    const range = { first: letter, after: `${letter}\u{10ffff}` }
    const terms = String(statements.value(SQL.terms, range))
    cached.set(letter, terms)
    return terms
  }

  /** The terms that occur in the namespace, with the number of its records. */
  const countIn = (near: readonly ScoredTerm[], namespace: string): ScoredTerm[] => {
    const terms = near.map(({ term }) => term)
    const counted = statements.all(SQL.countIn, { terms, namespace })
    return near
      .map((one, i) => ({ ...one, records: Number(counted[i]?.records) }))
      .filter(({ records }) => records > 0)
  }

  const readExamples = (stems: readonly string[], namespace: string | null): string[] => {
    if (stems.length === 0) return []
    const [within, named] = namespace === null ? ['', {}] : [WITHIN, { namespace }]
    // Not by MATCH: FTS5 would stem the term again and find another one.
    return statements.column(SQL.examples(within), { ...named, terms: stems })
  }

  return {
    count: (): number => Number(statements.value(SQL.count)),
    near(words: readonly string[], namespace: string | null = null): NearTerm[][] {
      const candidates = words.map((word) => {
        const near = listFirstLetters(word).flatMap((letter) => findNear(word, readTerms(letter)))
        return (namespace === null ? near : countIn(near, namespace))
          .toSorted(compareCandidates)
          .slice(0, MAX_CANDIDATES)
      })
      const stems = [...new Set(candidates.flat().map(({ term }) => term))]
      const spelled = findSpellings(stems, readExamples(stems, namespace))
      return words.map((word, i) => rankSpellings(word, candidates[i] ?? [], spelled))
    },
  }
}
