/** Where the words of long texts stand, and the points of their best passage. */

import {
  BODY_COLUMN,
  COLUMN_WEIGHTS,
  normOf,
  PASSAGE_WORDS,
  pointsOf,
  roundFrequency,
} from '../bm25.js'
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
const NO_BLOCKS = new Uint16Array(0)

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

/** The newest list first. */
function findBlocks(lists: readonly BlockList[], row: number): Uint16Array {
  for (const { rows, from, blocks } of lists) {
    const at = seek(rows, row)
    if (rows[at] === row) return blocks.subarray(from[at], from[at + 1])
  }
  return NO_BLOCKS
}

/** Only rows of long texts have passages. */
export function scorePassages(
  found: readonly ScoredRow[],
  terms: readonly Term[],
  rowLengths: Pick<RowLengths, 'isLong'>,
): ScoredRow[] {
  return found
    .filter(({ row }) => rowLengths.isLong(row))
    .map(({ row }) => ({ row, bm25: -scoreBestPassage(row, terms) }))
}

/**
 * The points of the best passage, each as long as any other; what is not the body belongs to all of them.
 * By hand, blocks of a word [0, 4, 5] and of another [5]: the passage of blocks 4 and 5 has the first twice, the other once.
 */
function scoreBestPassage(row: number, terms: readonly Term[]): number {
  let everywhere = 0
  const points: number[] = [0]
  for (const { rows, tallies, frequency, idf, columns, blocks: lists } of terms) {
    const at = seek(rows, row)
    if (rows[at] !== row) continue
    const all = frequency[tallies[at] as number] as number
    const blocks = (columns & BODY) === 0 ? NO_BLOCKS : findBlocks(lists, row)
    const inBody = blocks.length * COLUMN_WEIGHTS.body
    const elsewhere = pointsOf(idf, roundFrequency(all - inBody), PASSAGE_NORM)
    everywhere += elsewhere
    const give = (passage: number, count: number): void => {
      while (points.length <= passage) points.push(0)
      const own = roundFrequency(all - inBody + count * COLUMN_WEIGHTS.body)
      points[passage] = (points[passage] as number) + pointsOf(idf, own, PASSAGE_NORM) - elsewhere
    }
    let [block, count] = [-2, 0]
    for (let i = 0; i < blocks.length; ) {
      const next = blocks[i] as number
      let following = 0
      for (; blocks[i] === next; i++) following++
      if (count > 0) give(block, next === block + 1 ? count + following : count)
      if (next > 0 && next !== block + 1) give(next - 1, following)
      block = next
      count = following
    }
    if (count > 0) give(block, count)
  }
  return everywhere + points.reduce((most, own) => Math.max(most, own))
}
