/** Quantises vectors: to one byte per dimension for scanning, and to two bytes for the exact order of the best. */

import { badInput, CairnError } from '../core/errors.js'

/**
 * One byte per dimension, then zeros up to a multiple of 16. The unit vector is `bytes · scale`. Cosines change by about a
 * thousandth.
 */
export type Codes = { readonly bytes: Int8Array; readonly scale: number }

/** Two bytes per dimension. The unit vector is `codes · scale`. Cosines change by about 0.00001. */
export type FineCodes = { readonly codes: Int16Array; readonly scale: number }

/** −128 is not used, so that every code has a negative. */
const LARGEST_CODE = 127
const LARGEST_FINE_CODE = 32_767

/** Codes are padded to a multiple of 16, because the kernels read 16 bytes at a time. */
export function padWidth(dimensions: number): number {
  return Math.ceil(dimensions / 16) * 16
}

/** Returns both kinds of codes, or null for a zero vector, which has no direction and is never stored. */
export function quantiseVector(vector: Float32Array) {
  let squared = 0
  let largest = 0
  // Plain loops, because this runs for every added chunk and callbacks take ten times as long.
  for (let i = 0; i < vector.length; i++) {
    const x = vector[i] as number
    squared += x * x
    largest = Math.max(largest, Math.abs(x))
  }
  if (!Number.isFinite(squared))
    throw badInput('A vector holds a value that is not a finite number.')
  if (squared === 0) return null
  const bytes = new Int8Array(padWidth(vector.length))
  const fine = new Int16Array(vector.length)
  const step = LARGEST_CODE / largest
  const fineStep = LARGEST_FINE_CODE / largest
  let overlap = 0
  for (let i = 0; i < vector.length; i++) {
    const x = vector[i] as number
    // The same codes as with Math.round, which takes four times as long as the rest of the loop.
    const code = Math.floor(x * step + 0.5)
    bytes[i] = code
    fine[i] = Math.floor(x * fineStep + 0.5)
    overlap += code * x
  }
  const length = Math.sqrt(squared)
  // With length / (codes · vector) instead of the step, the similarity of a vector to itself is 1.
  return {
    codes: { bytes, scale: Math.fround(length / overlap) },
    fine: { codes: fine, scale: largest / LARGEST_FINE_CODE / length },
  }
}

/** Returns the bytes of the two-byte codes as they are stored: a view, not a copy. */
export function viewFineBytes({ codes }: FineCodes): Uint8Array {
  return new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength)
}

export function decodeFine({ codes, scale }: FineCodes): Float32Array {
  return Float32Array.from(codes, (code) => code * scale)
}

export function cosineFine(unit: Float32Array, { codes, scale }: FineCodes): number {
  checkDimensions(codes, unit.length)
  let sum = 0
  for (let i = 0; i < codes.length; i++) sum += (unit[i] as number) * (codes[i] as number)
  return Math.min(1, Math.max(-1, sum * scale))
}

/** Throws for a vector of another length, which another model must have made. */
export function checkDimensions(vector: ArrayLike<number>, dimensions: number): void {
  if (vector.length === dimensions) return
  throw new CairnError('dimension_mismatch', {
    message: `A vector has ${vector.length} dimensions; ${dimensions} were expected.`,
    hint: 'Compare only vectors of one model, or embed the texts again with this model.',
  })
}
