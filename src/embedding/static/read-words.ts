/** Promise: a part of a text that was read as a whole counts and means what it would if it were read alone. */

import type { ReadText } from '../embedder.js'
import type { GatedSum } from './gated-sum.js'
import { DIMENSIONS } from './kernels.js'
import { WORD, type WordPieces } from './word-pieces.js'

/** To make an array takes a microsecond, so the vectors of many passages lie in one. */
const VECTORS_AT_ONCE = 64

export type WordReaderParts = {
  /** Of nobody else: what was read last stays in it. */
  readonly pieces: WordPieces
  readonly sum: GatedSum
  countTokens(part: string): number
  embed(part: string): Float32Array
}

/**
 * Words are read one by one and no word changes its neighbours, so a part that begins and ends between two of them has
 * the ids that the whole has there. Any other part is read alone. To cut an abstract into chunks and embed them reads
 * every word once instead of four to five times.
 */
export class WordReader {
  readonly #parts: WordReaderParts
  #room = new Float32Array(0)
  #current: ReadText | null = null

  constructor(parts: WordReaderParts) {
    this.#parts = parts
  }

  read(text: string): ReadText {
    const { pieces, sum, countTokens, embed } = this.#parts
    pieces.readWords(text)
    const read: ReadText = {
      countTokens: (start, end) => {
        this.#assertCurrent(read)
        const [from, to] = [this.#placeOf(start), this.#placeOf(end)]
        if (from < 0 || to < 0) return countTokens(text.slice(start, end))
        return this.#before(to, WORD.tokens) - this.#before(from, WORD.tokens)
      },
      embed: (start, end) => {
        this.#assertCurrent(read)
        const [from, to] = [this.#placeOf(start), this.#placeOf(end)]
        if (from < 0 || to < 0) return embed(text.slice(start, end))
        const ids = pieces.ids.subarray(this.#before(from, WORD.ids), this.#before(to, WORD.ids))
        return sum.vectorOf(ids, this.#takeRoom())
      },
    }
    this.#current = read
    return read
  }

  #assertCurrent(read: ReadText): void {
    if (this.#current !== read) throw new Error('another text was read since')
  }

  /** The place in the list of words after the last one that ends before `at`; -1 where `at` lies inside a word. */
  #placeOf(at: number): number {
    const { words, wordsEnd } = this.#parts.pieces
    let low = 0
    let high = wordsEnd / WORD.width
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((words[middle * WORD.width + WORD.end] as number) <= at) low = middle + 1
      else high = middle
    }
    const place = low * WORD.width
    const isInside = place < wordsEnd && (words[place + WORD.start] as number) < at
    return isInside ? -1 : place
  }

  /** The ids or tokens of all words before a place. */
  #before(place: number, what: number): number {
    return place === 0 ? 0 : (this.#parts.pieces.words[place - WORD.width + what] as number)
  }

  #takeRoom(): Float32Array {
    if (this.#room.length === 0) this.#room = new Float32Array(DIMENSIONS * VECTORS_AT_ONCE)
    const taken = this.#room.subarray(0, DIMENSIONS)
    this.#room = this.#room.subarray(DIMENSIONS)
    return taken
  }
}
