/** Adds up the words of each row from the column sizes that FTS5 stores. */

import { createFastLoops } from '../../../core/fast-loops.js'
import { expectThat } from './fts5-pages.js'
import { SIZES_BASE64 } from './sizes.wasm.js'

/** Rows per call of the loop. */
export const BLOCK_ROWS = 16_384
/** A varint of up to four bytes for each of ten columns. */
const MAX_ROW_BYTES = 40
const WORDS = BLOCK_ROWS * MAX_ROW_BYTES
const TEXT_WORDS = WORDS + 4 * BLOCK_ROWS
const MEMORY_BYTES = TEXT_WORDS + 4 * BLOCK_ROWS
const TOO_LARGE = 2 ** 24

/**
 * Reads sizes from address `at` and writes the sums of `count` rows to `words`, and the sums of the columns in the mask
 * to `textWords`. The first search of a process reads all rows: JavaScript, which is still interpreted then, takes 6 ms
 * for 10,000 rows; WebAssembly takes 0.3 ms.
 */
type SizeLoops = {
  sum(
    ...given: [
      at: number,
      end: number,
      count: number,
      columns: number,
      textColumns: number,
      words: number,
      textWords: number,
    ]
  ): number
  /** The number of words of the longest row so far. */
  longest(): number
}

export type SizeSums = {
  readonly words: Uint32Array
  readonly textWords: Uint32Array
  /** The number of words of the longest row that this reader has seen. */
  readonly longest: number
}
export type SizeReader = (bytes: Uint8Array, count: number) => Iterable<SizeSums>

/** Creates a generator of the sums of `count` rows, one block at a time. Each block overwrites the one before. */
export function createSizeReader(isText: readonly boolean[], wasm = true): SizeReader {
  const fast = wasm ? createFastLoops<SizeLoops>(SIZES_BASE64, MEMORY_BYTES) : null
  const buffer = fast?.buffer ?? new ArrayBuffer(MEMORY_BYTES)
  const { sum, longest } = fast?.loops ?? createPlainLoops(buffer)
  const memory = new Uint8Array(buffer)
  const textColumns = isText.reduce((mask, own, column) => mask | (own ? 1 << column : 0), 0)
  return function* readSizes(bytes, count) {
    let at = 0
    for (let left = count; left > 0; left -= BLOCK_ROWS) {
      const rows = Math.min(left, BLOCK_ROWS)
      const part = bytes.subarray(at, at + WORDS)
      memory.set(part)
      const end = sum(0, part.length, rows, isText.length, textColumns, WORDS, TEXT_WORDS)
      expectThat(end >= 0, 'a size for each row and column')
      at += end
      yield {
        words: new Uint32Array(buffer, WORDS, rows),
        textWords: new Uint32Array(buffer, TEXT_WORDS, rows),
        longest: longest(),
      }
    }
    expectThat(at === bytes.length, 'a size for each row and column')
  }
}

function createPlainLoops(buffer: ArrayBuffer): SizeLoops {
  const bytes = new Uint8Array(buffer)
  const sums = new Uint32Array(buffer)
  let longest = 0
  return {
    longest: () => longest,
    sum(from, end, count, columns, textColumns, words, textWords) {
      let at = from
      for (let row = 0; row < count; row++) {
        let [all, text] = [0, 0]
        for (let column = 0; column < columns; column++) {
          let size = 0
          let byte = 128
          while (byte > 127) {
            if (at >= end || size >= TOO_LARGE) return -1
            byte = bytes[at++] as number
            size = size * 128 + (byte & 127)
          }
          if (size >= TOO_LARGE) return -1
          all += size
          if ((textColumns >> column) & 1) text += size
        }
        longest = Math.max(longest, all)
        sums[words / 4 + row] = all
        sums[textWords / 4 + row] = text
      }
      return at
    },
  }
}
