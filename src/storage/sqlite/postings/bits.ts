/** A set of rows is one bit a row, joined and counted thirty-two at a time. */

export type Bits = Uint8Array

/** From this share of all rows on, a list is quicker joined with others as bits. */
const DENSE = 1 / 32

/** For rows up to and with `last`; a whole number of 32-bit words. */
export function createBits(last: number): Bits {
  return new Uint8Array(((last >> 5) + 1) * 4)
}

export function addRows(bits: Bits, rows: Uint32Array): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    const byte = row >> 3
    bits[byte] = (bits[byte] as number) | (1 << (row & 7))
  }
}

/** Of rows as `group_concat` lists them: one text is read much faster than a value each. */
export function bitsOf(listed: string, last: number): Bits {
  const bits = createBits(last)
  let row = 0
  for (let i = 0; i <= listed.length; i++) {
    const digit = listed.charCodeAt(i) - ZERO
    if (digit >= 0) {
      row = row * 10 + digit
      continue
    }
    const byte = row >> 3
    if (i > 0) bits[byte] = (bits[byte] ?? 0) | (1 << (row & 7))
    row = 0
  }
  return bits
}

const ZERO = '0'.charCodeAt(0)

export function has(bits: Bits, row: number): boolean {
  return ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0
}

export function isDense(rows: Uint32Array): boolean {
  return rows.length > 0 && rows.length > (rows.at(-1) ?? 0) * DENSE
}

/** The rows that are in any of the lists, each of them ascending. */
export function unionOf(
  lists: readonly { readonly rows: Uint32Array; readonly bits?: Bits | null }[],
): Bits {
  const union = createBits(Math.max(0, ...lists.map(({ rows }) => rows.at(-1) ?? 0)))
  const words = wordsOf(union)
  for (const { rows, bits = null } of lists) {
    if (bits === null) addRows(union, rows)
    else addWords(words, wordsOf(bits))
  }
  return union
}

function addWords(words: Uint32Array, others: Uint32Array): void {
  for (let i = 0; i < others.length; i++) words[i] = (words[i] as number) | (others[i] as number)
}

/** Ascending. */
export function* rowsIn(bits: Bits): Generator<number> {
  for (let byte = 0; byte < bits.length; byte++) {
    for (let rest = bits[byte] as number; rest !== 0; rest &= rest - 1) {
      yield byte * 8 + 31 - Math.clz32(rest & -rest)
    }
  }
}

/** A new set: those of `kept` (of all rows where it is null) that are not in `refused`. */
export function without(kept: Bits | null, refused: Bits): Bits {
  return refused.map((byte, i) => (kept === null ? 0xff : (kept[i] ?? 0)) & ~byte)
}

/** A set and how many of its rows come before each 64th: with these a row's place in its list is found at two looks. */
export type RankedBits = { readonly words: Uint32Array; readonly before: Uint32Array }

/** Null on the few machines that keep the bytes of a number in the other order. */
export function rankBits(bits: Bits): RankedBits | null {
  if (!IS_LITTLE_ENDIAN) return null
  const words = wordsOf(bits)
  const before = new Uint32Array((words.length + 1) >> 1)
  let count = 0
  for (let i = 0; i < words.length; i++) {
    if (i % 2 === 0) before[i >> 1] = count
    count += ones(words[i] as number)
  }
  return { words, before }
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** How many rows of the set come before this one; -1 where it is not in the set. */
export function placeIn({ words, before }: RankedBits, row: number): number {
  const at = row >> 5
  const bit = 1 << (row & 31)
  const word = words[at] ?? 0
  if ((word & bit) === 0) return -1
  const place = (before[at >> 1] as number) + ones(word & (bit - 1))
  return at % 2 === 0 ? place : place + ones(words[at - 1] as number)
}

/** How many rows are in the set, of those that are in `among`. */
export function countBits(bits: Bits, among: Bits | null): number {
  const words = wordsOf(bits)
  const others = among === null ? null : wordsOf(among)
  let count = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number
    if (word !== 0) count += ones(others === null ? word : word & (others[i] ?? 0))
  }
  return count
}

function wordsOf(bits: Bits): Uint32Array {
  return new Uint32Array(bits.buffer, bits.byteOffset, bits.length >> 2)
}

/** Sums of neighbouring bits, then of neighbouring sums: two, four, eight, all thirty-two. */
function ones(word: number): number {
  let sum = word - ((word >>> 1) & 0x55555555)
  sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333)
  sum = (sum + (sum >>> 4)) & 0x0f0f0f0f
  return Math.imul(sum, 0x01010101) >>> 24
}
