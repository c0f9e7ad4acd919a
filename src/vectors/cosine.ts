/** How alike two vectors are, from −1 to 1, whatever their lengths. */

import { CairnError } from '../core/errors.js'

/**
 * a·b / (|a| |b|); a zero vector has no direction and is like nothing: 0.
 * By hand: (1, 0) and (1, 1) → 1 / √2 = 0.7071.
 */
export function cosine(a: Float32Array, b: Float32Array): number {
  checkDimensions(a, b.length)
  let dot = 0
  let aSquared = 0
  let bSquared = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0
    const y = b[i] ?? 0
    dot += x * y
    aSquared += x * x
    bSquared += y * y
  }
  if (aSquared === 0 || bSquared === 0) return 0
  // One root of both keeps identical vectors at exactly 1; rounding may still step over the edge.
  return Math.max(-1, Math.min(1, dot / Math.sqrt(aSquared * bSquared)))
}

/** Refuses a vector that was made for another index. */
export function checkDimensions(vector: ArrayLike<number>, dimensions: number): void {
  if (vector.length === dimensions) return
  throw new CairnError('dimension_mismatch', {
    message: `A vector has ${vector.length} dimensions where ${dimensions} are needed.`,
    hint: 'Compare only vectors of one model, or embed the texts again with this one.',
  })
}
