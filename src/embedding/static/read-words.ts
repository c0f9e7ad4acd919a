/** A part of a text that was read as a whole counts and means what it would if it were read alone. */

import { ArrayRoom } from '../../core/array-room.js'
import type { ReadText } from '../embedder.js'
import { WORD } from './found-pieces.js'
import type { GatedSum } from './gated-sum.js'
import { DIMENSIONS } from './model-file.js'
import type { PieceReader } from './word-pieces.js'

export type WordReaderParts = {
  /** Of nobody else: what was read last stays in it. */
  readonly pieces: PieceReader
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
  readonly #room = new ArrayRoom((length) => new Float32Array(length))
  #current: ReadText | null = null

  constructor(parts: WordReaderParts) {
    this.#parts = parts
  }

  read(text: string): ReadText {
    const { pieces, sum, countTokens, embed } = this.#parts
    const { ids, places, words } = pieces.read(text)
    const before = (place: number, what: number) => words[place * WORD.width + what] as number
    const read: ReadText = {
      countTokens: (start, end) => {
        this.#assertCurrent(read)
        const from = places[start] as number
        const to = places[end] as number
        if (from < 0 || to < 0) return countTokens(text.slice(start, end))
        return before(to, WORD.tokens) - before(from, WORD.tokens)
      },
      embed: (start, end) => {
        this.#assertCurrent(read)
        const from = places[start] as number
        const to = places[end] as number
        if (from < 0 || to < 0) return embed(text.slice(start, end))
        const part = ids.subarray(before(from, WORD.ids), before(to, WORD.ids))
        return sum.vectorOf(part, this.#room.take(DIMENSIONS))
      },
    }
    this.#current = read
    return read
  }

  #assertCurrent(read: ReadText): void {
    if (this.#current !== read) throw new Error('another text was read since')
  }
}
