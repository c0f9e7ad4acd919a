/** Stores the positions of words in long texts, and scores the best passage of each text. */

import { BODY_COLUMN, COLUMN_WEIGHTS, normOf, PASSAGE_WORDS, pointsOf } from '../../bm25.js'
import type { ScoredRow } from '../full-text.js'
import type { Term } from './rank.js'
import type { RowLengths } from './row-lengths.js'
import { seek } from './term-lists.js'

/** A position is one number: column × stride + offset. */
export const COLUMN_STRIDE = 2 ** 32
/** A passage is two consecutive blocks of the body. A passage begins at every block, so passages overlap. */
const BLOCK_WORDS = PASSAGE_WORDS / 2
const PASSAGE_NORM = normOf(PASSAGE_WORDS)
/** The body in a column mask. */
const BODY = 1 << BODY_COLUMN
const NO_BLOCKS = { from: new Uint32Array(0), blocks: new Uint16Array(0) }

/** The block of each occurrence, ascending: those of the i-th row are `blocks[from[i]]` to before `blocks[from[i + 1]]`. */
export type BlockList = {
  readonly rows: Uint32Array
  readonly from: Uint32Array
  readonly blocks: Uint16Array
  readonly bytes: number
}

export class BlockWriter {
  readonly #rows: number[] = []
  readonly #from: number[] = [0]
  readonly #blocks: number[] = []

  /** Adds a row even if its body does not hold the word, because its entry replaces that of an older segment. */
  add(row: number, positions: readonly number[]): void {
    const start = BODY_COLUMN * COLUMN_STRIDE
    for (const position of positions) {
      if (position < start || position >= start + COLUMN_STRIDE) continue
      this.#blocks.push(Math.floor((position - start) / BLOCK_WORDS))
    }
    this.#rows.push(row)
    this.#from.push(this.#blocks.length)
  }

  finish(): BlockList[] {
    if (this.#rows.length === 0) return []
    const rows = new Uint32Array(this.#rows)
    const from = new Uint32Array(this.#from)
    const blocks = new Uint16Array(this.#blocks)
    return [{ rows, from, blocks, bytes: rows.byteLength + from.byteLength + blocks.byteLength }]
  }
}

/** The passages of the i-th row are `points[from[i]]` to before `points[from[i + 1]]`; `shared[i]` counts in all of them. */
type PassagePoints = {
  readonly rows: Uint32Array
  readonly from: Uint32Array
  readonly points: Float64Array
  readonly shared: Float64Array
}

/** Scores long texts by their best passage. Leaves out the other rows. */
export function scorePassages(
  found: readonly ScoredRow[],
  terms: readonly Term[],
  rowLengths: Pick<RowLengths, 'isLong' | 'textWords'>,
): ScoredRow[] {
  const long = found.filter(({ row }) => rowLengths.isLong(row)).map(({ row }) => row)
  const rows = Uint32Array.from(long).sort()
  const from = new Uint32Array(rows.length + 1)
  for (let i = 0; i < rows.length; i++) {
    const words = rowLengths.textWords[rows[i] as number] as number
    from[i + 1] = (from[i] as number) + Math.ceil(words / BLOCK_WORDS)
  }
  const points = new Float64Array(from[rows.length] as number)
  const scored = { rows, from, points, shared: new Float64Array(rows.length) }
  for (const term of terms) addTerm(term, scored)
  return Array.from(rows, (row, i) => {
    let most = 0
    for (let at = from[i] as number; at < (from[i + 1] as number); at++) {
      if ((points[at] as number) > most) most = points[at] as number
    }
    return { row, bm25: -(most + (scored.shared[i] as number)) }
  })
}

/**
 * Adds the points of a term to the passages that hold it. Occurrences outside the body count in all passages of a row.
 * Example: with occurrences in the blocks [0, 4, 5], passage 0 holds the term once, 3 once, 4 twice and 5 once.
 */
function addTerm(term: Term, { rows, from, points, shared }: PassagePoints): void {
  const { tallies, frequency, idf } = term
  const lists = (term.columns & BODY) === 0 ? [] : term.blocks
  const cursors = lists.map(() => 0)
  let [at, start, rest, restPoints] = [0, 0, 0, 0]
  const addPoints = (block: number, count: number): void => {
    const own = rest + count * COLUMN_WEIGHTS.body
    const added = pointsOf(idf, own, PASSAGE_NORM) - restPoints
    points[start + block] = (points[start + block] as number) + added
  }
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    at = seek(term.rows, row, at)
    if (term.rows[at] !== row) continue
    const newest = findNewest(lists, cursors, row)
    const { from: bounds, blocks } = lists[newest] ?? NO_BLOCKS
    const first = bounds[cursors[newest] ?? 0] ?? 0
    const end = bounds[(cursors[newest] ?? 0) + 1] ?? 0
    start = from[i] as number
    rest = (frequency[tallies[at] as number] as number) - (end - first) * COLUMN_WEIGHTS.body
    restPoints = pointsOf(idf, rest, PASSAGE_NORM)
    shared[i] = (shared[i] as number) + restPoints
    let before = -1
    for (let next = first; next < end; ) {
      const [block, here] = [blocks[next] as number, next]
      while (next < end && blocks[next] === block) next++
      let after = next
      while (after < end && blocks[after] === block + 1) after++
      if (block > 0 && before !== block - 1) addPoints(block - 1, next - here)
      addPoints(block, after - here)
      before = block
    }
  }
}

/** Returns the first, which is the newest, list that has the row; `cursors` then holds the index of the row in it. */
function findNewest(lists: readonly BlockList[], cursors: number[], row: number): number {
  for (let i = 0; i < lists.length; i++) {
    const { rows } = lists[i] as BlockList
    cursors[i] = seek(rows, row, cursors[i])
    if (rows[cursors[i] as number] === row) return i
  }
  return -1
}
