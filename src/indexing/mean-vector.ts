/** Promise: what several passages say together is one vector: their mean, of length 1. */

import { normalise } from '../embedding/embedder.js'
import type { ChunkVector } from '../storage/meaning.js'

type Vector = Pick<ChunkVector<Float32Array>, 'vector'>

const VECTORS_AT_ONCE = 64

/** To make an array takes a microsecond, so many vectors lie in one; this is what is left of it. */
let room = new Float32Array(0)

/** Of vectors of the same length. */
export function meanOf(first: Vector, others: readonly Vector[]): Float32Array {
  const sum = copyOf(first.vector)
  for (const { vector } of others) addTo(sum, vector)
  return normalise(sum, sum)
}

function copyOf(vector: Float32Array): Float32Array<ArrayBuffer> {
  const { length } = vector
  if (room.length < length) room = new Float32Array(length * VECTORS_AT_ONCE)
  const copy = room.subarray(0, length)
  room = room.subarray(length)
  copy.set(vector)
  return copy
}

function addTo(sum: Float32Array, vector: Float32Array): void {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (vector[i] as number)
}
