/** Row sets as bitmaps, one bit per row. */

/** A row is bit `row & 7` of byte `row >> 3`. The length is a multiple of four bytes. */
export type Bits = Uint8Array

/** Creates an empty set for the rows up to and including `last`. */
export function createBits(last: number): Bits {
  return new Uint8Array(((last >> 5) + 1) * 4)
}

export function addRows(bits: Bits, rows: ArrayLike<number>): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    const byte = row >> 3
    bits[byte] = (bits[byte] as number) | (1 << (row & 7))
  }
}

/** Parses the result of `group_concat(row)`, which SQLite returns much faster than one value per row. */
export function parseRows(listed: unknown): Bits {
  const text = typeof listed === 'string' ? listed : ''
  const rows = new Uint32Array(Math.ceil(text.length / 2) + 1)
  let [count, last, row] = [0, 0, 0]
  for (let i = 0; i <= text.length && text !== ''; i++) {
    const digit = text.charCodeAt(i) - ZERO
    if (digit >= 0) {
      row = row * 10 + digit
      continue
    }
    rows[count++] = row
    last = Math.max(last, row)
    row = 0
  }
  const bits = createBits(last)
  addRows(bits, rows.subarray(0, count))
  return bits
}

const ZERO = '0'.charCodeAt(0)

export function hasRow(bits: Bits, row: number): boolean {
  return ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0
}

/** Lists with more than this share of all rows are united faster as bitmaps. */
const DENSE = 1 / 32

/** Returns the bitmap of an ascending list if it is dense, otherwise null. */
export function createDenseBits(rows: Uint32Array): Bits | null {
  const last = rows.at(-1) ?? 0
  if (rows.length <= last * DENSE) return null
  const bits = createBits(last)
  addRows(bits, rows)
  return bits
}

/** Returns the union of ascending lists. */
export function uniteRows(
  lists: readonly { readonly rows: Uint32Array; readonly bits: Bits | null }[],
): Bits {
  const union = createBits(Math.max(0, ...lists.map(({ rows }) => rows.at(-1) ?? 0)))
  const words = viewWords(union)
  for (const { rows, bits } of lists) {
    if (bits === null) addRows(union, rows)
    const others = bits === null ? [] : viewWords(bits)
    for (let i = 0; i < others.length; i++) words[i] = (words[i] as number) | (others[i] as number)
  }
  return union
}

export function listRows(bits: Bits): Uint32Array {
  const rows = new Uint32Array(countRows(bits))
  let count = 0
  for (let byte = 0; byte < bits.length; byte++) {
    for (let rest = bits[byte] as number; rest !== 0; rest &= rest - 1) {
      rows[count++] = byte * 8 + 31 - Math.clz32(rest & -rest)
    }
  }
  return rows
}

/** Returns a new set: the rows of `bits` (null: all rows) without those in `refused`. */
export function subtractRows(bits: Bits | null, refused: Bits): Bits {
  return refused.map((byte, i) => (bits === null ? 0xff : (bits[i] ?? 0)) & ~byte)
}

/** Counts the rows of the set that are also in `among` (null: all of them). */
export function countRows(bits: Bits, among: Bits | null = null): number {
  const words = viewWords(bits)
  const others = among === null ? null : viewWords(among)
  let count = 0
  for (let i = 0; i < words.length; i++) {
    const word = others === null ? (words[i] as number) : (words[i] as number) & (others[i] ?? 0)
    // A population count: adds up pairs of bits, then nibbles, then bytes.
    const pairs = word - ((word >>> 1) & 0x55555555)
    const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
    count += Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

function viewWords(bits: Bits): Uint32Array {
  return new Uint32Array(bits.buffer, bits.byteOffset, bits.length >> 2)
}

/** A few are enough: a caller usually repeats the same few filters. */
const MAX_CACHED = 8

/** Caches the rows that pass the last few filters until the file changes. */
export class BitsCache {
  readonly #cached = new Map<string, Bits>()
  #version = ''

  get(key: string, version: string): Bits | undefined {
    if (this.#version !== version) this.#cached.clear()
    this.#version = version
    return this.#cached.get(key)
  }

  /** Stores the rows for the version of the last `get`. */
  set(key: string, bits: Bits): Bits {
    if (this.#cached.size >= MAX_CACHED) {
      this.#cached.delete(this.#cached.keys().next().value ?? '')
    }
    this.#cached.set(key, bits)
    return bits
  }
}
