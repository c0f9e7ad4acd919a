/** Promise: one slot of a packed block is read or changed in place, without unpacking the rest. */

import { readBlock, type SlotEntry } from './block.js'
import { checkDimensions } from './cosine.js'
import { EMPTY_OWNER, paddedWidth } from './layout.js'

/** The record a slot belongs to; null where it holds no vector. */
export function readOwner(bytes: Uint8Array, slot: number): number | null {
  const { owners } = readBlock(bytes)
  const owner = viewOf(owners).getUint32(slot * 4, true)
  return owner === EMPTY_OWNER ? null : owner
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
  const { dimensions, owners, scales, codes } = readBlock(bytes)
  const width = paddedWidth(dimensions)
  viewOf(owners).setUint32(slot * 4, entry?.owner ?? EMPTY_OWNER, true)
  viewOf(scales).setFloat32(slot * 4, entry?.codes.scale ?? 0, true)
  const place = codes.subarray(slot * width, (slot + 1) * width)
  if (entry === null) {
    place.fill(0)
    return
  }
  checkDimensions(entry.codes.bytes, width)
  place.set(new Uint8Array(entry.codes.bytes.buffer, entry.codes.bytes.byteOffset, width))
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
