/** What a model made of texts crosses from one thread to another as it will be kept, in a few arrays. */

import type { TextInContext } from '../core/passage.js'
import type { ChunkVector, RecordVectors } from '../storage/vectors.js'
import {
  type Codes,
  type FineCodes,
  padWidth,
  type QuantisedVector,
  quantiseVector,
} from '../vectors/quantise.js'

/** The vectors are those of the chunks of a text, then that of the whole where there are several. */
export type PackedReadings = {
  readonly dimensions: number
  /** How many chunks each text has. */
  readonly counts: Int32Array<ArrayBuffer>
  /** Start and end of each chunk. */
  readonly ranges: Int32Array<ArrayBuffer>
  /** A byte a dimension. */
  readonly bytes: Int8Array<ArrayBuffer>
  /** Two bytes a dimension. */
  readonly fine: Int16Array<ArrayBuffer>
  /** What one step of either stands for; zeros for a vector that points nowhere. */
  readonly scales: Float64Array<ArrayBuffer>
}

export function packReadings(
  read: readonly RecordVectors<Float32Array>[],
  dimensions: number,
): PackedReadings {
  let [chunkCount, vectorCount] = [0, 0]
  for (const { chunks, whole } of read) {
    chunkCount += chunks.length
    vectorCount += chunks.length + (whole === null ? 0 : 1)
  }
  const width = padWidth(dimensions)
  const counts = new Int32Array(read.length)
  const ranges = new Int32Array(2 * chunkCount)
  const bytes = new Int8Array(vectorCount * width)
  const fine = new Int16Array(vectorCount * dimensions)
  const scales = new Float64Array(vectorCount * 2)
  let [text, range, place] = [0, 0, 0]
  const put = (vector: Float32Array): void => {
    const room = {
      bytes: bytes.subarray(place * width, (place + 1) * width),
      fine: fine.subarray(place * dimensions, (place + 1) * dimensions),
    }
    const kept = quantiseVector(vector, room)
    scales[place * 2] = kept?.codes.scale ?? 0
    scales[place * 2 + 1] = kept?.fine.scale ?? 0
    place++
  }
  for (const { chunks, whole } of read) {
    counts[text++] = chunks.length
    for (const chunk of chunks) {
      ranges[range++] = chunk.start
      ranges[range++] = chunk.end
      put(chunk.vector)
    }
    if (whole !== null) put(whole)
  }
  return { dimensions, counts, ranges, bytes, fine, scales }
}

/** Of the same texts, in their order. */
export function unpackReadings(
  texts: readonly TextInContext[],
  packed: PackedReadings,
): RecordVectors<QuantisedVector>[] {
  const { counts, ranges, scales } = packed
  let [range, place] = [0, 0]
  const take = (): QuantisedVector | null => {
    const at = place++
    return scales[at * 2] === 0 ? null : new PackedVector(packed, at)
  }
  return texts.map(({ title, body, context }, i) => {
    const count = counts[i] ?? 0
    const chunks: ChunkVector<QuantisedVector>[] = []
    for (let k = 0; k < count; k++) {
      const [start, end] = [ranges[range++] as number, ranges[range++] as number]
      const vector = take()
      if (vector !== null) chunks.push({ start, end, vector })
    }
    return { of: { title, body, context }, chunks, whole: count > 1 ? take() : null }
  })
}

/**
 * Parts of the packed arrays are made when they are asked for: the vectors of a batch wait for their turn to be written, and
 * thousands of small arrays that wait are moved by every collection of garbage.
 */
class PackedVector implements QuantisedVector {
  readonly #packed: PackedReadings
  readonly #at: number

  constructor(packed: PackedReadings, at: number) {
    this.#packed = packed
    this.#at = at
  }

  get codes(): Codes {
    const { dimensions, bytes, scales } = this.#packed
    const width = padWidth(dimensions)
    return {
      bytes: bytes.subarray(this.#at * width, (this.#at + 1) * width),
      scale: scales[this.#at * 2] as number,
    }
  }

  get fine(): FineCodes {
    const { dimensions, fine, scales } = this.#packed
    return {
      codes: fine.subarray(this.#at * dimensions, (this.#at + 1) * dimensions),
      scale: scales[this.#at * 2 + 1] as number,
    }
  }
}
