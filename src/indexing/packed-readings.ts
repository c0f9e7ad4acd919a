/** Promise: what a model made of texts crosses from one thread to another as three arrays, and comes out the same. */

import type { Surrounded } from '../core/passage.js'
import type { RecordVectors } from '../storage/meaning.js'

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
  const chunks = read.reduce((sum, one) => sum + one.chunks.length, 0)
  const wholes = read.reduce((sum, { whole }) => sum + (whole === null ? 0 : 1), 0)
  const counts = new Int32Array(read.length)
  const ranges = new Int32Array(2 * chunks)
  const vectors = new Float32Array((chunks + wholes) * dimensions)
  let [range, vector] = [0, 0]
  const put = (values: Float32Array): void => vectors.set(values, dimensions * vector++)
  for (const [i, one] of read.entries()) {
    counts[i] = one.chunks.length
    for (const { start, end, vector: own } of one.chunks) {
      ranges[range++] = start
      ranges[range++] = end
      put(own)
    }
    if (one.whole !== null) put(one.whole)
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
    const chunks = Array.from({ length: count }, () => ({
      start: ranges[range++] as number,
      end: ranges[range++] as number,
      vector: take(),
    }))
    return { of: { title, body, context }, chunks, whole: count > 1 ? take() : null }
  })
}
