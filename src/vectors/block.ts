/**
 * Packs the vectors of 128 slots into the bytes that one row of the database holds, and reads and writes single slots.
 *
 * A block, little-endian throughout:
 *   u32 magic 'CVB1' · u32 dimensions · u32 128 · u32 0
 *   u32 owners[128]           0xffffffff: no vector in this slot
 *   f32 scales[128]
 *   i8  codes[128][width]     width = dimensions padded with zeros to a multiple of 16
 */

import { CairnError } from '../core/errors.js'
import { type Codes, checkDimensions, padWidth } from './quantise.js'

/** Adding one vector rewrites its whole block, so blocks are small. Loading reads all blocks, so they are not tiny. */
export const BLOCK_SLOTS = 128

/** Marks a slot without a vector, in blocks and in memory. No record may have this number. */
export const EMPTY_OWNER = 0xffffffff

const MAGIC = 0x31425643
const HEADER_BYTES = 16
const SCALES = HEADER_BYTES + BLOCK_SLOTS * 4
const CODES = SCALES + BLOCK_SLOTS * 4

/** A vector and the number of the record it belongs to, below 0xffffffff. */
export type SlotEntry = { readonly owner: number; readonly codes: Codes }

export function createBlock(dimensions: number): Uint8Array {
  const bytes = new Uint8Array(CODES + BLOCK_SLOTS * padWidth(dimensions))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC, true)
  view.setUint32(4, dimensions, true)
  view.setUint32(8, BLOCK_SLOTS, true)
  bytes.fill(0xff, HEADER_BYTES, SCALES)
  return bytes
}

/** Views on the bytes of a block, which may be unaligned. */
export class Block {
  readonly dimensions: number
  readonly owners: Uint8Array
  readonly scales: Uint8Array
  readonly codes: Uint8Array
  readonly #width: number
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (bytes.length < HEADER_BYTES || this.#view.getUint32(0, true) !== MAGIC) {
      throw damaged('does not begin with its signature')
    }
    this.dimensions = this.#view.getUint32(4, true)
    this.#width = padWidth(this.dimensions)
    const isWhole = bytes.length === CODES + BLOCK_SLOTS * this.#width
    if (!isWhole || this.#view.getUint32(8, true) !== BLOCK_SLOTS)
      throw damaged('has the wrong length')
    this.owners = bytes.subarray(HEADER_BYTES, SCALES)
    this.scales = bytes.subarray(SCALES, CODES)
    this.codes = bytes.subarray(CODES)
  }

  isFree(slot: number): boolean {
    return this.#view.getUint32(HEADER_BYTES + slot * 4, true) === EMPTY_OWNER
  }

  read(slot: number): SlotEntry | null {
    if (this.isFree(slot)) return null
    const bytes = Int8Array.from(
      new Int8Array(this.codes.buffer, this.codes.byteOffset + slot * this.#width, this.#width),
    )
    return {
      owner: this.#view.getUint32(HEADER_BYTES + slot * 4, true),
      codes: { bytes, scale: this.#view.getFloat32(SCALES + slot * 4, true) },
    }
  }

  /** Writes an entry. Null clears the slot and overwrites its vector with zeros. */
  write(slot: number, entry: SlotEntry | null): void {
    const at = slot * this.#width
    if (entry !== null) checkDimensions(entry.codes.bytes, this.#width)
    this.#view.setUint32(HEADER_BYTES + slot * 4, entry?.owner ?? EMPTY_OWNER, true)
    this.#view.setFloat32(SCALES + slot * 4, entry?.codes.scale ?? 0, true)
    if (entry === null) this.codes.fill(0, at, at + this.#width)
    // Negative codes keep their bits in the unsigned view.
    else this.codes.set(entry.codes.bytes, at)
  }
}

function damaged(how: string): CairnError {
  return new CairnError('damaged', {
    message: `A stored block of vectors ${how}.`,
    hint: 'Run `cairn doctor --repair`: it rebuilds the vectors from the texts.',
  })
}
