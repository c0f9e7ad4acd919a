/** Random vectors from a seed, and plain formulas, for tests. */

import type { SlotEntry } from './block.js'
import { quantiseVector } from './quantise.js'

/** Creates a generator of numbers in [0, 1) from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Draws a normally distributed number (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

export type Clusters = {
  readonly count: number
  readonly dimensions: number
  readonly clusters: number
  readonly random: () => number
}

/** Unit vectors around centres. Most of them belong to few centres, as most texts belong to few topics. */
export function clusteredVectors({
  count,
  dimensions,
  clusters,
  random,
}: Clusters): Float32Array[] {
  const draw = () => Float32Array.from({ length: dimensions }, () => normal(random))
  const centres = Array.from({ length: clusters }, draw)
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(random() ** 3 * clusters)]
    return unit(draw().map((x, i) => x + (centre?.[i] ?? 0)))
  })
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((x) => x / length)
}

/** a·b / (|a| |b|). */
export function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aSquared, bSquared] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number]
    dot += x * y
    aSquared += x * x
    bSquared += y * y
  }
  return dot / Math.sqrt(aSquared * bSquared)
}

/** Throws for a zero vector, which has no codes. */
export function quantised(vector: Float32Array) {
  const made = quantiseVector(vector)
  if (made === null) throw new Error('a zero vector cannot be stored')
  return made
}

export function entryOf(owner: number, vector: Float32Array): SlotEntry {
  return { owner, codes: quantised(vector).codes }
}

/** Decodes the one-byte codes. */
export function dequantise({ codes: { bytes, scale } }: SlotEntry, dimensions: number) {
  return Float32Array.from(bytes.subarray(0, dimensions), (code) => code * scale)
}
