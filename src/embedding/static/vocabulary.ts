/** Finds the word pieces of the model by a rolling hash, without creating strings. */

import { Buffer } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { badModel, PIECES, readVocabulary } from './model-file.js'

/** Two of these before a piece mean that it continues a word. */
const MARK = '#'.charCodeAt(0)
/** Two seeds keep `ing` and `##ing` apart. */
const START_SEED = 0x811c9dc5 | 0
const CONTINUATION_SEED = 0x2b5f1d37

/** The prime of FNV-1a, which is used here on UTF-16 units. */
const FNV_PRIME = 0x01000193
const HEADER_BYTES = 12

/**
 * An index of word pieces: their number, the number of slots and the length of the longest piece; then their starts and
 * ends in the text, an open-addressing hash table of id + 1 (0 is an empty slot), and the text in UTF-16.
 */
function viewIndex({ buffer, byteOffset, byteLength }: Uint8Array) {
  const [size = 0, slotCount = 0, longest = 0] = new Uint32Array(buffer, byteOffset, 3)
  const starts = byteOffset + HEADER_BYTES
  const slots = starts + 8 * size
  const units = slots + 4 * slotCount
  return {
    size,
    longest,
    starts: new Uint32Array(buffer, starts, size),
    ends: new Uint32Array(buffer, starts + 4 * size, size),
    slots: new Uint32Array(buffer, slots, slotCount),
    units: new Uint16Array(buffer, units, (byteOffset + byteLength - units) / 2),
  }
}

/** The index that the build has written, because to compute it takes longer than a search; in the sources there may be none. */
export function readPieces(folder: string): Uint8Array {
  const file = join(folder, PIECES)
  return existsSync(file) ? readFileSync(file) : indexPieces(readVocabulary(folder))
}

/** `text` holds one piece per line; the line number is the id. */
export function indexPieces(text: string): Uint8Array {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const pieces = lines.map((line) => line.replace(/^##/, ''))
  const emptyLine = pieces.indexOf('') + 1
  if (emptyLine > 0) throw badModel(`Line ${emptyLine} of the word piece list is empty.`)
  const slotCount = 2 ** Math.ceil(Math.log2(2 * lines.length + 1))
  const longest = pieces.reduce((most, { length }) => Math.max(most, length), 0)
  const tableBytes = HEADER_BYTES + 8 * lines.length + 4 * slotCount
  const index = Buffer.from(new ArrayBuffer(tableBytes + 2 * text.length))
  for (const [i, number] of [lines.length, slotCount, longest].entries()) {
    index.writeUInt32LE(number, 4 * i)
  }
  index.write(text, tableBytes, 'utf16le')
  const { starts, ends, slots, units } = viewIndex(index)
  let end = -1
  for (const [id, line] of lines.entries()) {
    end += 1 + line.length
    const start = end - (pieces[id] as string).length
    starts[id] = start
    ends[id] = end
    let hash = isMarked(units, start) ? CONTINUATION_SEED : START_SEED
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] as number), FNV_PRIME)
    let slot = firstSlot(hash, slotCount)
    while (slots[slot] !== 0) slot = (slot + 1) % slotCount
    slots[slot] = id + 1
  }
  return index
}

/**
 * Finds pieces in an index: 1.5 MB for 40,000 pieces. A Map of strings takes several times the memory and, because every
 * look-up slices and hashes a string, three times the time.
 */
export class Vocabulary {
  readonly size: number
  /** The hashes of the prefixes of the current word, up to the length of the longest piece. */
  readonly #hashes: Int32Array
  readonly #index: ReturnType<typeof viewIndex>

  constructor(index: Uint8Array) {
    this.#index = viewIndex(index)
    this.size = this.#index.size
    this.#hashes = new Int32Array(this.#index.longest)
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
    const { starts, ends } = this.#index
    return (ends[id] as number) - (starts[id] as number)
  }

  /** Returns the id of the piece with this length, or -1. */
  #find(word: Uint16Array, from: number, length: number): number {
    const { slots, starts, units } = this.#index
    const isContinuation = from > 0
    let slot = firstSlot(this.#hashes[length - 1] as number, slots.length)
    for (; ; slot = (slot + 1) % slots.length) {
      const id = (slots[slot] as number) - 1
      if (id < 0) return -1
      const start = starts[id] as number
      if (this.lengthOf(id) !== length || isMarked(units, start) !== isContinuation) continue
      let i = 0
      while (i < length && units[start + i] === word[from + i]) i++
      if (i === length) return id
    }
  }
}

/** `slotCount` is a power of two. */
function firstSlot(hash: number, slotCount: number): number {
  return (hash ^ (hash >>> 15)) & (slotCount - 1)
}

/** Whether the `##` of a continuation precedes this piece. */
function isMarked(units: Uint16Array, start: number): boolean {
  return units[start - 1] === MARK && units[start - 2] === MARK
}
