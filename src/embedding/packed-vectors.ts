/** Packs the vectors of many texts into three arrays, which a worker transfers without copying. */

import type { TextInContext } from '../core/passage.js'
import type { ChunkVector, RecordVectors } from '../storage/vectors.js'

/** `vectors` holds for each text one vector per chunk, then the vector of the whole text if it has several chunks. */
export type PackedVectors = {
  /** The number of chunks of each text. */
  readonly counts: Int32Array<ArrayBuffer>
  /** The start and end of each chunk. */
  readonly ranges: Int32Array<ArrayBuffer>
  readonly vectors: Float32Array<ArrayBuffer>
}

export function packVectors(records: readonly RecordVectors[], dimensions: number): PackedVectors {
  const counts = Int32Array.from(records, ({ chunks }) => chunks.length)
  const chunks = records.flatMap((record) => record.chunks)
  const ranges = Int32Array.from(chunks.flatMap(({ start, end }) => [start, end]))
  const all = records.flatMap((record) => {
    const own = record.chunks.map(({ vector }) => vector)
    return record.whole === null ? own : [...own, record.whole]
  })
  const vectors = new Float32Array(all.length * dimensions)
  for (const [i, vector] of all.entries()) vectors.set(vector, i * dimensions)
  return { counts, ranges, vectors }
}

export function unpackVectors(
  texts: readonly TextInContext[],
  { counts, ranges, vectors }: PackedVectors,
): RecordVectors[] {
  const total = counts.reduce((sum, count) => sum + count + (count > 1 ? 1 : 0), 0)
  const dimensions = vectors.length / Math.max(1, total)
  let [chunk, at] = [0, 0]
  const next = (): Float32Array => {
    const vector = vectors.subarray(at, at + dimensions)
    at += dimensions
    return vector
  }
  return texts.map(({ title, body, context }, i) => {
    const chunks: ChunkVector[] = []
    const count = counts[i] ?? 0
    for (let k = 0; k < count; k++, chunk++) {
      const [start, end] = [ranges[chunk * 2] as number, ranges[chunk * 2 + 1] as number]
      chunks.push({ start, end, vector: next() })
    }
    return { of: { title, body, context }, chunks, whole: count > 1 ? next() : null }
  })
}
