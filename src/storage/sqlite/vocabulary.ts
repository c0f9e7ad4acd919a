/** Finds words of the stored texts that are spelled nearly like a given word. */

import { editDistance, prefixDistance } from '../../text/edit-distance.js'
import { stem } from '../../text/stem.js'
import { foldWord, tokenize } from '../../text/tokens.js'
import type { NearTerm } from '../storage.js'
import { isTagToken } from './match.js'
import { readVersion, type Statements } from './statements.js'

const SQL = {
  terms: `SELECT term, doc AS records FROM records_vocabulary WHERE term >= :first AND term < :after`,
  count: 'SELECT count(*) FROM records_vocabulary',
  /** A few texts per term, to see which words the term stands for. */
  examples: `SELECT coalesce(r.title, '') || ' ' || r.body AS text
    FROM json_each(:terms) wanted JOIN records r
      ON r.row IN (SELECT doc FROM records_instances WHERE term = wanted.value LIMIT 2)`,
} as const

/** Two typing mistakes are forgiven in a word, one in a short word. */
const SHORT_WORD = 5
const MAX_CANDIDATES = 12
const MAX_ANSWERS = 3
/** Numbers and long strings of the index are no vocabulary. */
const LONGEST_TERM = 40

type Term = { readonly term: string; readonly records: number }

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
    const terms = (rows as unknown as Term[]).filter(
      ({ term }) => term.length <= LONGEST_TERM && /^\p{L}/u.test(term) && !isTagToken(term),
    )
    cached.set(letter, terms)
    return terms
  }

  return {
    count: (): number => Number(statements.value(SQL.count)),
    near(words: readonly string[]): NearTerm[][] {
      const candidates = words.map((word) => {
        // The first letter is rarely the mistake, unless it has changed places with the second or was left out.
        const letters = new Set([...foldWord(word)].slice(0, 2))
        return findCandidates(word, [...letters].flatMap(readTerms))
      })
      const stems = [...new Set(candidates.flat().map(({ term }) => term))]
      const spelled = stems.length === 0 ? new Map() : findSpellings(statements, stems)
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
function findCandidates(word: string, terms: readonly Term[]): Term[] {
  const folded = foldWord(word)
  const wordStem = stem(folded)
  const limit = countAllowedMistakes(folded)
  const scored: { readonly entry: Term; readonly distance: number }[] = []
  for (const entry of terms) {
    if (Math.abs(entry.term.length - folded.length) > 8) continue
    const distance = Math.min(
      editDistance(entry.term, wordStem, limit),
      prefixDistance(entry.term, folded, limit),
    )
    // A very short term is near the beginning of everything.
    if (distance <= limit && entry.term.length >= Math.min(3, folded.length - 1)) {
      scored.push({ entry, distance: distance + Math.abs(entry.term.length - wordStem.length) / 8 })
    }
  }
  scored.sort((a, b) => a.distance - b.distance || b.entry.records - a.entry.records)
  return scored.slice(0, MAX_CANDIDATES).map(({ entry }) => entry)
}

/** For each stem the words of the texts that have it, in the spelling of the texts. */
function findSpellings(
  statements: Statements,
  stems: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const spellings = new Map<string, Set<string>>()
  // Not by MATCH: FTS5 would stem the term once more and look for another one.
  for (const row of statements.all(SQL.examples, { terms: JSON.stringify(stems) })) {
    const text = String(row.text)
    for (const token of tokenize(text)) {
      const spelling = text.slice(token.start, token.end).toLowerCase()
      spellings.set(token.term, (spellings.get(token.term) ?? new Set()).add(spelling))
    }
  }
  return spellings
}

function rankSpellings(
  word: string,
  candidates: readonly Term[],
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
