/** Promise: where few rows may be found, every one of them that holds a term is scored, and no other is looked at. */

import { pointsOf } from '../bm25.js'
import { worthReaching } from './best-of-any.js'
import type { RankedPostings } from './open-postings.js'
import { seek } from './posting-list.js'
import { bestFirst, type Ground, scoreRow, type Term } from './scoring.js'

export type FewSearch = {
  readonly terms: readonly Term[]
  readonly ground: Ground
  /** The rows that may be found, ascending. */
  readonly rows: Uint32Array
  readonly limit: number
}

/**
 * Nothing can be left out by what it could reach at most: the best of a few are reached late, when the lists have been
 * walked over. Instead the shorter of rows and list leaps through the longer one.
 */
export function bestOfFew({ terms, ground, rows, limit }: FewSearch): RankedPostings {
  const points = new Float64Array(rows.length)
  for (const term of terms) addPoints(term, ground, rows, points)
  const held = new Uint32Array(rows.length)
  let total = 0
  for (let place = 0; place < rows.length; place++) {
    if ((points[place] as number) > 0) held[total++] = place
  }
  const least = total > limit ? worthReaching(points, held, total, limit) : 0
  const best = Array.from(held.subarray(0, total))
    .filter((place) => (points[place] as number) >= least)
    .map((place) => rows[place] as number)
    .map((row) => ({ row, bm25: scoreRow(row, terms, ground) }))
  return { best: best.sort(bestFirst).slice(0, limit), total }
}

function addPoints(
  { rows: list, tallies, frequency, idf }: Term,
  { words, norms }: Ground,
  rows: Uint32Array,
  points: Float64Array,
): void {
  let inList = 0
  let inRows = 0
  while (inList < list.length && inRows < rows.length) {
    const held = list[inList] as number
    const wanted = rows[inRows] as number
    if (held < wanted) inList = seek(list, wanted, inList)
    else if (wanted < held) inRows = seek(rows, held, inRows)
    else {
      const norm = norms[words[wanted] as number] as number
      const own = pointsOf(idf, frequency[tallies[inList] as number] as number, norm)
      points[inRows] = (points[inRows] as number) + own
      inList++
      inRows++
    }
  }
}
