/** Finds words of the stored texts that are spelled nearly like a given word. */

import { editDistance, prefixDistance } from '../../text/edit-distance.js'
import { createStartFilter } from '../../text/highlight.js'
import { stem } from '../../text/stem.js'
import { foldWord, tokenize } from '../../text/tokens.js'
import { isTagToken } from '../indexed-form.js'
import type { NearTerm } from '../storage.js'
import { readVersion, type Statements } from './statements.js'

const WITHIN = ' CROSS JOIN records n ON n.row = i.doc AND n.namespace = :namespace'

const SQL = {
  terms: `SELECT term, doc AS records FROM records_vocabulary WHERE term >= :first AND term < :after`,
  count: 'SELECT count(*) FROM records_vocabulary',
  /** A few texts per term, to see which words the term stands for. */
  examples: (within: string) => `SELECT coalesce(r.title, '') || ' ' || r.body AS text
    FROM json_each(:terms) wanted JOIN records r
      ON r.row IN (SELECT i.doc FROM records_instances i${within} WHERE i.term = wanted.value LIMIT 2)`,
  countIn: `SELECT wanted.value AS term, (SELECT count(DISTINCT i.doc)
      FROM records_instances i${WITHIN} WHERE i.term = wanted.value) AS records
    FROM json_each(:terms) wanted ORDER BY wanted.key`,
} as const

/** Two typing mistakes are forgiven in a word, one in a short word. */
const SHORT_WORD = 5
const MAX_CANDIDATES = 12
const MAX_ANSWERS = 3
/** Numbers and long strings of the index are no vocabulary. */
const LONGEST_TERM = 40

type Term = { readonly term: string; readonly records: number; readonly letters: number }
type ScoredTerm = Omit<Term, 'letters'> & { readonly distance: number }

export function createVocabulary(statements: Statements) {
  let cachedFor = ''
  const cached = new Map<string, readonly Term[]>()

  /** The terms that begin with a letter, cached until any process writes. */
  const readTerms = (letter: string): readonly Term[] => {
    const version = readVersion(statements)
    if (cachedFor !== version) cached.clear()
    cachedFor = version
    const known = cached.get(letter)
    if (known !== undefined) return known
    const rows = statements.all(SQL.terms, { first: letter, after: `${letter}\u{10ffff}` })
    const terms = (rows as unknown as Omit<Term, 'letters'>[])
      .filter(
        ({ term }) => term.length <= LONGEST_TERM && /^\p{L}/u.test(term) && !isTagToken(term),
      )
      .map((one): Term => ({ ...one, letters: collectLetters(one.term) }))
    cached.set(letter, terms)
    return terms
  }

  /** Those that the namespace has, with the number of its records. */
  const countIn = (near: readonly ScoredTerm[], namespace: string): ScoredTerm[] => {
    const terms = JSON.stringify(near.map(({ term }) => term))
    const counted = statements.all(SQL.countIn, { terms, namespace })
    return near
      .map((one, i) => ({ ...one, records: Number(counted[i]?.records) }))
      .filter(({ records }) => records > 0)
  }

  return {
    count: (): number => Number(statements.value(SQL.count)),
    near(words: readonly string[], namespace: string | null): NearTerm[][] {
      const candidates = words.map((word) => {
        // The first letter is rarely the mistake, unless it has changed places with the second or was left out.
        const letters = new Set([...foldWord(word)].slice(0, 2))
        const near = [...letters].flatMap((letter) => findNear(word, readTerms(letter)))
        return (namespace === null ? near : countIn(near, namespace))
          .toSorted((a, b) => a.distance - b.distance || b.records - a.records)
          .slice(0, MAX_CANDIDATES)
      })
      const stems = [...new Set(candidates.flat().map(({ term }) => term))]
      const spelled = stems.length === 0 ? new Map() : findSpellings(statements, stems, namespace)
      return words.map((word, i) => rankSpellings(word, candidates[i] ?? [], spelled))
    },
  }
}

function countAllowedMistakes(word: string): number {
  return word.length < SHORT_WORD ? 1 : 2
}

/**
 * Terms are stems, so a term is compared with the stem of the word and with its beginnings: `deploymnet` begins
 * like `deploy`, and only the spelled-out words tell whether it was meant.
 */
function findNear(word: string, terms: readonly Term[]): ScoredTerm[] {
  const folded = foldWord(word)
  const wordStem = stem(folded)
  const limit = countAllowedMistakes(folded)
  const letters = collectLetters(folded) | collectLetters(wordStem)
  const scored: ScoredTerm[] = []
  for (const { term, records, letters: own } of terms) {
    // A very short term is near the beginning of everything.
    if (Math.abs(term.length - folded.length) > 8) continue
    if (term.length < Math.min(3, folded.length - 1)) continue
    // Each letter that the word does not have is a mistake: nine of ten terms need no comparison.
    if (hasMoreBits(own & ~letters, limit)) continue
    const distance = Math.min(
      editDistance(term, wordStem, limit),
      prefixDistance(term, folded, limit),
    )
    const far = Math.abs(term.length - wordStem.length) / 8
    if (distance <= limit) scored.push({ term, records, distance: distance + far })
  }
  return scored
}

/** One bit for each letter from a to z; other letters share bits, so a bit is never missing where a letter is shared. */
function collectLetters(word: string): number {
  let letters = 0
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) & 31)
  return letters
}

function hasMoreBits(bits: number, most: number): boolean {
  let left = bits
  for (let i = 0; i < most; i++) left &= left - 1
  return left !== 0
}

/** For each stem the words of the texts that have it, in the spelling of the texts. */
function findSpellings(statements: Statements, stems: readonly string[], namespace: string | null) {
  const spellings = new Map<string, Set<string>>()
  // Not by MATCH: FTS5 would stem the term once more and look for another one.
  const terms = JSON.stringify(stems)
  const [within, named] = namespace === null ? ['', {}] : [WITHIN, { namespace }]
  const rows = statements.all(SQL.examples(within), { ...named, terms })
  const mayBegin = createStartFilter(stems)
  for (const row of rows) {
    const text = String(row.text)
    for (const token of tokenize(text)) {
      if (!mayBegin(token)) continue
      const spelling = text.slice(token.start, token.end).toLowerCase()
      spellings.set(token.term, (spellings.get(token.term) ?? new Set()).add(spelling))
    }
  }
  return spellings
}

function rankSpellings(
  word: string,
  candidates: readonly ScoredTerm[],
  spelled: ReadonlyMap<string, ReadonlySet<string>>,
): NearTerm[] {
  const folded = foldWord(word)
  const limit = countAllowedMistakes(folded)
  const near: NearTerm[] = []
  for (const { term, records } of candidates) {
    for (const spelling of spelled.get(term) ?? []) {
      const distance = editDistance(foldWord(spelling), folded, limit)
      if (distance > 0 && distance <= limit) near.push({ word: spelling, records, distance })
    }
  }
  // One mistake fewer outweighs a word ten times as frequent.
  const points = ({ records, distance }: NearTerm): number => Math.log10(1 + records) - distance
  near.sort((a, b) => points(b) - points(a) || (a.word < b.word ? -1 : 1))
  return near.slice(0, MAX_ANSWERS)
}
