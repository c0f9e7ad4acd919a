/** Quantises vectors: one byte per dimension to scan all of them, two bytes to order the best ones. */

import { badInput, CairnError } from '../core/errors.js'

/**
 * One byte per dimension, then zeros up to a multiple of 16. The unit vector is `bytes · scale`. Cosines change by about a
 * thousandth.
 */
export type Codes = { readonly bytes: Int8Array; readonly scale: number }

/** Two bytes per dimension. The unit vector is `codes · scale`. Cosines change by about 0.00001. */
export type FineCodes = { readonly codes: Int16Array; readonly scale: number }

/** −128 is never used, so that every code has its opposite. */
const LARGEST_CODE = 127
const LARGEST_FINE_CODE = 32_767

/** The bytes of a vector are padded to a multiple of 16, so that the kernels can read 16 at a time. */
export function padWidth(dimensions: number): number {
  return Math.ceil(dimensions / 16) * 16
}

/** Both forms that are stored. Returns null for a zero vector: it has no direction and is never stored. */
export function quantiseVector(vector: Float32Array) {
  let squared = 0
  let largest = 0
  // Plain loops: this runs for every passage that is added, and callbacks take ten times as long.
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
    // Gives the same codes as Math.round, which takes four times as long as the rest of the loop.
    const code = Math.floor(x * step + 0.5)
    bytes[i] = code
    fine[i] = Math.floor(x * fineStep + 0.5)
    overlap += code * x
  }
  const length = Math.sqrt(squared)
  // length / (codes · vector) rather than the step: the similarity of a vector to itself is then 1.
  return {
    codes: { bytes, scale: Math.fround(length / overlap) },
    fine: { codes: fine, scale: largest / LARGEST_FINE_CODE / length },
  }
}

/** The finer codes as they are stored: a view, not a copy. */
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

/** Refuses a vector of another model. */
export function checkDimensions(vector: ArrayLike<number>, dimensions: number): void {
  if (vector.length === dimensions) return
  throw new CairnError('dimension_mismatch', {
    message: `A vector has ${vector.length} dimensions where ${dimensions} are needed.`,
    hint: 'Compare only vectors of one model, or embed the texts again with this model.',
  })
}
