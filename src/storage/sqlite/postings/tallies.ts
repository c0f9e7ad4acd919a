/** Encodes the frequencies of a word in the columns of a row as one 16-bit code, and weights them. */

import { roundFrequency } from '../../bm25.js'
import { expectThat } from './fts5-pages.js'

/** The code of a row that was deleted or no longer holds the word. */
export const NOWHERE = 0
const MAX_CODES = 65_536
/** In a position list of FTS5, this value announces that the next number is a column. */
export const COLUMN_MARK = 1
/** The base of the keys: counts below it, in nine columns, make one safe integer. */
const KEY_BASE = 59

/**
 * A tally is the frequency of a word in each column of a row, such as once in the title and three times in the body. Few
 * different tallies occur, so each gets a 16-bit code when it is first seen.
 */
export class Tallies {
  readonly #weights: readonly number[]
  readonly #counts: (readonly number[])[] = [[]]
  readonly #codes = new Map<number | string, number>()
  readonly #frequencies = new Map<number, Float64Array>()
  /** The value that one occurrence in each column adds to the key of a tally. */
  readonly #units: readonly number[]

  constructor(weights: readonly number[]) {
    this.#weights = weights
    this.#units = weights.map((_, column) => KEY_BASE ** column)
  }

  get columns(): number {
    return this.#weights.length
  }

  encode(counts: readonly number[]): number {
    let sum = 0
    let most = 0
    for (let i = 0; i < counts.length; i++) {
      sum += (counts[i] as number) * (this.#units[i] as number)
      most = Math.max(most, counts[i] as number)
    }
    const key = most < KEY_BASE ? sum : counts.join()
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    const code = this.#counts.length
    expectThat(code < MAX_CODES, 'few different tallies')
    this.#counts.push([...counts])
    this.#codes.set(key, code)
    return code
  }

  /** Encodes a position list in the format of FTS5: the bytes from `from` to before `to`. */
  encodePositions(bytes: Uint8Array, from: number, to: number): number {
    if (from === to) return NOWHERE
    // Computes the key of `encode` directly. This runs for every row of a list, and filling an array of counts takes
    // three times as long.
    let key = 0
    let column = 0
    let count = 0
    let most = 0
    let at = from
    while (at < to) {
      const byte = bytes[at++] as number
      if (byte === COLUMN_MARK) {
        const next = bytes[at++] as number
        expectThat(next > column && next < this.columns, 'a column')
        key += count * (this.#units[column] as number)
        if (count > most) most = count
        column = next
        count = 0
        continue
      }
      if (byte >= 128) while ((bytes[at++] as number) >= 128);
      count++
    }
    expectThat(at === to && count > 0, 'whole positions')
    key += count * (this.#units[column] as number)
    const known = Math.max(most, count) < KEY_BASE ? this.#codes.get(key) : undefined
    return known ?? this.encode(this.#countPositions(bytes, from, to))
  }

  #countPositions(bytes: Uint8Array, from: number, to: number): readonly number[] {
    const counts = this.#weights.map(() => 0)
    let column = 0
    for (let at = from; at < to; at++) {
      if (bytes[at] === COLUMN_MARK) column = bytes[++at] as number
      else {
        while ((bytes[at] as number) >= 128) at++
        counts[column] = (counts[column] as number) + 1
      }
    }
    return counts
  }

  /** Returns the weighted frequency in the columns of the mask, indexed by tally code; 0 if it is in none of them. */
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
