/** Compares a misspelled word with the terms of an index and the words behind them. */

import { editDistance, prefixDistance } from '../text/edit-distance.js'
import { createStartFilter } from '../text/highlight.js'
import { stem } from '../text/stem.js'
import { foldWord, TokenCursor, toTerm } from '../text/tokens.js'
import { isTagToken } from './indexed-form.js'
import type { NearTerm } from './storage.js'

/** A word may have two typing mistakes, a shorter word one. */
const SHORT_WORD = 5
export const MAX_CANDIDATES = 24
const MAX_ANSWERS = 3
/** Longer terms are strings, not words. */
const LONGEST_TERM = 40

export type Term = { readonly term: string; readonly records: number }
export type ScoredTerm = Term & { readonly distance: number }

/** One line for each term of an index: the term, a space, and the number of its records. */
export type Vocabulary = string

/** The first letter is rarely wrong, unless it was swapped with the second or left out. */
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
 * Terms are stems, so a term is compared with the stem of the word and with its prefixes: `deploymnet` begins
 * like `deploy`, and only the words behind the term tell whether it was meant.
 */
export function findNear(word: string, vocabulary: Vocabulary): ScoredTerm[] {
  const folded = foldWord(word)
  const wordStem = stem(folded)
  const limit = countAllowedMistakes(folded)
  // The distance to a prefix of the word is never more than that to the stem if the stem is one.
  const isPrefix = folded.startsWith(wordStem)
  const scored: ScoredTerm[] = []
  for (const [line] of vocabulary.matchAll(matchPlausible(folded, wordStem, limit))) {
    const [term = '', records] = line.split(' ')
    if (!/^\p{L}/u.test(term) || isTagToken(term)) continue
    const distance = Math.min(
      isPrefix ? Infinity : editDistance(term, wordStem, limit),
      prefixDistance(term, folded, limit),
    )
    const far = Math.abs(term.length - wordStem.length) / 8
    if (distance <= limit) scored.push({ term, records: Number(records), distance: distance + far })
  }
  return scored
}

/**
 * Matches the lines of terms that have a possible length and few letters that the word lacks, since each such letter is a
 * mistake. One pattern over all lines passes one term in ten, in a sixth of the time that comparing each term takes.
 */
function matchPlausible(folded: string, wordStem: string, limit: number): RegExp {
  // A very short term is similar to the beginning of every word.
  const shortest = Math.max(folded.length - 8, Math.min(3, folded.length - 1))
  const longest = Math.max(shortest, Math.min(LONGEST_TERM, folded.length + limit))
  const letters = [...new Set(folded + wordStem)].join('').replace(/[\]\\^-]/g, '\\$&')
  const others = `(?:[^${letters} \\n][${letters}]*){0,${limit}}`
  return new RegExp(`^(?=[^ ]{${shortest},${longest}} )[${letters}]*${others} \\d+$`, 'gm')
}

/** For each stem, the words of the texts that have it, as the texts spell them. */
export function findSpellings(stems: readonly string[], texts: readonly string[]) {
  const spellings = new Map<string, Set<string>>()
  const mayBegin = createStartFilter(stems)
  for (const text of texts) {
    const token = new TokenCursor(text)
    while (token.next()) {
      const { start, end } = token
      if (!mayBegin(text, start, end)) continue
      const term = toTerm(text, start, end)
      const spelling = text.slice(start, end).toLowerCase()
      spellings.set(term, (spellings.get(term) ?? new Set()).add(spelling))
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
