/** How much of a question its best match by words covers is one number from 0 to 1. */

/** How many records have a word, and whether the best match has it. */
export type WordWeight = { readonly records: number; readonly isInBest: boolean }

/** The least that a word counts, however common: as SQLite's bm25() has it. */
export const LEAST_IDF = 1e-6

/**
 * The idf mass of the words that the best match has, over that of all words; idf = max(ln((N − df + ½)/(df + ½)), 1e-6).
 * A word that occurs nowhere counts in full, so a question of unknown words trusts meaning.
 * By hand, N = 10: a word in 1 record (ln 6.33 = 1.846) that the best match has, and one in none (ln 21 = 3.045)
 * → 1.846 / 4.891 = 0.377.
 */
export function coverOf(words: readonly WordWeight[], records: number): number {
  let covered = 0
  let all = 0
  for (const word of words) {
    const mass = idf(word.records, records)
    all += mass
    if (word.isInBest) covered += mass
  }
  return all === 0 ? 0 : covered / all
}

function idf(having: number, records: number): number {
  return Math.max(Math.log((records - having + 0.5) / (having + 0.5)), LEAST_IDF)
}
