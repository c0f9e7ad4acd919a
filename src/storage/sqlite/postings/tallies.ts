/** Encodes how often a word is in each column of a row as one small number, and weighs it. */

import { roundFrequency } from '../../bm25.js'
import { expectThat } from './fts5-pages.js'

/** The code of a row that no longer holds the word. */
export const NOWHERE = 0
const MAX_CODES = 65_536
/** A number of this value in a list of positions says that the next one names a column. */
export const COLUMN_MARK = 1

/**
 * Rows share few tallies: once in the body, twice in the body, once in the title and three times in the body. Each gets a
 * code of sixteen bits when it is first seen.
 */
export class Tallies {
  readonly #weights: readonly number[]
  readonly #counts: (readonly number[])[] = [[]]
  readonly #codes = new Map<number | string, number>()
  readonly #frequencies = new Map<number, Float64Array>()
  readonly #scratch: number[]

  constructor(weights: readonly number[]) {
    this.#weights = weights
    this.#scratch = weights.map(() => 0)
  }

  get columns(): number {
    return this.#weights.length
  }

  encode(counts: readonly number[]): number {
    let packed = 0
    let largest = 0
    // Small counts fit into one small integer, which a Map finds quickest: this runs for every row of a list.
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i] as number
      packed = packed * 64 + count
      largest = Math.max(largest, count)
    }
    const key = largest < 64 ? packed : counts.join()
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    const code = this.#counts.length
    expectThat(code < MAX_CODES, 'few different tallies')
    this.#counts.push([...counts])
    this.#codes.set(key, code)
    return code
  }

  /** Counts the positions in `bytes` between `from` and `to`, as FTS5 stores them. */
  encodePositions(bytes: Uint8Array, from: number, to: number): number {
    if (from === to) return NOWHERE
    const counts = this.#scratch.fill(0)
    let column = 0
    let at = from
    while (at < to) {
      const byte = bytes[at++] as number
      if (byte === COLUMN_MARK) {
        const next = bytes[at++] as number
        expectThat(next > column && next < counts.length, 'a column')
        column = next
        continue
      }
      if (byte >= 128) while ((bytes[at++] as number) >= 128);
      counts[column] = (counts[column] as number) + 1
    }
    expectThat(at === to && (counts[column] as number) > 0, 'whole positions')
    return this.encode(counts)
  }

  /** For each code the frequency in the columns of the mask, 0 where it is in none of them. */
  frequencies(mask: number): Float64Array {
    const known = this.#frequencies.get(mask)
    if (known?.length === this.#counts.length) return known
    const values = Float64Array.from(this.#counts, (counts) => {
      let frequency = 0
      for (const [column, count] of counts.entries()) {
        if ((mask & (1 << column)) !== 0) frequency += count * (this.#weights[column] ?? 0)
      }
      return roundFrequency(frequency)
    })
    this.#frequencies.set(mask, values)
    return values
  }
}
