/** The word pieces of the model, found by a rolling hash without making a string. */

import { Buffer } from 'node:buffer'
import { badModel } from './model-file.js'

/** Two of these before a piece say that it continues a word. */
const MARK = '#'.charCodeAt(0)
const NEWLINE = 10
/** Two seeds keep `ing` and `##ing` apart. */
const START_SEED = 0x811c9dc5 | 0
const CONTINUATION_SEED = 0x2b5f1d37

/** Of FNV-1a, here on UTF-16 units. */
const FNV_PRIME = 0x01000193

/**
 * All pieces as one text and an open-addressing table of ids: 1.5 MB for 40,000 pieces. A Map of strings takes
 * five times that, and cutting and hashing a string for every look-up takes three times as long.
 */
export class Vocabulary {
  readonly size: number
  /** The hashes of the beginnings of the current word; as many as the longest piece has units. */
  readonly #hashes: Int32Array
  readonly #units: Uint16Array
  /** Where each piece begins and ends in the text, without its mark. */
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  /** By hash: id + 1, and 0 where there is none. */
  readonly #slots: Uint32Array
  readonly #mask: number

  /** `text` holds one piece per line; the line number is the id. */
  constructor(text: string) {
    const isEnded = text === '' || text.endsWith('\n')
    const lines = isEnded ? text : `${text}\n`
    this.#units = new Uint16Array(lines.length)
    Buffer.from(this.#units.buffer).write(lines, 'utf16le')
    const { starts, ends, hashes, size, longest } = splitPieces(this.#units)
    this.size = size
    this.#starts = starts
    this.#ends = ends
    this.#hashes = new Int32Array(longest)
    let slotCount = 1024
    while (slotCount < size * 2) slotCount *= 2
    const slots = new Uint32Array(slotCount)
    const mask = slotCount - 1
    for (let id = 0; id < size; id++) {
      const hash = hashes[id] as number
      let slot = (hash ^ (hash >>> 15)) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = id + 1
    }
    this.#slots = slots
    this.#mask = mask
  }

  /** The longest piece that begins at `word[from]`, or -1. A piece that does not begin a word is a continuation. */
  findLongest(word: Uint16Array, from: number, end: number): number {
    const hashes = this.#hashes
    let hash = from === 0 ? START_SEED : CONTINUATION_SEED
    let length = 0
    while (length < hashes.length && from + length < end) {
      hash = Math.imul(hash ^ (word[from + length] as number), FNV_PRIME)
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
    return (this.#ends[id] as number) - (this.#starts[id] as number)
  }

  /** The piece of this length; its hash is in `#hashes`. */
  #find(word: Uint16Array, from: number, length: number): number {
    const hash = this.#hashes[length - 1] as number
    const isContinuation = from > 0
    const mask = this.#mask
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const id = (this.#slots[slot] as number) - 1
      if (id < 0) return -1
      const start = this.#starts[id] as number
      if (this.lengthOf(id) !== length || isMarked(this.#units, start) !== isContinuation) continue
      let i = 0
      while (i < length && this.#units[start + i] === word[from + i]) i++
      if (i === length) return id
    }
  }
}

/**
 * Where each line begins and ends, without its mark, and its hash. This runs before the first answer of every process:
 * over local arrays it takes half as long as over fields and strings.
 */
function splitPieces(units: Uint16Array) {
  // Memory that is never touched costs nothing.
  const most = Math.ceil(units.length / 2)
  const [starts, ends] = [new Uint32Array(most), new Uint32Array(most)]
  const hashes = new Int32Array(most)
  let [size, longest] = [0, 0]
  for (let at = 0; at < units.length; at++) {
    const isContinuation = units[at] === MARK && units[at + 1] === MARK
    if (isContinuation) at += 2
    const start = at
    let hash = isContinuation ? CONTINUATION_SEED : START_SEED
    for (let unit = units[at] as number; unit !== NEWLINE; unit = units[++at] as number) {
      hash = Math.imul(hash ^ unit, FNV_PRIME)
    }
    if (at === start) throw badModel(`Line ${size + 1} of the word piece list is empty.`)
    starts[size] = start
    ends[size] = at
    hashes[size] = hash
    if (at - start > longest) longest = at - start
    size++
  }
  return { starts, ends, hashes, size, longest }
}

/** Whether the piece that begins here stands behind the mark of a continuation. */
function isMarked(units: Uint16Array, start: number): boolean {
  return units[start - 1] === MARK && units[start - 2] === MARK
}
