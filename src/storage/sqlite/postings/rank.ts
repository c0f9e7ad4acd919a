/** Finds the best rows for a plan by BM25, without scoring rows that cannot be among them. */

import { normOf, pointsOf } from '../../bm25.js'
import { compareScored, type ScoredRow } from '../full-text.js'
import { type Bits, countRows, createDenseBits, hasRow, listRows, uniteRows } from './bits.js'
import { type PostingList, seek } from './term-lists.js'

export type Term = PostingList & {
  readonly columns: number
  readonly bits: Bits | null
  /** The weighted term frequency, indexed by tally code. */
  readonly frequency: Float64Array
  readonly idf: number
  /** The rounded points of each row for this term. Computing them in every search takes twice as long. */
  readonly points: Float32Array
  /** The upper bound of the points for this term. */
  readonly ceiling: number
}

export type Lengths = {
  readonly words: Uint32Array
  /** The length normalisation of BM25, indexed by number of words. */
  readonly norms: Float64Array
}

export function computeNorms(longest: number): Float64Array {
  return Float64Array.from({ length: longest + 1 }, (_, words) => normOf(words))
}

/** The relative rounding error of a sum of two hundred 32-bit points is smaller. Sums that differ by less may be equal. */
const ROUNDING_SLACK = 2e-5

export function createTerm(
  counted: Omit<Term, 'bits' | 'points' | 'ceiling'>,
  { words, norms }: Lengths,
): Term {
  const { rows, tallies, frequency, idf } = counted
  const bits = createDenseBits(rows)
  const points = new Float32Array(rows.length)
  let highest = 0
  for (let i = 0; i < rows.length; i++) {
    const norm = norms[words[rows[i] as number] as number] as number
    const own = pointsOf(idf, frequency[tallies[i] as number] as number, norm)
    points[i] = own
    if (own > highest) highest = own
  }
  return { ...counted, bits, points, ceiling: highest * (1 + ROUNDING_SLACK) }
}

export function holdsRow({ rows }: PostingList, row: number): boolean {
  return rows[seek(rows, row)] === row
}

/** Adds the points in the order of the query, as SQL does: a floating-point sum depends on its order. */
export function scoreRow(row: number, terms: readonly Term[], { words, norms }: Lengths): number {
  const norm = norms[words[row] as number] as number
  let points = 0
  for (const { rows, tallies, frequency, idf } of terms) {
    const at = seek(rows, row)
    if (rows[at] !== row) continue
    points += pointsOf(idf, frequency[tallies[at] as number] as number, norm)
  }
  return -points
}

export type RankRequest = {
  readonly clauses: readonly (readonly Term[])[]
  readonly lengths: Lengths
  readonly allowed: Bits | null
  readonly limit: number
}

/**
 * Returns the best rows that hold a term of every clause, and how many rows do. Looks up the rows of the rarest clause in
 * the others.
 */
export function rankAll({ clauses, lengths, allowed, limit }: RankRequest) {
  const terms = clauses.flat()
  const [rarest = [], ...others] = sortByRarity(clauses)
  const found: ScoredRow[] = []
  for (const row of rarest.length === 1 ? (rarest[0]?.rows ?? []) : listRows(uniteRows(rarest))) {
    if (allowed !== null && !hasRow(allowed, row)) continue
    if (!others.every((clause) => clause.some((term) => holdsRow(term, row)))) continue
    found.push({ row, bm25: scoreRow(row, terms, lengths) })
  }
  return { best: found.sort(compareScored).slice(0, limit), total: found.length }
}

export function sortByRarity<Clause extends readonly Term[]>(clauses: readonly Clause[]): Clause[] {
  return clauses.toSorted((a, b) => countPostings(a) - countPostings(b))
}

export function countPostings(terms: readonly Term[]): number {
  return terms.reduce((sum, { rows }) => sum + rows.length, 0)
}

/** Allows for changes of the expected share (see `rankAny`) from one term to the next. */
const SHARE_MARGIN = 0.9
/** Looking up one row in a list costs about this many steps of a linear scan per doubling of the list's length. */
const STEPS_PER_LOOKUP = 2
/** Skipping to the next allowed row costs about this many steps of a linear scan. */
const STEPS_PER_SKIP = 8

export type AnyRequest = Omit<RankRequest, 'clauses'> & { readonly terms: readonly Term[] }

/** Reused by every search. `points` is all zero between searches; 32-bit sums halve the memory that a search touches. */
export type Workspace = { readonly points: Float32Array; readonly touched: Uint32Array }

export function createWorkspace(rows: number): Workspace {
  return { points: new Float32Array(rows), touched: new Uint32Array(rows) }
}

/**
 * Returns the best rows that hold any of the terms, by MaxScore (Turtle and Flood, 1995), one term at a time, the highest
 * ceiling first. As soon as the remaining terms together cannot lift a new row among the best, they are only looked up for
 * the rows found so far.
 */
export function rankAny(request: AnyRequest, workspace: Workspace): ScoredRow[] {
  const { terms, limit, lengths, allowed } = request
  const { points, touched } = workspace
  const isFew = allowed !== null && countRows(allowed) * STEPS_PER_SKIP < points.length
  const few = isFew ? listRows(allowed) : null
  const ordered = terms.toSorted((a, b) => b.ceiling - a.ceiling)
  /** `rest[i]`: the sum of the ceilings of the terms from `i` on. */
  const rest = new Float64Array(ordered.length + 1)
  for (let i = ordered.length - 1; i >= 0; i--) {
    rest[i] = (rest[i + 1] as number) + (ordered[i] as Term).ceiling
  }
  let known = 0
  let threshold = 0
  let next = 0
  /** The threshold as a share of the ceilings added so far, when it was last computed. */
  let expectedShare = 1
  while (next < ordered.length && (rest[next] as number) >= threshold) {
    known = addTerm(ordered[next++] as Term, { allowed, few }, workspace, known)
    const left = rest[next] as number
    const added = (rest[0] as number) - left
    // Computing the threshold visits all found rows, so do it only if it may end this loop.
    if (known < limit || left === 0 || added * expectedShare < left * SHARE_MARGIN) continue
    threshold = findThreshold(workspace, known, limit)
    expectedShare = threshold / added
  }
  for (; next < ordered.length; next++) {
    known = dropBelow(threshold - (rest[next] as number), workspace, known)
    addToKnown(ordered[next] as Term, workspace, known)
    if (known >= limit) threshold = Math.max(threshold, findThreshold(workspace, known, limit))
  }
  if (known > limit) known = dropBelow(findThreshold(workspace, known, limit), workspace, known)
  const best: ScoredRow[] = []
  for (let i = 0; i < known; i++) {
    const row = touched[i] as number
    points[row] = 0
    best.push({ row, bm25: scoreRow(row, terms, lengths) })
  }
  return best.sort(compareScored).slice(0, limit)
}

/** Adds the points of a term to every allowed row of its list. Returns how many rows are known then. */
function addTerm(
  { rows, points: own }: Term,
  { allowed, few }: Pick<AnyRequest, 'allowed'> & { readonly few: Uint32Array | null },
  { points, touched }: Workspace,
  known: number,
): number {
  let count = known
  if (few !== null && few.length * STEPS_PER_SKIP < rows.length) {
    let at = 0
    for (let i = 0; i < few.length; i++) {
      const row = few[i] as number
      at = seek(rows, row, at)
      if (rows[at] !== row) continue
      if (points[row] === 0) touched[count++] = row
      points[row] = (points[row] as number) + (own[at] as number)
    }
    return count
  }
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    // The bits come first because they fit into the processor's cache and the points do not.
    if (allowed !== null && !hasRow(allowed, row)) continue
    const before = points[row] as number
    if (before === 0) touched[count++] = row
    points[row] = before + (own[i] as number)
  }
  return count
}

/** Adds the points of a term to the known rows only, by a scan of its list or by look-ups, whichever is cheaper. */
function addToKnown({ rows, points: own }: Term, workspace: Workspace, known: number): void {
  const { points, touched } = workspace
  if (known * STEPS_PER_LOOKUP * Math.log2(rows.length + 2) > rows.length) {
    for (let i = 0; i < rows.length; i++) {
      const before = points[rows[i] as number] as number
      if (before > 0) points[rows[i] as number] = before + (own[i] as number)
    }
    return
  }
  for (let i = 0; i < known; i++) {
    const row = touched[i] as number
    const at = seek(rows, row)
    if (rows[at] === row) points[row] = (points[row] as number) + (own[at] as number)
  }
}

function dropBelow(least: number, { points, touched }: Workspace, known: number): number {
  let left = 0
  for (let i = 0; i < known; i++) {
    const row = touched[i] as number
    if ((points[row] as number) >= least) touched[left++] = row
    else points[row] = 0
  }
  return left
}

/** Returns slightly less than the points of the `limit`-th best row so far. */
function findThreshold({ points, touched }: Workspace, known: number, limit: number): number {
  // A binary min-heap of the best points.
  const heap = new Float64Array(limit)
  for (let i = 0; i < known; i++) {
    const own = points[touched[i] as number] as number
    if (own <= (heap[0] as number)) continue
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= limit) break
      if (child + 1 < limit && (heap[child + 1] as number) < (heap[child] as number)) child++
      if ((heap[child] as number) >= own) break
      heap[at] = heap[child] as number
      at = child
    }
    heap[at] = own
  }
  return (heap[0] as number) * (1 - ROUNDING_SLACK)
}
