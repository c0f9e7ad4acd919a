/** One slot of a packed block is read or changed in place, without unpacking the rest. */

import { readBlock, type SlotEntry } from './block.js'
import { checkDimensions } from './cosine.js'
import { EMPTY_OWNER, paddedWidth } from './layout.js'

/** The slots of one block; to find its parts takes longer than to fill a slot, so a block to be filled is opened once. */
export class OpenSlots {
  readonly #width: number
  readonly #owners: DataView
  readonly #scales: DataView
  readonly #codes: Int8Array

  constructor(bytes: Uint8Array) {
    const { dimensions, owners, scales, codes } = readBlock(bytes)
    this.#width = paddedWidth(dimensions)
    this.#owners = viewOf(owners)
    this.#scales = viewOf(scales)
    this.#codes = new Int8Array(codes.buffer, codes.byteOffset, codes.byteLength)
  }

  /** The record a slot belongs to; null where it holds no vector. */
  ownerOf(slot: number): number | null {
    const owner = this.#owners.getUint32(slot * 4, true)
    return owner === EMPTY_OWNER ? null : owner
  }

  /** Null empties the slot, and leaves no trace of the vector that was there. */
  write(slot: number, entry: SlotEntry | null): void {
    const width = this.#width
    if (entry !== null) checkDimensions(entry.codes.bytes, width)
    this.#owners.setUint32(slot * 4, entry?.owner ?? EMPTY_OWNER, true)
    this.#scales.setFloat32(slot * 4, entry?.codes.scale ?? 0, true)
    if (entry === null) this.#codes.fill(0, slot * width, (slot + 1) * width)
    else this.#codes.set(entry.codes.bytes, slot * width)
  }
}

/** The record a slot belongs to; null where it holds no vector. */
export function readOwner(bytes: Uint8Array, slot: number): number | null {
  return new OpenSlots(bytes).ownerOf(slot)
}

export function readSlot(bytes: Uint8Array, slot: number): SlotEntry | null {
  const { dimensions, scales, codes } = readBlock(bytes)
  const owner = readOwner(bytes, slot)
  if (owner === null) return null
  const width = paddedWidth(dimensions)
  const own = Int8Array.from(new Int8Array(codes.buffer, codes.byteOffset + slot * width, width))
  return { owner, codes: { bytes: own, scale: viewOf(scales).getFloat32(slot * 4, true) } }
}

/** Null empties the slot, and leaves no trace of the vector that was there. */
export function writeSlot(bytes: Uint8Array, slot: number, entry: SlotEntry | null): void {
  new OpenSlots(bytes).write(slot, entry)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
