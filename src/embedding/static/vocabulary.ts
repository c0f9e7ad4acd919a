/** A run of characters finds its word piece without a string being made. */

import { CairnError } from '../../core/errors.js'

const CONTINUATION_MARK = '##'
const NEWLINE = 10
/** Different starts keep `ing` and `##ing` in different slots. */
export const START_SEED = 0x811c9dc5 | 0
export const CONTINUATION_SEED = 0x2b5f1d37

/** One step of the rolling hash (FNV-1a on UTF-16 units): the hash of a prefix is a step of the hash of the word. */
export function hashStep(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

/**
 * The pieces as one pool of characters and an open-addressing table of ids: about 1 MB for 32,000 pieces, where a
 * Map of strings takes five times that.
 */
export class Vocabulary {
  readonly size: number
  /** Characters of the longest piece, without its mark. */
  readonly longest: number
  readonly #pool: Uint16Array
  readonly #starts: Uint32Array
  readonly #continues: Uint8Array
  readonly #slots: Int32Array
  readonly #mask: number

  /** `text` holds a piece a line; the line number is the id. */
  constructor(text: string) {
    this.size = countLines(text)
    this.#pool = new Uint16Array(text.length)
    this.#starts = new Uint32Array(this.size + 1)
    this.#continues = new Uint8Array(this.size)
    let slotCount = 1024
    while (slotCount < this.size * 2) slotCount *= 2
    this.#slots = new Int32Array(slotCount).fill(-1)
    this.#mask = slotCount - 1
    this.longest = this.#fill(text)
  }

  /** The id of the piece that is `units[from, from + length)`, or -1. */
  find(hash: number, continues: boolean, units: Uint16Array, from: number, length: number): number {
    const flag = continues ? 1 : 0
    const [mask, slots, starts, pool] = [this.#mask, this.#slots, this.#starts, this.#pool]
    let slot = (hash ^ (hash >>> 15)) & mask
    for (;;) {
      const id = slots[slot] as number
      if (id < 0) return -1
      const start = starts[id] as number
      if ((starts[id + 1] as number) - start === length && this.#continues[id] === flag) {
        let i = 0
        while (i < length && pool[start + i] === units[from + i]) i++
        if (i === length) return id
      }
      slot = (slot + 1) & mask
    }
  }

  /** Walks the text itself: 32,000 strings for its lines would be the largest part of loading. */
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
        const code = text.charCodeAt(at)
        if (code === NEWLINE) break
        this.#pool[end++] = code
        hash = hashStep(hash, code)
      }
      at++
      if (end === start) throw emptyLine(id + 1)
      longest = Math.max(longest, end - start)
      this.#place(id, hash)
    }
    this.#starts[this.size] = end
    return longest
  }

  #place(id: number, hash: number): void {
    let slot = (hash ^ (hash >>> 15)) & this.#mask
    while ((this.#slots[slot] as number) >= 0) slot = (slot + 1) & this.#mask
    this.#slots[slot] = id
  }
}

function countLines(text: string): number {
  let count = text.endsWith('\n') || text === '' ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

export function emptyLine(line: number): CairnError {
  return new CairnError('bad_model', {
    message: `Line ${line} of the word piece list is empty.`,
    hint: 'Install cairn-search again.',
  })
}
