/** Chooses the rare words of a text by which records that say the same are found, for every backend. */

import { tokenize } from '../text/tokens.js'

/** The words of the beginning of a text are enough to recognise it. */
export const MAX_CHARACTERS = 20_000
/** So many of the words are counted, the longest first: long words are rarer. */
const MAX_COUNTED_WORDS = 8
/** Counting stops here: a more frequent word is common. */
export const MAX_COUNT = 60
const RAREST_WORDS = 5
export const MAX_CANDIDATES = 30
/** Records that share only common words are sought among so many of the newest: lists of common words grow with the file. */
export const NEWEST = 5000

/** The longest words, as they are written. */
export function listLongWords(text: string): string[] {
  const words = new Map(
    tokenize(text).map(({ term, start, end }) => [term, text.slice(start, end)]),
  )
  return [...words]
    .sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))
    .slice(0, MAX_COUNTED_WORDS)
    .map(([, word]) => word)
}

export type WordSet = { readonly words: readonly string[]; readonly isRare: boolean }

/**
 * Sets of the rarest words that another record has as well, each with whether one of its words is rare. The most selective first:
 * all words, then pairs of the three rarest, because a detail may have changed. `counts`: in how many records each word is.
 */
export function chooseWordSets(words: readonly string[], counts: readonly number[]): WordSet[] {
  const rarest = words
    .map((word, i) => ({ word, count: counts[i] ?? 0 }))
    .filter(({ count }) => count > 1)
    .sort((a, b) => a.count - b.count)
    .slice(0, RAREST_WORDS)
  const [a, b, c] = rarest
  const sets = [rarest, [a, b], [a, c], [b, c], [a]].map((set) => set.flatMap((one) => one ?? []))
  const distinct = new Map(
    sets
      .filter((set) => set.length > 0)
      .map((set) => [set.map(({ word }) => word).join(' '), set] as const),
  )
  return [...distinct.values()].map((set) => ({
    words: set.map(({ word }) => word),
    isRare: set.some(({ count }) => count < MAX_COUNT),
  }))
}
