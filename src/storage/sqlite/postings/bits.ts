/** Promise: a set of rows is one bit a row, counted and crossed eight at a time. */

export type Bits = Uint8Array

/** For rows up to and with `last`. */
export function createBits(last: number): Bits {
  return new Uint8Array((last >> 3) + 1)
}

export function addRows(bits: Bits, rows: Uint32Array): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    const byte = row >> 3
    bits[byte] = (bits[byte] as number) | (1 << (row & 7))
  }
}

export function has(bits: Bits, row: number): boolean {
  return ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0
}

/** A new set: those of `kept` (of all rows where it is null) that are not in `refused`. */
export function without(kept: Bits | null, refused: Bits): Bits {
  return refused.map((byte, i) => (kept === null ? 0xff : (kept[i] ?? 0)) & ~byte)
}

/** How many rows are in the set, of those that are in `among`. */
export function countBits(bits: Bits, among: Bits | null): number {
  let count = 0
  for (let i = 0; i < bits.length; i++) {
    const byte = bits[i] as number
    if (byte !== 0) count += ONES[among === null ? byte : byte & (among[i] ?? 0)] as number
  }
  return count
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) =>
  [1, 2, 4, 8, 16, 32, 64, 128].reduce((sum, bit) => sum + ((byte & bit) === 0 ? 0 : 1), 0),
)
