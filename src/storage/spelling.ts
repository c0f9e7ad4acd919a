/** Compares a misspelled word with the terms of an index and with the words they stand for. */

import { editDistance, prefixDistance } from '../text/edit-distance.js'
import { createStartFilter } from '../text/highlight.js'
import { stem } from '../text/stem.js'
import { foldWord, tokenize } from '../text/tokens.js'
import { isTagToken } from './indexed-form.js'
import type { NearTerm } from './storage.js'

/** Two typing mistakes are forgiven in a word, one in a short word. */
const SHORT_WORD = 5
export const MAX_CANDIDATES = 12
const MAX_ANSWERS = 3
/** Numbers and long strings of the index are no vocabulary. */
const LONGEST_TERM = 40

export type Term = { readonly term: string; readonly records: number }
export type ScoredTerm = Term & { readonly distance: number }

/** Of each term its letters (see `collectLetters`) and its length: nine of ten terms need no other look. */
export type Vocabulary = {
  readonly terms: readonly Term[]
  readonly letters: Uint32Array
  readonly lengths: Uint8Array
}

/** The terms that are words. */
export function readVocabulary(given: readonly Term[]): Vocabulary {
  const terms = given.filter(
    ({ term }) => term.length <= LONGEST_TERM && /^\p{L}/u.test(term) && !isTagToken(term),
  )
  return {
    terms,
    letters: Uint32Array.from(terms, ({ term }) => collectLetters(term)),
    lengths: Uint8Array.from(terms, ({ term }) => term.length),
  }
}

/** The first letter is rarely the mistake, unless it has changed places with the second or was left out. */
export function listFirstLetters(word: string): readonly string[] {
  return [...new Set([...foldWord(word)].slice(0, 2))]
}

export function compareCandidates(a: ScoredTerm, b: ScoredTerm): number {
  return a.distance - b.distance || b.records - a.records
}

function countAllowedMistakes(word: string): number {
  return word.length < SHORT_WORD ? 1 : 2
}

/**
 * Terms are stems, so a term is compared with the stem of the word and with its beginnings: `deploymnet` begins
 * like `deploy`, and only the spelled-out words tell whether it was meant.
 */
export function findNear(word: string, vocabulary: Vocabulary): ScoredTerm[] {
  const { terms, lengths } = vocabulary
  const folded = foldWord(word)
  const wordStem = stem(folded)
  const limit = countAllowedMistakes(folded)
  const letters = collectLetters(folded) | collectLetters(wordStem)
  const scored: ScoredTerm[] = []
  // A very short term is near the beginning of everything.
  const shortest = Math.max(folded.length - 8, Math.min(3, folded.length - 1))
  for (let i = 0; i < terms.length; i++) {
    const length = lengths[i] as number
    if (length < shortest || length > folded.length + 8) continue
    // Each letter that the word does not have is a mistake.
    if (hasMoreBits((vocabulary.letters[i] as number) & ~letters, limit)) continue
    const { term, records } = terms[i] as Term
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
export function findSpellings(stems: readonly string[], texts: readonly string[]) {
  const spellings = new Map<string, Set<string>>()
  const mayBegin = createStartFilter(stems)
  for (const text of texts) {
    for (const token of tokenize(text)) {
      if (!mayBegin(text, token.start, token.end)) continue
      const spelling = text.slice(token.start, token.end).toLowerCase()
      spellings.set(token.term, (spellings.get(token.term) ?? new Set()).add(spelling))
    }
  }
  return spellings
}

export function rankSpellings(
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
