/** Cuts the text of a record into chunks and embeds them. */

import type { Range } from '../core/answer.js'
import {
  cutPassage,
  joinTitleAndBody,
  neighboursIn,
  type TextInContext,
  type TitledText,
} from '../core/passage.js'
import type { ChunkVector, RecordVectors, VectorStorage } from '../storage/vectors.js'
import { chunkText } from '../text/chunk.js'
import { type Embedder, isBundled, mapInTurns, normalise, type PreparedText } from './embedder.js'

/** The tokens of a chunk, and how many of them overlap with the next chunk (L3). */
export const CHUNK_TOKENS = 512
export const OVERLAP_TOKENS = 50
/** The bundled model adds up word vectors, and long sums are less specific: docs/decisions/0014-chunk-size.md. */
export const STATIC_CHUNK = { maxTokens: 256, overlapTokens: 25 } as const
/** The weight of the neighbours of a turn; the turn itself has weight 1. */
export const CONTEXT_WEIGHT = 0.5

/** Caches the vectors of passages. The bundled model does not use it, because embedding is faster than a look-up. */
type PassageCache = Pick<VectorStorage, 'getCached' | 'storeCached'>

export async function embedRecords(
  embedder: Embedder,
  texts: readonly TextInContext[],
  cache: PassageCache | null,
): Promise<RecordVectors[]> {
  const embedded = await mapInTurns(
    texts,
    ({ body }) => body.length,
    (text) => embedPrepared(embedder, text),
  )
  const others = texts.filter((_, i) => embedded[i] === null)
  const later = await embedPassages(embedder, others, cache)
  let next = 0
  return embedded.map((one) => one ?? (later[next++] as RecordVectors))
}

/** Returns null if the model cannot prepare the text, and for turns, which are embedded together with their neighbours. */
function embedPrepared(embedder: Embedder, text: TextInContext): RecordVectors | null {
  const full = joinTitleAndBody(text)
  const prepared = text.context === null ? embedder.prepare?.(full) : null
  if (prepared === null || prepared === undefined) return null
  const shift = full.length - text.body.length
  return assemble(text, splitBody(embedder, text, prepared), ({ start, end }) =>
    prepared.embed(start === 0 ? 0 : start + shift, end + shift),
  )
}

/** Embeds the passages of all texts with one call to the model. */
async function embedPassages(
  embedder: Embedder,
  texts: readonly TextInContext[],
  cache: PassageCache | null,
): Promise<RecordVectors[]> {
  const ranges = texts.map((text) => splitBody(embedder, text))
  const passages = texts.flatMap((text, i) => [
    ...(ranges[i] ?? []).map((range) => cutPassage(text, range)),
    ...neighboursIn(text.context),
  ])
  // A neighbour is often also one of the texts; each distinct passage is embedded once.
  const distinct = [...new Set(passages)]
  const vectors = await embedCached(embedder, distinct, cache)
  const byText = new Map(distinct.map((passage, i) => [passage, vectors[i]]))
  const findVector = (passage: string): Float32Array => byText.get(passage) ?? new Float32Array(0)
  return texts.map((text, i) => {
    const record = assemble(text, ranges[i] ?? [], (range) => findVector(cutPassage(text, range)))
    const neighbours = neighboursIn(text.context).map(findVector)
    return { ...record, chunks: addNeighbours(record.chunks, neighbours) }
  })
}

async function embedCached(
  embedder: Embedder,
  passages: readonly string[],
  cache: PassageCache | null,
): Promise<Float32Array[]> {
  if (passages.length === 0) return []
  if (cache === null || isBundled(embedder)) return embedder.embed(passages, { as: 'passage' })
  const known = await cache.getCached(embedder.model.id, passages)
  const unknown = passages.filter((_, i) => known[i] === null)
  if (unknown.length === 0) return known.filter((vector) => vector !== null)
  const added = await embedder.embed(unknown, { as: 'passage' })
  await cache.storeCached(embedder.model.id, unknown, added)
  let next = 0
  return known.map((vector) => vector ?? added[next++] ?? new Float32Array(0))
}

/** Splits the body into ranges. The title is embedded with the first range and counts toward its tokens. */
function splitBody(embedder: Embedder, text: TitledText, prepared?: PreparedText): Range[] {
  const full = joinTitleAndBody(text)
  const shift = full.length - text.body.length
  const { model } = embedder
  const size = isBundled(embedder)
    ? STATIC_CHUNK
    : { maxTokens: Math.min(CHUNK_TOKENS, model.maxTokens), overlapTokens: OVERLAP_TOKENS }
  const chunks = chunkText(full, {
    ...size,
    countTokens: (part) => embedder.countTokens(part),
    ...(prepared && { countRange: (start, end) => prepared.countTokens(start, end) }),
  })
  const inBody = chunks.map(({ start, end }) => ({
    start: Math.max(0, start - shift),
    end: Math.max(0, end - shift),
  }))
  // Chunks that hold only a part of a long title are dropped: the first range of the body has all of it.
  const first = inBody.findIndex(({ end }) => end > 0)
  const ranges = first < 0 ? inBody.slice(0, 1) : inBody.slice(first)
  return ranges.map((range, i) => (i === 0 ? { ...range, start: 0 } : range))
}

function assemble(
  { title, body, context }: TextInContext,
  ranges: readonly Range[],
  embedRange: (range: Range) => Float32Array,
): RecordVectors {
  const chunks = ranges
    .map(({ start, end }) => ({ start, end, vector: embedRange({ start, end }) }))
    // A zero vector means that the model knows none of the words.
    .filter(({ vector }) => vector.some((value) => value !== 0))
  const whole = chunks.length > 1 ? averageVectors(chunks.map(({ vector }) => vector)) : null
  return { of: { title, body, context }, chunks, whole }
}

/** Adds the neighbours to a turn that is one chunk. Longer turns are not changed. */
function addNeighbours(chunks: readonly ChunkVector[], neighbours: readonly Float32Array[]) {
  const [only, second] = chunks
  if (only === undefined || second !== undefined || neighbours.length === 0) return chunks
  const sum = Float32Array.from(only.vector)
  for (const neighbour of neighbours) {
    for (let i = 0; i < sum.length; i++) {
      sum[i] = (sum[i] ?? 0) + CONTEXT_WEIGHT * (neighbour[i] ?? 0)
    }
  }
  return [{ ...only, vector: normalise(sum) }]
}

export function averageVectors(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) {
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (vector[i] as number)
  }
  return normalise(sum)
}
