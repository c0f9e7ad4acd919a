/** Two bytes a dimension keep a unit vector so well that no ranking notices. */

import { checkDimensions } from './cosine.js'
import { type Size, sizeOf } from './size.js'

/** The vector is `codes · scale`. Cosines survive to about 0.00001, at half the size of float32. */
export type FineCodes = { readonly codes: Int16Array; readonly scale: number }

const LARGEST = 32_767

/** Null for a zero vector: it points nowhere, so it is never stored. `codes` is filled where it is given. */
export function encodeFine(
  vector: Float32Array,
  codes = new Int16Array(vector.length),
  { squared, largest }: Size = sizeOf(vector),
): FineCodes | null {
  if (largest === 0) return null
  const step = LARGEST / largest
  // A plain loop: this runs for every passage that is added, and callbacks take ten times as long. Not Math.round,
  // which takes four times as long and gives the same codes.
  for (let i = 0; i < codes.length; i++) codes[i] = Math.floor((vector[i] as number) * step + 0.5)
  return { codes, scale: largest / LARGEST / Math.sqrt(squared) }
}

/** As they are stored: a view, not a copy. */
export function bytesOf({ codes }: FineCodes): Uint8Array {
  return new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength)
}

export function decodeFine({ codes, scale }: FineCodes): Float32Array {
  return Float32Array.from(codes, (code) => code * scale)
}

/** The cosine of a unit vector with a stored one. */
export function cosineFine(unit: Float32Array, { codes, scale }: FineCodes): number {
  checkDimensions(codes, unit.length)
  let sum = 0
  for (let i = 0; i < codes.length; i++) sum += (unit[i] as number) * (codes[i] as number)
  return Math.min(1, Math.max(-1, sum * scale))
}
