/**
 * Packed slots become bytes and come back the same, at the speed of copying.
 *
 * A block, little-endian throughout:
 *   u32 magic 'CVB1' · u32 dimensions · u32 count · u32 0
 *   u32 owners[count]              0xffffffff: no vector in this slot
 *   f32 scales[count]
 *   i8  codes[count][width]        width = dimensions padded with zeros to a multiple of 16
 */

import { CairnError } from '../core/errors.js'
import type { Codes } from './codes.js'
import { checkDimensions } from './cosine.js'
import { EMPTY_OWNER, paddedWidth } from './layout.js'

const MAGIC = 0x31425643
const HEADER_BYTES = 16

/** What a slot holds: a vector and the number of the record it belongs to, below 0xffffffff. */
export type SlotEntry = { readonly owner: number; readonly codes: Codes }

export type Block = {
  readonly dimensions: number
  readonly count: number
  /** Bytes of the three arrays, views into the block: it may lie at an odd address, so they stay bytes. */
  readonly owners: Uint8Array
  readonly scales: Uint8Array
  readonly codes: Uint8Array
}

export function blockBytes(dimensions: number, count: number): number {
  return HEADER_BYTES + count * (8 + paddedWidth(dimensions))
}

/** Packs slots in their order; null is a slot without a vector. */
export function packBlock(entries: readonly (SlotEntry | null)[], dimensions: number): Uint8Array {
  const width = paddedWidth(dimensions)
  const bytes = new Uint8Array(blockBytes(dimensions, entries.length))
  const view = new DataView(bytes.buffer)
  for (const [i, value] of [MAGIC, dimensions, entries.length, 0].entries()) {
    view.setUint32(i * 4, value, true)
  }
  const scales = HEADER_BYTES + entries.length * 4
  const codes = scales + entries.length * 4
  for (const [i, entry] of entries.entries()) {
    view.setUint32(HEADER_BYTES + i * 4, entry?.owner ?? EMPTY_OWNER, true)
    if (entry === null) continue
    checkDimensions(entry.codes.bytes, width)
    view.setFloat32(scales + i * 4, entry.codes.scale, true)
    bytes.set(
      new Uint8Array(entry.codes.bytes.buffer, entry.codes.bytes.byteOffset, width),
      codes + i * width,
    )
  }
  return bytes
}

/** Finds the parts of a block without copying them. */
export function readBlock(bytes: Uint8Array): Block {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC)
    throw damaged('does not start as one')
  const dimensions = view.getUint32(4, true)
  const count = view.getUint32(8, true)
  if (bytes.length !== blockBytes(dimensions, count)) throw damaged('has the wrong length')
  const scales = HEADER_BYTES + count * 4
  const codes = scales + count * 4
  return {
    dimensions,
    count,
    owners: bytes.subarray(HEADER_BYTES, scales),
    scales: bytes.subarray(scales, codes),
    codes: bytes.subarray(codes),
  }
}

function damaged(how: string): CairnError {
  return new CairnError('damaged', {
    message: `A stored block of vectors ${how}.`,
    hint: 'Build the vectors again from the texts.',
  })
}
