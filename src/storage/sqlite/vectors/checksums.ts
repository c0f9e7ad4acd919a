/** Checksums of stored vectors: written with them, compared by `doctor` alone, so that reading costs nothing. */

import { crc32 } from 'node:zlib'
import { type FineCodes, viewFineBytes } from '../../../vectors/quantise.js'

const SCALE = new Float64Array(1)
const SCALE_BYTES = new Uint8Array(SCALE.buffer)

/** Of a block, or of a cached vector. 34 KB take 8 µs. */
export function checksumBytes(bytes: Uint8Array): number {
  return crc32(bytes)
}

/** Of the codes and then the scale, as a double. A vector of 256 dimensions takes 0.3 µs. */
export function checksumFine(fine: FineCodes): number {
  SCALE[0] = fine.scale
  return crc32(SCALE_BYTES, crc32(viewFineBytes(fine)))
}
