/** The rows of one term in one segment come one by one, each with its positions in one piece. */

import { firstRowOf, firstTermOf, footerOf, HEADER_BYTES, type Place } from './leaf-page.js'
import { expectThat } from './unreadable.js'

/** Rows are kept in 32 bits, and arrays are as long as the last one: a file that counts further is SQL's. */
export const LAST_ROW = 2 ** 26

/** The positions are `bytes` between `from` and `to`. */
export type TakeEntry = (row: number, bytes: Uint8Array, from: number, to: number) => boolean

/** The next leaf page of the segment; null after its last. */
export type NextPage = () => Uint8Array | null

/**
 * Each entry is the row (less the one before, but for the first of a page), twice the length of its positions plus 1
 * where it takes the place of an older entry, and the positions. An entry without positions says that the row is gone.
 */
export class Doclist {
  row = -1
  /** The positions are `bytes` between `from` and `to`. */
  bytes: Uint8Array
  from = 0
  to = 0

  #page: Uint8Array
  #at: number
  #end: number
  #isCut: boolean
  #isFirst = true
  /** Where the first row of a page must stand that was turned to. */
  #firstRow = -1
  #scratch = new Uint8Array(0)
  readonly #nextPage: NextPage

  constructor(page: Uint8Array, place: Place, nextPage: NextPage) {
    this.#page = page
    this.bytes = page
    this.#at = place.start
    this.#end = place.end
    this.#isCut = place.isCut
    this.#nextPage = nextPage
  }

  /** False after the last one. */
  next(): boolean {
    if (this.#at >= this.#end && !this.#turnToRow()) return false
    const page = this.#page
    let at = this.#at
    let value = 0
    let byte = page[at++] as number
    while (byte >= 128) {
      value = value * 128 + (byte & 127)
      byte = page[at++] as number
    }
    value = value * 128 + byte
    if (this.#isFirst) {
      expectThat(this.#firstRow === -1 || this.#firstRow === this.#at, 'the first row of a page')
      expectThat(value > this.row, 'rows in order')
      this.row = value
      this.#isFirst = false
    } else {
      expectThat(value > 0, 'rows in order')
      this.row += value
    }
    expectThat(this.row <= LAST_ROW, 'a row in reach')
    let size = 0
    byte = page[at++] as number
    while (byte >= 128) {
      size = size * 128 + (byte & 127)
      byte = page[at++] as number
    }
    size = size * 128 + byte
    // Also where a number ran over the end and became NaN.
    expectThat(at <= this.#end && size >= 1, 'a whole entry')
    size = (size - (size & 1)) / 2
    this.#at = at
    if (at + size <= this.#end) {
      this.bytes = page
      this.from = at
      this.to = at + size
      this.#at = at + size
    } else {
      this.#gather(size)
    }
    return true
  }

  /**
   * All that is left: what `next` does entry by entry, without its fields where an entry ends on its page. `take` gets
   * the row and its positions, and says whether to go on.
   */
  drain(take: TakeEntry): void {
    while (this.next()) {
      if (!take(this.row, this.bytes, this.from, this.to)) return
      if (this.#isFirst) continue
      const page = this.#page
      const end = this.#end
      let row = this.row
      let at = this.#at
      while (at < end) {
        let after = at
        let step = page[after++] as number
        if (step >= 128) {
          let byte = 128
          for (step &= 127; byte >= 128; step = step * 128 + (byte & 127)) {
            byte = page[after++] as number
          }
        }
        let size = page[after++] as number
        if (size >= 128) {
          let byte = 128
          for (size &= 127; byte >= 128; size = size * 128 + (byte & 127)) {
            byte = page[after++] as number
          }
        }
        const to = after + (size >>> 1)
        // Goes on on the next page.
        if (to > end) break
        row += step
        expectThat(step > 0 && size >= 1 && row <= LAST_ROW, 'a whole entry')
        at = to
        if (!take(row, page, after, to)) return
      }
      this.#at = at
      this.row = row
    }
  }

  /** Positions that go on on the next pages. */
  #gather(size: number): void {
    if (this.#scratch.length < size) this.#scratch = new Uint8Array(size)
    let gathered = 0
    while (gathered < size) {
      if (this.#at >= this.#end) expectThat(this.#turn(), 'the rest of the positions')
      const piece = Math.min(size - gathered, this.#end - this.#at)
      this.#scratch.set(this.#page.subarray(this.#at, this.#at + piece), gathered)
      gathered += piece
      this.#at += piece
    }
    this.bytes = this.#scratch
    this.from = 0
    this.to = size
  }

  #turnToRow(): boolean {
    // Where nothing stands before the first term of a page, the list ended with the page before.
    while (this.#at >= this.#end) if (!this.#turn()) return false
    return true
  }

  #turn(): boolean {
    if (!this.#isCut) return false
    const page = this.#nextPage()
    if (page === null) {
      this.#isCut = false
      return false
    }
    this.#page = page
    this.#at = HEADER_BYTES
    this.#end = firstTermOf(page)
    this.#isCut = this.#end === footerOf(page) && footerOf(page) === page.length
    this.#isFirst = true
    this.#firstRow = firstRowOf(page)
    return true
  }
}
