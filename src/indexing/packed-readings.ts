/** Promise: what a model made of texts crosses from one thread to another as three arrays, and comes out the same. */

import type { Surrounded } from '../core/passage.js'
import type { ChunkVector, RecordVectors } from '../storage/meaning.js'

export type PackedReadings = {
  /** How many chunks each text has. */
  readonly counts: Int32Array<ArrayBuffer>
  /** Start and end of each chunk. */
  readonly ranges: Int32Array<ArrayBuffer>
  /** The vectors of the chunks of a text, then that of the whole where there are several. */
  readonly vectors: Float32Array<ArrayBuffer>
  readonly dimensions: number
}

export function packReadings(read: readonly RecordVectors[], dimensions: number): PackedReadings {
  let [chunkCount, vectorCount] = [0, 0]
  for (const { chunks, whole } of read) {
    chunkCount += chunks.length
    vectorCount += chunks.length + (whole === null ? 0 : 1)
  }
  const counts = new Int32Array(read.length)
  const ranges = new Int32Array(2 * chunkCount)
  const vectors = new Float32Array(vectorCount * dimensions)
  let [text, range, vector] = [0, 0, 0]
  for (const { chunks, whole } of read) {
    counts[text++] = chunks.length
    for (const chunk of chunks) {
      ranges[range++] = chunk.start
      ranges[range++] = chunk.end
      vectors.set(chunk.vector, dimensions * vector++)
    }
    if (whole !== null) vectors.set(whole, dimensions * vector++)
  }
  return { counts, ranges, vectors, dimensions }
}

/** Of the same texts, in their order; the vectors are parts of the packed ones. */
export function unpackReadings(
  texts: readonly Surrounded[],
  { counts, ranges, vectors, dimensions }: PackedReadings,
): RecordVectors[] {
  let [range, vector] = [0, 0]
  const take = (): Float32Array => vectors.subarray(dimensions * vector, dimensions * ++vector)
  return texts.map(({ title, body, context }, i) => {
    const count = counts[i] ?? 0
    const chunks: ChunkVector[] = []
    while (chunks.length < count) {
      const [start, end] = [ranges[range++] as number, ranges[range++] as number]
      chunks.push({ start, end, vector: take() })
    }
    return { of: { title, body, context }, chunks, whole: count > 1 ? take() : null }
  })
}
