/** A record becomes chunks with vectors, and a text the model knows nothing of becomes none. */

import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { type Embedder, isBundled, normalise } from './embedder.js'
import { meanOf } from './mean-vector.js'

/** Tokens of a chunk and how many of them the next one repeats (L3). */
export const CHUNK_TOKENS = 512
export const OVERLAP_TOKENS = 50
/** The bundled model sums words, and a sum of many says less: docs/decisions/0014-chunk-size.md. */
export const STATIC_CHUNK = { maxTokens: 128, overlapTokens: 13 } as const

export type PassageCache = Pick<VectorStorage, 'recall' | 'remember'>

/** Characters between two breaths of the event loop: some tens of milliseconds of work. */
const CHARACTERS_PER_TURN = 500_000

/** Half of what the neighbours of a turn say is added to what it says itself. */
export const CONTEXT_WEIGHT = 0.5

/** What a model makes of each text. */
export async function readRecords(
  embedder: Embedder,
  texts: readonly TextInContext[],
  cache: PassageCache,
): Promise<RecordVectors<Float32Array>[]> {
  const read: (RecordVectors<Float32Array> | null)[] = []
  let sinceTurn = 0
  for (const text of texts) {
    read.push(readAtOnce(embedder, text))
    sinceTurn += text.body.length
    if (sinceTurn > CHARACTERS_PER_TURN) {
      sinceTurn = 0
      await nextTurn()
    }
  }
  const others = texts.filter((_, i) => read[i] === null)
  const passages = await readPassages(embedder, others, cache)
  let next = 0
  return read.map((one) => one ?? (passages[next++] as RecordVectors<Float32Array>))
}

/** Null where the model cannot read a text in one go, and for a turn: its neighbours are read with those of others. */
function readAtOnce(embedder: Embedder, text: TextInContext): RecordVectors<Float32Array> | null {
  if (text.context !== null || embedder.prepare === undefined) return null
  const reading = joinTitleAndBody(text)
  const read = embedder.prepare(reading)
  if (read === null) return null
  const shift = reading.length - text.body.length
  const { maxTokens, overlapTokens } = chunkSize(embedder)
  const chunks = chunkText(reading, {
    maxTokens,
    overlapTokens,
    countTokens: (part) => embedder.countTokens(part),
    countRange: (start, end) => read.countTokens(start, end),
  })
  return assemble(text, rangesIn(chunks, shift), ({ start, end }) =>
    read.embed(start === 0 ? 0 : start + shift, end + shift),
  )
}

/** With one call for the passages of all texts. */
async function readPassages(
  embedder: Embedder,
  texts: readonly TextInContext[],
  cache: PassageCache,
): Promise<RecordVectors<Float32Array>[]> {
  const ranges = texts.map((text) => splitIntoRanges(embedder, text))
  const passages = texts.flatMap((text, i) => [
    ...(ranges[i] ?? []).map((range) => cutPassage(text, range)),
    ...neighboursIn(text.context),
  ])
  // A neighbour is a turn of its own as well: each text is read once.
  const distinct = [...new Set(passages)]
  const vectors = await embedPassages(embedder, distinct, cache)
  const byText = new Map(distinct.map((passage, i) => [passage, vectors[i]]))
  const vectorOf = (passage: string): Float32Array => byText.get(passage) ?? new Float32Array(0)
  return texts.map((text, i) => {
    const read = assemble(text, ranges[i] ?? [], (range) => vectorOf(cutPassage(text, range)))
    return {
      ...read,
      chunks: withNeighbours(read.chunks, neighboursIn(text.context).map(vectorOf)),
    }
  })
}

function assemble(
  { title, body, context }: TextInContext,
  ranges: readonly Range[],
  vectorOf: (range: Range) => Float32Array,
): RecordVectors<Float32Array> {
  const chunks: ChunkVector<Float32Array>[] = []
  for (const range of ranges) {
    const vector = vectorOf(range)
    if (isZero(vector)) continue
    chunks.push({ start: range.start, end: range.end, vector })
  }
  const [first, ...others] = chunks
  const isSeveral = first !== undefined && others.length > 0
  return {
    of: { title, body, context },
    chunks,
    whole: isSeveral ? meanOf(first, others) : null,
  }
}

/** "No opinion": the model knows none of the words. */
function isZero(vector: Float32Array): boolean {
  for (let i = 0; i < vector.length; i++) if (vector[i] !== 0) return false
  return true
}

/** Only for a turn short enough to be one chunk. */
function withNeighbours(
  chunks: readonly ChunkVector<Float32Array>[],
  neighbours: readonly Float32Array[],
): readonly ChunkVector<Float32Array>[] {
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

function splitIntoRanges(embedder: Embedder, text: TitledText): Range[] {
  const reading = joinTitleAndBody(text)
  const chunks = chunkText(reading, {
    ...chunkSize(embedder),
    countTokens: (part) => embedder.countTokens(part),
  })
  return rangesIn(chunks, reading.length - text.body.length)
}

/** Ranges of the body, which begins at `shift`; the title is read with the first of them and counted there. */
function rangesIn(chunks: readonly Range[], shift: number): Range[] {
  const ranges: Range[] = []
  for (const { start, end } of chunks) {
    const isFirst = ranges.length === 0
    ranges.push({ start: isFirst ? 0 : Math.max(0, start - shift), end: Math.max(0, end - shift) })
  }
  return ranges
}

function chunkSize({ model }: Pick<Embedder, 'model'>): {
  maxTokens: number
  overlapTokens: number
} {
  if (isBundled({ model })) return STATIC_CHUNK
  return { maxTokens: Math.min(CHUNK_TOKENS, model.maxTokens), overlapTokens: OVERLAP_TOKENS }
}

/** Only what has not been read before is sent to the model; the bundled one is quicker than any memory. */
async function embedPassages(
  embedder: Embedder,
  passages: readonly string[],
  cache: PassageCache,
): Promise<Float32Array[]> {
  if (passages.length === 0) return []
  if (isBundled(embedder)) return embedder.embed(passages, { as: 'passage' })
  const known = await cache.recall(embedder.model.id, passages)
  const unknown = passages.filter((_, i) => known[i] === null)
  if (unknown.length === 0) return known.filter((vector) => vector !== null)
  const made = await embedder.embed(unknown, { as: 'passage' })
  await cache.remember(embedder.model.id, unknown, made)
  let next = 0
  return known.map((vector) => vector ?? made[next++] ?? new Float32Array(0))
}
