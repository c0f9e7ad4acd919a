/** How long a vector is and how far it reaches, measured once for all that is made of it. */

export type Size = { readonly squared: number; readonly largest: number }

/** The square of its length, and its largest component without its sign. */
export function sizeOf(vector: Float32Array): Size {
  // Two sums side by side: an addition waits for the one before it. Plain loops: this runs for every passage.
  let even = 0
  let odd = 0
  let largest = 0
  const { length } = vector
  for (let i = 0; i + 1 < length; i += 2) {
    const a = vector[i] as number
    const b = vector[i + 1] as number
    even += a * a
    odd += b * b
    largest = Math.max(largest, Math.abs(a), Math.abs(b))
  }
  const last = length % 2 === 1 ? (vector[length - 1] as number) : 0
  return { squared: even + odd + last * last, largest: Math.max(largest, Math.abs(last)) }
}
