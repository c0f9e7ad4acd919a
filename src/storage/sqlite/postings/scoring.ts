/** A row gets the very points that FTS5's bm25() would give it. */

import { normOf, pointsOf } from '../bm25.js'
import type { ScoredRow } from '../full-text.js'
import { type Bits, placeIn, type RankedBits } from './bits.js'
import { type PostingList, seek } from './posting-list.js'

/** One thing that is sought: a word or a phrase, in some columns. */
export type Term = PostingList & {
  /** By the code of a tally. */
  readonly frequency: Float64Array
  readonly idf: number
  /** The rows once more, where they are many. */
  readonly bits: Bits | null
  readonly ranked: RankedBits | null
  /** No row gets more points for it than this. */
  readonly ceiling: number
}

/** What is known of all rows. */
export type Ground = {
  /** Words by row. */
  readonly words: Uint32Array
  /** By number of words: what a frequency is weighed against. */
  readonly norms: Float64Array
}

export function normsUpTo(longest: number, averageLength: number): Float64Array {
  return Float64Array.from({ length: longest + 1 }, (_, words) => normOf(words, averageLength))
}

const NO_ROW = 0xffffffff

/** The most that f / (f + norm) is for a row of the list. */
export function highestShare(
  { rows, tallies }: PostingList,
  frequency: Float64Array,
  { words, norms }: Ground,
): number {
  // Of rows with the same tally the shortest has the highest share: so one division for each tally, and not for each row.
  const shortest = new Uint32Array(frequency.length).fill(NO_ROW)
  for (let i = 0; i < rows.length; i++) {
    const length = words[rows[i] as number] as number
    const tally = tallies[i] as number
    if (length < (shortest[tally] as number)) shortest[tally] = length
  }
  let highest = 0
  for (let tally = 0; tally < shortest.length; tally++) {
    if (shortest[tally] === NO_ROW) continue
    const own = frequency[tally] as number
    const share = own / (own + (norms[shortest[tally] as number] as number))
    if (share > highest) highest = share
  }
  return highest
}

/** Added up in the order of the query, as FTS5 does: a sum of fractions depends on it. */
export function scoreRow(row: number, terms: readonly Term[], { words, norms }: Ground): number {
  const norm = norms[words[row] as number] as number
  let points = 0
  for (const term of terms) {
    const place = placeOf(term, row)
    if (place < 0) continue
    const { tallies, frequency, idf } = term
    points += pointsOf(idf, frequency[tallies[place] as number] as number, norm)
  }
  return -points
}

/** Where a row stands in the list; -1 where it does not. */
export function placeOf({ rows, ranked }: Term, row: number): number {
  if (ranked !== null) return placeIn(ranked, row)
  const place = seek(rows, row)
  return rows[place] === row ? place : -1
}

/** The least first; rows with equal points in the order they were added. */
export function bestFirst(a: ScoredRow, b: ScoredRow): number {
  return a.bm25 - b.bm25 || a.row - b.row
}
