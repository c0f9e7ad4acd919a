/** The best rows that hold something of every clause are exactly found, and all of them counted. */

import { pointsOf } from '../bm25.js'
import type { ScoredRow } from '../full-text.js'
import { type Bits, has, rowsIn, unionOf } from './bits.js'
import { seek } from './posting-list.js'
import { bestFirst, type Ground, type Term } from './scoring.js'

export type AllSearch = {
  /** Each holds alternatives. */
  readonly clauses: readonly (readonly Term[])[]
  readonly ground: Ground
  /** Null where every row may be found. */
  readonly allowed: Bits | null
  readonly limit: number
}

/** Walks over the rows of the rarest clause and looks each one up in the others. */
export function bestOfAll({ clauses, ground, allowed, limit }: AllSearch): {
  readonly best: ScoredRow[]
  readonly total: number
} {
  const terms = clauses.flat().map((term) => ({ ...term, place: 0 }))
  let taken = 0
  const own = clauses.map((clause) => {
    taken += clause.length
    return terms.slice(taken - clause.length, taken)
  })
  const [rarest = [], ...others] = own.toSorted((a, b) => sizeOf(a) - sizeOf(b))
  const found: ScoredRow[] = []
  for (const row of rowsInAny(rarest)) {
    if (allowed !== null && !has(allowed, row)) continue
    if (!others.every((clause) => isInAny(clause, row))) continue
    found.push({ row, bm25: scoreAt(row, terms, ground) })
  }
  return { best: found.sort(bestFirst).slice(0, limit), total: found.length }
}

/** A term with the place up to which it was walked over. */
type Walked = Term & { place: number }

function sizeOf(terms: readonly Term[]): number {
  return terms.reduce((sum, { rows }) => sum + rows.length, 0)
}

function rowsInAny(terms: readonly Term[]): Iterable<number> {
  const [first, second] = terms
  if (first === undefined) return []
  if (second === undefined) return first.rows
  return rowsIn(unionOf(terms))
}

function isInAny(terms: readonly Walked[], row: number): boolean {
  return terms.some((term) => isIn(term, row))
}

function isIn(term: Walked, row: number): boolean {
  term.place = seek(term.rows, row, term.place)
  return term.rows[term.place] === row
}

/** In the order of the query, as FTS5 adds. */
function scoreAt(row: number, terms: readonly Walked[], { words, norms }: Ground): number {
  const norm = norms[words[row] as number] as number
  let points = 0
  for (const term of terms) {
    if (!isIn(term, row)) continue
    const frequency = term.frequency[term.tallies[term.place] as number] as number
    points += pointsOf(term.idf, frequency, norm)
  }
  return -points
}
