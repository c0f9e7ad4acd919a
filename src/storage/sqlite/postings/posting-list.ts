/** Lists of rows are put together, narrowed and crossed, always in the order of the rows. */

import { NOWHERE, type Tallies } from './tallies.js'

/** The rows that hold something, ascending, and for each the code of its tally. */
export type PostingList = { readonly rows: Uint32Array; readonly tallies: Uint16Array }

export const EMPTY: PostingList = { rows: new Uint32Array(0), tallies: new Uint16Array(0) }

export function bytesOf({ rows }: PostingList): number {
  return rows.length * (Uint32Array.BYTES_PER_ELEMENT + Uint16Array.BYTES_PER_ELEMENT)
}

/** Grows as a list is read; one list after the other in the same memory. */
export class ListBuilder {
  #rows = new Uint32Array(64)
  #tallies = new Uint16Array(64)
  #length = 0

  /** True, for whoever asks whether to go on. */
  add(row: number, tally: number): true {
    if (this.#length === this.#rows.length) this.#grow()
    this.#rows[this.#length] = row
    this.#tallies[this.#length++] = tally
    return true
  }

  /** The list, in memory of its own; the next one begins. */
  build(): PostingList {
    const length = this.#length
    this.#length = 0
    return { rows: this.#rows.slice(0, length), tallies: this.#tallies.slice(0, length) }
  }

  #grow(): void {
    const [rows, tallies] = [this.#rows, this.#tallies]
    this.#rows = new Uint32Array(2 * rows.length)
    this.#tallies = new Uint16Array(2 * rows.length)
    this.#rows.set(rows)
    this.#tallies.set(tallies)
  }
}

/** Lists of one term, the newest segment's first; for a row that several have, the newest decides. */
export function mergeNewestFirst(lists: readonly PostingList[]): PostingList {
  // From the newest to the oldest, so that what is copied again and again is the little that is new.
  const merged = lists.reduce((newer, older) => mergeTwo(older, newer), EMPTY)
  return merged.tallies.includes(NOWHERE) ? onlyWhere(merged, (tally) => tally !== NOWHERE) : merged
}

function mergeTwo(older: PostingList, newer: PostingList): PostingList {
  if (older.rows.length === 0) return newer
  if (newer.rows.length === 0) return older
  const size = older.rows.length + newer.rows.length
  const rows = new Uint32Array(size)
  const tallies = new Uint16Array(size)
  if ((older.rows.at(-1) ?? 0) < (newer.rows[0] ?? 0)) {
    rows.set(older.rows)
    rows.set(newer.rows, older.rows.length)
    tallies.set(older.tallies)
    tallies.set(newer.tallies, older.rows.length)
    return { rows, tallies }
  }
  let length = 0
  let i = 0
  let j = 0
  while (i < older.rows.length || j < newer.rows.length) {
    const left = i < older.rows.length ? (older.rows[i] as number) : Number.POSITIVE_INFINITY
    const right = j < newer.rows.length ? (newer.rows[j] as number) : Number.POSITIVE_INFINITY
    if (left < right) {
      rows[length] = left
      tallies[length++] = older.tallies[i++] as number
      continue
    }
    if (left === right) i++
    rows[length] = right
    tallies[length++] = newer.tallies[j++] as number
  }
  return { rows: rows.slice(0, length), tallies: tallies.slice(0, length) }
}

/** Those that stand in one of the columns; the same list where all of them do. */
export function inColumns(list: PostingList, tallies: Tallies, mask: number): PostingList {
  if (mask === tallies.everyColumn || tallies.allStandIn(mask)) return list
  const frequency = tallies.frequencies(mask)
  const isThere = (tally: number): boolean => (frequency[tally] ?? 0) > 0
  return list.tallies.every(isThere) ? list : onlyWhere(list, isThere)
}

function onlyWhere(list: PostingList, holds: (tally: number) => boolean): PostingList {
  const kept = new ListBuilder()
  for (let i = 0; i < list.rows.length; i++) {
    const tally = list.tallies[i] as number
    if (holds(tally)) kept.add(list.rows[i] as number, tally)
  }
  return kept.build()
}

/** The first place at or after `from` whose row is not before `row`; the length where there is none. */
export function seek(rows: Uint32Array, row: number, from = 0): number {
  let step = 1
  let low = from
  let high = from
  while (high < rows.length && (rows[high] as number) < row) {
    low = high + 1
    high += step
    step *= 2
  }
  if (high > rows.length) high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle] as number) < row) low = middle + 1
    else high = middle
  }
  return low
}

/** The rows that are in all of the lists. */
export function rowsInAll(lists: readonly PostingList[]): Uint32Array {
  const [shortest = EMPTY, ...others] = lists.toSorted((a, b) => a.rows.length - b.rows.length)
  const places = new Uint32Array(others.length)
  return shortest.rows.filter((row) =>
    others.every(({ rows }, i) => {
      const place = seek(rows, row, places[i])
      places[i] = place
      return rows[place] === row
    }),
  )
}
