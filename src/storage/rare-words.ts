/** Chooses rare words of a text to find records that say the same, for every backend. */

import { TokenCursor, toTerm } from '../text/tokens.js'

/** The beginning of a text is enough to recognise it. */
export const MAX_CHARACTERS = 20_000
/** Only the longest words are counted: long words are rarer. */
const MAX_COUNTED_WORDS = 8
const MAX_STEMMED_WORDS = 4 * MAX_COUNTED_WORDS
/** Counting stops here: a word with this count is common. */
export const MAX_COUNT = 60
const RAREST_WORDS = 5
export const MAX_CANDIDATES = 20
/** Records that share only common words are sought among the newest: the lists of common words grow with the file. */
export const NEWEST = 5000

/** The words with the longest stems, as they are written. Only the longest words are stemmed. */
export function listLongWords(text: string): string[] {
  const written = new Set<string>()
  const token = new TokenCursor(text)
  while (token.next()) written.add(text.slice(token.start, token.end))
  const longest = [...written].sort((a, b) => b.length - a.length).slice(0, MAX_STEMMED_WORDS)
  const words = new Map(longest.map((word) => [toTerm(word, 0, word.length), word]))
  return [...words]
    .sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))
    .slice(0, MAX_COUNTED_WORDS)
    .map(([, word]) => word)
}

export type WordSet = { readonly words: readonly string[]; readonly isRare: boolean }

/**
 * Sets of the rarest words that another record has as well. The most selective set comes first: all words, then pairs of the
 * three rarest, because a detail may have changed, then the rarest alone, unless it is a common word and there are pairs
 * without it. `counts` holds the number of records with each word.
 */
export function chooseWordSets(words: readonly string[], counts: readonly number[]): WordSet[] {
  const rarest = words
    .map((word, i) => ({ word, count: counts[i] ?? 0 }))
    .filter(({ count }) => count > 1)
    .sort((a, b) => a.count - b.count)
    .slice(0, RAREST_WORDS)
  const [a, b, c] = rarest
  const alone = c === undefined || (a?.count ?? 0) < MAX_COUNT ? [a] : []
  const sets = [rarest, [a, b], [a, c], [b, c], alone].map((set) => set.flatMap((one) => one ?? []))
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
