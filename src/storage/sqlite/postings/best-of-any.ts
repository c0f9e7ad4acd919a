/** The best rows that hold any of the terms are exactly found, without a look at rows that cannot be among them. */

import { pointsOf } from '../bm25.js'
import type { ScoredRow } from '../full-text.js'
import { type Bits, has, placeIn } from './bits.js'
import { seek } from './posting-list.js'
import { bestFirst, type Ground, placeOf, scoreRow, type Term } from './scoring.js'

/** Points are added in another order here than in the end; sums that are as near as this may be equal. */
const SLACK = 1e-9
/** What the last of the best has of all points given so far changes little from one term to the next. */
const NEARLY = 0.9
/** To look one row up in a list costs about as much as to walk over this many per doubling of its length. */
const STEPS_PER_LOOKUP = 2
/** To leap to a row costs about as much as to walk over this many, most of which are not allowed. */
const STEPS_PER_LEAP = 8
/** Both where the bits of a list tell the place of a row. */
const STEPS_BY_RANK = 3

export type AnySearch = {
  readonly terms: readonly Term[]
  readonly ground: Ground
  /** Null where every row may be found. */
  readonly allowed: Bits | null
  /** The same as numbers, ascending, where they are few. */
  readonly few?: Uint32Array | null
  readonly limit: number
}

/** Memory for one search after the other: all zeros in between. */
export type Workspace = { readonly points: Float64Array; readonly touched: Uint32Array }

export function createWorkspace(rows: number): Workspace {
  return { points: new Float64Array(rows), touched: new Uint32Array(rows) }
}

/**
 * MaxScore (Turtle and Flood, 1995), a term at a time, those that can give most points first. As soon as all terms that
 * are left together cannot lift a new row among the best, they are only looked up for the rows that are known.
 */
export function bestOfAny(search: AnySearch, workspace: Workspace): ScoredRow[] {
  const { terms, limit, ground } = search
  const { points, touched } = workspace
  const ordered = terms.toSorted((a, b) => b.ceiling - a.ceiling)
  const rest = remainders(ordered)
  let known = 0
  let threshold = 0
  let next = 0
  let expectedShare = 1
  while (next < ordered.length && (rest[next] as number) >= threshold) {
    known = addTerm(ordered[next++] as Term, search, workspace, known)
    const left = rest[next] ?? 0
    const given = (rest[0] as number) - left
    // To look for the last of the best takes a walk over all rows: only where it may end the search.
    if (known < limit || left === 0 || given * expectedShare < left * NEARLY) continue
    threshold = worthReaching(points, touched, known, limit)
    expectedShare = threshold / given
  }
  for (; next < ordered.length; next++) {
    known = dropBelow(threshold - (rest[next] as number), workspace, known)
    lookUp(ordered[next] as Term, search, workspace, known)
    if (known >= limit) {
      threshold = Math.max(threshold, worthReaching(points, touched, known, limit))
    }
  }
  if (known > limit) {
    const last = worthReaching(points, touched, known, limit)
    known = dropBelow(last, workspace, known)
  }
  const best: ScoredRow[] = []
  for (let i = 0; i < known; i++) {
    const row = touched[i] as number
    best.push({ row, bm25: scoreRow(row, terms, ground) })
    points[row] = 0
  }
  return best.sort(bestFirst).slice(0, limit)
}

/** What all terms from each one on can give together. */
function remainders(terms: readonly Term[]): Float64Array {
  const rest = new Float64Array(terms.length)
  let sum = 0
  for (let i = terms.length - 1; i >= 0; i--) {
    sum += (terms[i] as Term).ceiling
    rest[i] = sum
  }
  return rest
}

/** Gives its points to every row of the list; returns how many rows are known then. */
function addTerm(term: Term, search: AnySearch, workspace: Workspace, known: number): number {
  const few = fewFor(term, search)
  if (few === null) return addToAll(term, search, workspace, known)
  return addToFew(term, search.ground, { few, takesNew: true }, workspace, known)
}

/** The rows that may be found, where the list is so much longer that it is leapt through. */
function fewFor({ rows, ranked }: Term, { few = null }: AnySearch): Uint32Array | null {
  const steps = ranked === null ? STEPS_PER_LEAP : STEPS_BY_RANK
  return few !== null && few.length * steps < rows.length ? few : null
}

/** Leaps from one row that may be found to the next; without `takesNew` only rows that are known get points. */
function addToFew(
  { rows, tallies, ranked, frequency, idf }: Term,
  { words, norms }: Ground,
  { few, takesNew }: { readonly few: Uint32Array; readonly takesNew: boolean },
  { points, touched }: Workspace,
  known: number,
): number {
  let count = known
  let place = 0
  for (let i = 0; i < few.length; i++) {
    const row = few[i] as number
    const before = points[row] as number
    if (before === 0 && !takesNew) continue
    if (ranked === null) {
      place = seek(rows, row, place)
      if (rows[place] !== row) continue
    } else {
      place = placeIn(ranked, row)
      if (place < 0) continue
    }
    if (before === 0) touched[count++] = row
    const norm = norms[words[row] as number] as number
    points[row] = before + pointsOf(idf, frequency[tallies[place] as number] as number, norm)
  }
  return count
}

function addToAll(
  { rows, tallies, frequency, idf }: Term,
  { ground: { words, norms }, allowed }: AnySearch,
  { points, touched }: Workspace,
  known: number,
): number {
  let count = known
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    // Asked first: bits are near at hand, points are far apart.
    if (allowed !== null && !has(allowed, row)) continue
    const before = points[row] as number
    if (before === 0) touched[count++] = row
    const norm = norms[words[row] as number] as number
    points[row] = before + pointsOf(idf, frequency[tallies[i] as number] as number, norm)
  }
  return count
}

/** The same for rows that are known already. */
function lookUp(term: Term, search: AnySearch, workspace: Workspace, known: number): void {
  const { rows, tallies, ranked, frequency, idf } = term
  const { words, norms } = search.ground
  const { points, touched } = workspace
  const add = (place: number, row: number): void => {
    const norm = norms[words[row] as number] as number
    const own = pointsOf(idf, frequency[tallies[place] as number] as number, norm)
    points[row] = (points[row] as number) + own
  }
  const steps = ranked === null ? STEPS_PER_LOOKUP * Math.log2(rows.length + 2) : STEPS_BY_RANK
  if (known * steps > rows.length) {
    const few = fewFor(term, search)
    if (few !== null) {
      addToFew(term, search.ground, { few, takesNew: false }, workspace, known)
      return
    }
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      if ((points[row] as number) > 0) add(i, row)
    }
    return
  }
  for (let i = 0; i < known; i++) {
    const row = touched[i] as number
    const place = placeOf(term, row)
    if (place >= 0) add(place, row)
  }
}

/** Forgets rows with fewer points; returns how many are left. */
function dropBelow(least: number, { points, touched }: Workspace, known: number): number {
  let left = 0
  for (let i = 0; i < known; i++) {
    const row = touched[i] as number
    if ((points[row] as number) >= least) touched[left++] = row
    else points[row] = 0
  }
  return left
}

/** Slightly less than the points of the last one of the best so far. */
function worthReaching(
  points: Float64Array,
  touched: Uint32Array,
  known: number,
  limit: number,
): number {
  // A heap whose smallest is on top.
  const heap = new Float64Array(limit)
  for (let i = 0; i < known; i++) {
    const own = points[touched[i] as number] as number
    if (own <= (heap[0] as number)) continue
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= limit) break
      if (child + 1 < limit && (heap[child + 1] as number) < (heap[child] as number)) child++
      if ((heap[child] as number) >= own) break
      heap[place] = heap[child] as number
      place = child
    }
    heap[place] = own
  }
  return (heap[0] as number) * (1 - SLACK)
}
