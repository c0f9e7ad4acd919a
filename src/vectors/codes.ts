/** A unit vector becomes one byte a dimension, and its cosines survive to about a thousandth. */

import { badInput } from '../core/errors.js'
import { paddedWidth } from './layout.js'
import { type Size, sizeOf } from './size.js'

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
  { squared, largest }: Size = sizeOf(vector),
): Codes | null {
  if (!Number.isFinite(squared)) {
    throw badInput('A vector holds something that is not a number, or a number beyond measure.')
  }
  if (squared === 0) return null
  const step = LARGEST / largest
  // Two sums side by side, as in `sizeOf`.
  let even = 0
  let odd = 0
  const { length } = vector
  for (let i = 0; i < length; i += 2) {
    const a = vector[i] as number
    const b = i + 1 < length ? (vector[i + 1] as number) : 0
    // Not Math.round, which takes four times as long as all the rest of this loop; it gives the same codes.
    const codeA = Math.floor(a * step + 0.5)
    const codeB = Math.floor(b * step + 0.5)
    bytes[i] = codeA
    // Beyond the last of an odd number is padding, which is zero.
    bytes[i + 1] = codeB
    even += codeA * a
    odd += codeB * b
  }
  return { bytes, scale: Math.fround(Math.sqrt(squared) / (even + odd)) }
}

/** The vector that codes stand for: within half a step of the normalised original in each dimension. */
export function dequantise(codes: Codes, dimensions: number): Float32Array {
  return Float32Array.from(codes.bytes.subarray(0, dimensions), (code) => code * codes.scale)
}
