/** How often a word stands in each column of a row is one small number, and its frequency is FTS5's own. */

import { expectThat } from './unreadable.js'

/** No tally has this code. */
export const NOWHERE = 0
const MAX_CODES = 65_536
/** Counts of so many bits get their code from a table, without a look into a map. */
const FEW_BITS = 3
const FEW = 1 << FEW_BITS
/** Of the first columns; all of them, in the tables that there are. */
const TABLE_COLUMNS = 5
/** Counts below this make one number of all columns together. */
const MANY = 1024

/**
 * Rows share few tallies: once in the body, twice in the body, once in the title and three times in the body. Each
 * gets a code of sixteen bits when it is first seen.
 */
export class Tallies {
  readonly #weights: readonly number[]
  readonly #counts: number[][] = [[]]
  readonly #few = new Uint16Array(1 << (FEW_BITS * TABLE_COLUMNS))
  readonly #codes = new Map<number | string, number>()
  readonly #frequencies = new Map<number, { values: Float64Array; filled: number }>()

  /** A weight for each column. */
  constructor(weights: readonly number[]) {
    this.#weights = weights
  }

  get columns(): number {
    return this.#weights.length
  }

  /** The mask of all columns. */
  get everyColumn(): number {
    return 2 ** this.columns - 1
  }

  /** The code of a word that stands `count` times in one column and nowhere else. */
  codeOfSingle(column: number, count: number): number {
    if (count < FEW && column < TABLE_COLUMNS) {
      const known = this.#few[count << (FEW_BITS * column)] as number
      if (known !== NOWHERE) return known
    }
    return this.codeOf(this.#weights.map((_, i) => (i === column ? count : 0)))
  }

  /** The code of these counts, one for each column. */
  codeOf(counts: ArrayLike<number>): number {
    const place = placeOf(counts, this.columns)
    const quick = place === -1 ? NOWHERE : (this.#few[place] as number)
    if (quick !== NOWHERE) return quick
    const key = keyOf(counts, this.columns)
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    const code = this.#counts.length
    expectThat(code < MAX_CODES, 'few different tallies')
    this.#counts.push(Array.from(counts).slice(0, this.columns))
    this.#codes.set(key, code)
    if (place !== -1) this.#few[place] = code
    return code
  }

  /**
   * For each code the frequency in the columns of the mask, 0 where it stands in none of them. Added up one by one,
   * as FTS5 does: a sum of fractions depends on the order.
   */
  frequencies(mask: number): Float64Array {
    const known = this.#frequencies.get(mask) ?? { values: new Float64Array(0), filled: 0 }
    const codes = this.#counts.length
    if (known.values.length < codes) {
      const grown = new Float64Array(Math.max(256, 2 * codes))
      grown.set(known.values)
      known.values = grown
    }
    for (; known.filled < codes; known.filled++) {
      known.values[known.filled] = this.#weigh(this.#counts[known.filled] ?? [], mask)
    }
    this.#frequencies.set(mask, known)
    return known.values
  }

  /** Whether every tally that was ever seen stands in one of the columns: then no list need be gone through. */
  allStandIn(mask: number): boolean {
    const values = this.frequencies(mask)
    for (let code = NOWHERE + 1; code < this.#counts.length; code++) {
      if ((values[code] as number) === 0) return false
    }
    return true
  }

  #weigh(counts: readonly number[], mask: number): number {
    let frequency = 0
    for (const [column, count] of counts.entries()) {
      if ((mask & (1 << column)) === 0) continue
      for (let i = 0; i < count; i++) frequency += this.#weights[column] ?? 0
    }
    return frequency
  }
}

/** In the table; -1 where a count or the number of columns is too large for it. */
function placeOf(counts: ArrayLike<number>, columns: number): number {
  if (columns > TABLE_COLUMNS) return -1
  let place = 0
  for (let column = 0; column < columns; column++) {
    const count = counts[column] as number
    if (count >= FEW) return -1
    place |= count << (FEW_BITS * column)
  }
  return place
}

function keyOf(counts: ArrayLike<number>, columns: number): number | string {
  let key = 0
  for (let column = 0; column < columns; column++) {
    const count = counts[column] ?? 0
    if (count >= MANY) return Array.from(counts).join()
    key = key * MANY + count
  }
  return key
}
