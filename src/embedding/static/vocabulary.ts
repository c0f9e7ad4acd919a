/** Finds the word pieces of the model by a rolling hash, without creating strings. */

import { Buffer } from 'node:buffer'
import { createFastLoops } from '../../core/fast-loops.js'
import { badModel } from './model-file.js'
import { PIECES_BASE64 } from './pieces.wasm.js'

/** Two of these before a piece mean that it continues a word. */
const MARK = '#'.charCodeAt(0)
const NEWLINE = 10
/** Two seeds keep `ing` and `##ing` apart. */
const START_SEED = 0x811c9dc5 | 0
const CONTINUATION_SEED = 0x2b5f1d37

/** The prime of FNV-1a, which is used here on UTF-16 units. */
const FNV_PRIME = 0x01000193

/**
 * Holds all pieces as one text, and an open-addressing hash table of ids: 2 MB for 40,000 pieces. A Map of strings takes
 * five times the memory and, because every look-up slices and hashes a string, three times the time.
 */
export class Vocabulary {
  readonly size: number
  /** The hashes of the prefixes of the current word, up to the length of the longest piece. */
  readonly #hashes: Int32Array
  readonly #units: Uint16Array
  /** The start and end of each piece in the text, without the `##`. */
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  /** The hash table: id + 1, or 0 for an empty slot. */
  readonly #slots: Uint32Array
  readonly #mask: number

  /** `text` holds one piece per line; the line number is the id. */
  constructor(text: string, wasm = true) {
    const isEnded = text === '' || text.endsWith('\n')
    const lines = isEnded ? text : `${text}\n`
    // Every line has at least two units. Untouched memory costs nothing.
    const most = Math.ceil(lines.length / 2)
    const slotCount = 2 ** Math.ceil(Math.log2(most + 1))
    const starts = 4 * most
    const [ends, slots] = [starts + 4 * most, starts + 8 * most]
    const bytes = slots + 4 * slotCount
    const fast = wasm ? createFastLoops<Pieces>(PIECES_BASE64, bytes) : null
    const buffer = fast?.buffer ?? new ArrayBuffer(bytes)
    this.#units = new Uint16Array(buffer, 0, lines.length)
    this.#starts = new Uint32Array(buffer, starts, most)
    this.#ends = new Uint32Array(buffer, ends, most)
    this.#slots = new Uint32Array(buffer, slots, slotCount)
    this.#mask = slotCount - 1
    Buffer.from(buffer).write(lines, 'utf16le')
    const pieces = fast?.loops ?? createPlainPieces(buffer)
    this.size = pieces.list(2 * lines.length, starts, ends, slots, this.#mask)
    if (this.size < 0) throw badModel(`Line ${-this.size} of the word piece list is empty.`)
    this.#hashes = new Int32Array(pieces.longest())
  }

  /** Returns the id of the longest piece at `word[from]`, or -1. From the second position on, pieces are continuations. */
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

  /** The length of a piece in UTF-16 units. */
  lengthOf(id: number): number {
    return (this.#ends[id] as number) - (this.#starts[id] as number)
  }

  /** Returns the id of the piece with this length, or -1. */
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
 * `list` finds the pieces in the text before `end` and enters their ids into the hash table; the arguments are byte
 * addresses. It runs before the first answer of every process: JavaScript, which is still interpreted then, takes four
 * times as long as WebAssembly.
 */
type Pieces = {
  list(end: number, starts: number, ends: number, slots: number, mask: number): number
  longest(): number
}

function createPlainPieces(buffer: ArrayBuffer): Pieces {
  const units = new Uint16Array(buffer)
  const words = new Uint32Array(buffer)
  let longest = 0
  return {
    list(end, starts, ends, slots, mask) {
      let id = 0
      for (let at = 0; at < end / 2; at++) {
        const isContinuation = units[at] === MARK && units[at + 1] === MARK
        if (isContinuation) at += 2
        const start = at
        let hash = isContinuation ? CONTINUATION_SEED : START_SEED
        for (; units[at] !== NEWLINE; at++) {
          hash = Math.imul(hash ^ (units[at] as number), FNV_PRIME)
        }
        if (at === start) return -1 - id
        longest = Math.max(longest, at - start)
        words[starts / 4 + id] = start
        words[ends / 4 + id] = at
        let slot = (hash ^ (hash >>> 15)) & mask
        while (words[slots / 4 + slot] !== 0) slot = (slot + 1) & mask
        words[slots / 4 + slot] = ++id
      }
      return id
    },
    longest: () => longest,
  }
}

/** Whether the `##` of a continuation precedes this piece. */
function isMarked(units: Uint16Array, start: number): boolean {
  return units[start - 1] === MARK && units[start - 2] === MARK
}
