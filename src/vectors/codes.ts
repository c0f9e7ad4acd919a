/** Promise: a unit vector becomes one byte a dimension, and its cosines survive to about a thousandth. */

import { badInput } from '../core/errors.js'
import { paddedWidth } from './layout.js'

/**
 * A quantised vector. `bytes` holds the dimensions, then zeros up to a multiple of 16; the vector is
 * `bytes · scale`. 4 + 256 bytes for 256 dimensions instead of 1,024.
 */
export type Codes = { readonly bytes: Int8Array; readonly scale: number }

/** The largest code. −128 is never used, so that every code has its opposite. */
const LARGEST = 127

/**
 * Rounds a vector, normalised first, to steps of its largest component / 127. Null for a zero vector: it
 * points nowhere, so it is never stored. The scale is 1 / (codes · vector) rather than the step itself, so
 * that a vector's similarity to itself is 1. Whoever copies the codes at once can give `bytes` to write them to, zeros
 * behind the last dimension: to make a new array takes as long as to fill it.
 */
export function quantise(
  vector: Float32Array,
  bytes = new Int8Array(paddedWidth(vector.length)),
): Codes | null {
  // Plain loops: an import runs this for every vector, and iterators cost five times as much.
  let squared = 0
  let largest = 0
  for (let i = 0; i < vector.length; i++) {
    const x = vector[i] as number
    squared += x * x
    const size = Math.abs(x)
    if (size > largest) largest = size
  }
  if (!Number.isFinite(squared)) {
    throw badInput('A vector holds something that is not a number, or a number beyond measure.')
  }
  if (squared === 0) return null
  let own = 0
  for (let i = 0; i < vector.length; i++) {
    const x = vector[i] as number
    // Not Math.round, which takes four times as long as all the rest of this loop; it gives the same codes.
    const code = Math.floor((x / largest) * LARGEST + 0.5)
    bytes[i] = code
    own += code * x
  }
  return { bytes, scale: Math.fround(Math.sqrt(squared) / own) }
}

/** The vector that codes stand for: within half a step of the normalised original in each dimension. */
export function dequantise(codes: Codes, dimensions: number): Float32Array {
  return Float32Array.from(codes.bytes.subarray(0, dimensions), (code) => code * codes.scale)
}
