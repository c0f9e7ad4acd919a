/** The word pieces of the model, found by a rolling hash without making a string. */

import { badModel } from './model-file.js'

const CONTINUATION_MARK = '##'
const NEWLINE = 10
/** Two seeds keep `ing` and `##ing` apart. */
const START_SEED = 0x811c9dc5 | 0
const CONTINUATION_SEED = 0x2b5f1d37

/** One step of FNV-1a on UTF-16 units. */
function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193)
}

/**
 * All pieces as one pool of characters and an open-addressing table of ids: 1 MB for 32,000 pieces. A Map of strings takes
 * five times that, and cutting and hashing a string for every look-up takes three times as long.
 */
export class Vocabulary {
  readonly size: number
  /** The hashes of the beginnings of the current word; as many as the longest piece has units. */
  readonly #hashes: Int32Array
  readonly #pool: Uint16Array
  /** Where each piece begins in the pool; one more than there are pieces. */
  readonly #starts: Uint32Array
  readonly #continues: Uint8Array
  readonly #slots: Int32Array
  readonly #mask: number

  /** `text` holds one piece per line; the line number is the id. */
  constructor(text: string) {
    this.size = countLines(text)
    this.#pool = new Uint16Array(text.length)
    this.#starts = new Uint32Array(this.size + 1)
    this.#continues = new Uint8Array(this.size)
    let slotCount = 1024
    while (slotCount < this.size * 2) slotCount *= 2
    this.#slots = new Int32Array(slotCount).fill(-1)
    this.#mask = slotCount - 1
    this.#hashes = new Int32Array(this.#fill(text))
  }

  /** The longest piece that begins at `word[from]`, or -1. A piece that does not begin a word is a continuation. */
  findLongest(word: Uint16Array, from: number, end: number): number {
    const hashes = this.#hashes
    let hash = from === 0 ? START_SEED : CONTINUATION_SEED
    let length = 0
    while (length < hashes.length && from + length < end) {
      hash = hashStep(hash, word[from + length] as number)
      hashes[length++] = hash
    }
    for (; length > 0; length--) {
      const id = this.#find(word, from, length)
      if (id >= 0) return id
    }
    return -1
  }

  /** Units of a piece. */
  lengthOf(id: number): number {
    return (this.#starts[id + 1] as number) - (this.#starts[id] as number)
  }

  /** The piece of this length; its hash is in `#hashes`. */
  #find(word: Uint16Array, from: number, length: number): number {
    const hash = this.#hashes[length - 1] as number
    const continues = from === 0 ? 0 : 1
    const mask = this.#mask
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const id = this.#slots[slot] as number
      if (id < 0) return -1
      if (this.lengthOf(id) !== length || this.#continues[id] !== continues) continue
      const start = this.#starts[id] as number
      let i = 0
      while (i < length && this.#pool[start + i] === word[from + i]) i++
      if (i === length) return id
    }
  }

  /** Returns the length of the longest piece. Splitting the text into 32,000 strings would take longer than all the rest. */
  #fill(text: string): number {
    let end = 0
    let longest = 0
    let at = 0
    for (let id = 0; id < this.size; id++) {
      const continues = text.startsWith(CONTINUATION_MARK, at)
      if (continues) at += CONTINUATION_MARK.length
      let hash = continues ? CONTINUATION_SEED : START_SEED
      const start = end
      this.#starts[id] = start
      this.#continues[id] = continues ? 1 : 0
      for (; at < text.length; at++) {
        const unit = text.charCodeAt(at)
        if (unit === NEWLINE) break
        this.#pool[end++] = unit
        hash = hashStep(hash, unit)
      }
      at++
      if (end === start) throw badModel(`Line ${id + 1} of the word piece list is empty.`)
      longest = Math.max(longest, end - start)
      let slot = (hash ^ (hash >>> 15)) & this.#mask
      while ((this.#slots[slot] as number) >= 0) slot = (slot + 1) & this.#mask
      this.#slots[slot] = id
    }
    this.#starts[this.size] = end
    return longest
  }
}

function countLines(text: string): number {
  let count = text.endsWith('\n') || text === '' ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
