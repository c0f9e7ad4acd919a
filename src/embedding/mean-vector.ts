/** What several passages say together is one vector: their mean, of length 1. */

import { ArrayRoom } from '../core/array-room.js'
import type { ChunkVector } from '../storage/vectors.js'
import { normalise } from './embedder.js'

type Vector = Pick<ChunkVector<Float32Array>, 'vector'>

const room = new ArrayRoom((length) => new Float32Array(length))

/** Of vectors of the same length. */
export function meanOf(first: Vector, others: readonly Vector[]): Float32Array {
  const sum = room.take(first.vector.length)
  sum.set(first.vector)
  for (const { vector } of others) addTo(sum, vector)
  return normalise(sum, sum)
}

function addTo(sum: Float32Array, vector: Float32Array): void {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (vector[i] as number)
}
