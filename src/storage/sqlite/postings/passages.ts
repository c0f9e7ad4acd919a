/** Where the words of long texts stand, and the points of their best passage. */

import { BODY_COLUMN, COLUMN_WEIGHTS, normOf, PASSAGE_WORDS, pointsOf } from '../../bm25.js'
import type { ScoredRow } from '../full-text.js'
import type { Term } from './rank.js'
import type { RowLengths } from './row-lengths.js'
import { seek } from './term-lists.js'

/** Columns are this far apart where a position is one number. */
export const COLUMN_STRIDE = 2 ** 32
/** A passage is two blocks of the body, and one begins with every block. */
const BLOCK_WORDS = PASSAGE_WORDS / 2
const PASSAGE_NORM = normOf(PASSAGE_WORDS)
/** In a mask of columns. */
const BODY = 1 << BODY_COLUMN
const NO_BLOCKS = { from: new Uint32Array(0), blocks: new Uint16Array(0) }

/** The block of every occurrence, ascending: those of the i-th row are `blocks` between `from[i]` and `from[i + 1]`. */
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

  /** Also a row that does not hold the word in its body: an older segment may say otherwise. */
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

/** Where the passages of each row are in one array, and what counts in all passages of a row. */
type PassagePoints = {
  readonly rows: Uint32Array
  readonly from: Uint32Array
  readonly points: Float64Array
  readonly everywhere: Float64Array
}

/** The rows of long texts by their best passage; the others have none. */
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
  const scored = { rows, from, points, everywhere: new Float64Array(rows.length) }
  for (const term of terms) addTerm(term, scored)
  return Array.from(rows, (row, i) => {
    let most = 0
    for (let at = from[i] as number; at < (from[i + 1] as number); at++) {
      if ((points[at] as number) > most) most = points[at] as number
    }
    return { row, bm25: -(most + (scored.everywhere[i] as number)) }
  })
}

/**
 * Gives its points to the passages that hold the term; what is not in the body belongs to all passages of a row.
 * By hand, blocks [0, 4, 5]: passage 0 holds it once, 3 once, 4 twice, 5 once.
 */
function addTerm(term: Term, { rows, from, points, everywhere }: PassagePoints): void {
  const { tallies, frequency, idf } = term
  const lists = (term.columns & BODY) === 0 ? [] : term.blocks
  const ats = lists.map(() => 0)
  let [at, start, rest, restPoints] = [0, 0, 0, 0]
  const give = (block: number, count: number): void => {
    const own = rest + count * COLUMN_WEIGHTS.body
    const given = pointsOf(idf, own, PASSAGE_NORM) - restPoints
    points[start + block] = (points[start + block] as number) + given
  }
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    at = seek(term.rows, row, at)
    if (term.rows[at] !== row) continue
    const newest = findList(lists, ats, row)
    const { from: ends, blocks } = lists[newest] ?? NO_BLOCKS
    const first = ends[ats[newest] ?? 0] ?? 0
    const end = ends[(ats[newest] ?? 0) + 1] ?? 0
    start = from[i] as number
    rest = (frequency[tallies[at] as number] as number) - (end - first) * COLUMN_WEIGHTS.body
    restPoints = pointsOf(idf, rest, PASSAGE_NORM)
    everywhere[i] = (everywhere[i] as number) + restPoints
    let before = -1
    for (let next = first; next < end; ) {
      const [block, here] = [blocks[next] as number, next]
      while (next < end && blocks[next] === block) next++
      let after = next
      while (after < end && blocks[after] === block + 1) after++
      if (block > 0 && before !== block - 1) give(block - 1, next - here)
      give(block, after - here)
      before = block
    }
  }
}

/** The first list that knows the row, its index in `ats`: the newest is the first, and hides what older ones say. */
function findList(lists: readonly BlockList[], ats: number[], row: number): number {
  for (let i = 0; i < lists.length; i++) {
    const { rows } = lists[i] as BlockList
    ats[i] = seek(rows, row, ats[i])
    if (rows[ats[i] as number] === row) return i
  }
  return -1
}
