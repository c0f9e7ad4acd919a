/** Where a term stands in a row is read from the bytes that FTS5 keeps of it: counted, or place by place. */

import type { Doclist } from './doclist.js'
import { NOWHERE, type Tallies } from './tallies.js'
import { expectThat } from './unreadable.js'

/** A number of this value says that the next one names a column. */
const COLUMN_MARK = 1
/** What is added to every step between two positions, so that none looks like the mark. */
const STEP_BIAS = 2
/** Columns lie this far apart where a position is one number. */
export const COLUMN_STRIDE = 2 ** 32

/** Gives the code of how often in which columns an entry stands. */
export function createTallyReader(tallies: Tallies) {
  const counts = new Uint32Array(tallies.columns)
  return (bytes: Uint8Array, from: number, to: number): number => {
    if (from === to) return NOWHERE
    let at = from
    let column = 0
    let count = 0
    let isSingle = true
    if (bytes[at] === COLUMN_MARK) {
      column = bytes[at + 1] as number
      at += 2
      expectThat(column > 0 && column < counts.length, 'a column')
    }
    while (at < to) {
      const byte = bytes[at++] as number
      if (byte === COLUMN_MARK) {
        if (isSingle) counts.fill(0)
        isSingle = false
        counts[column] = count
        const next = bytes[at++] as number
        expectThat(count > 0 && next > column && next < counts.length, 'a column')
        column = next
        count = 0
        continue
      }
      if (byte >= 128) while ((bytes[at++] as number) >= 128);
      count++
    }
    expectThat(count > 0 && at === to, 'whole positions')
    if (isSingle) return tallies.codeOfSingle(column, count)
    counts[column] = count
    return tallies.codeOf(counts)
  }
}

/** The positions of a term in some rows: those of the i-th row are `at` between `from[i]` and `to[i]`. */
export class Positions {
  at: Float64Array
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly #rows: Uint32Array
  readonly #isKnown: Uint8Array
  #length = 0

  /** Rows ascending. */
  constructor(rows: Uint32Array) {
    this.#rows = rows
    this.#isKnown = new Uint8Array(rows.length)
    this.at = new Float64Array(2 * rows.length)
    this.from = new Uint32Array(rows.length)
    this.to = new Uint32Array(rows.length)
  }

  /** Takes those of rows that have none yet: segments give theirs from the newest to the oldest. */
  take(doclist: Doclist): void {
    const wanted = this.#rows
    let place = 0
    doclist.drain((row, bytes, from, to) => {
      while (place < wanted.length && (wanted[place] as number) < row) place++
      if (wanted[place] === row && this.#isKnown[place] === 0) {
        this.#isKnown[place] = 1
        this.from[place] = this.#length
        this.#read(bytes, from, to)
        this.to[place] = this.#length
      }
      return place < wanted.length
    })
  }

  #read(bytes: Uint8Array, from: number, to: number): void {
    // No position takes less than a byte.
    if (this.#length + to - from > this.at.length) {
      const grown = new Float64Array(2 * (this.#length + to - from))
      grown.set(this.at)
      this.at = grown
    }
    const positions = this.at
    let length = this.#length
    let at = from
    let position = 0
    while (at < to) {
      let value = bytes[at++] as number
      if (value === COLUMN_MARK) {
        position = (bytes[at++] as number) * COLUMN_STRIDE
        continue
      }
      if (value >= 128) {
        let byte = 128
        for (value &= 127; byte >= 128; value = value * 128 + (byte & 127)) {
          byte = bytes[at++] as number
        }
      }
      position += value - STEP_BIAS
      positions[length++] = position
    }
    expectThat(at === to, 'whole positions')
    this.#length = length
  }
}
