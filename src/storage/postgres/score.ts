/** Scores a text by where the words of a query stand in it: phrases, columns, and the best passage of a long text. */

import {
  BODY_COLUMN,
  COLUMN_WEIGHTS,
  LONG_TEXT_WORDS,
  normOf,
  PASSAGE_WORDS,
  pointsOf,
  roundFrequency,
} from '../bm25.js'
import type { SoughtLeaf } from './match.js'

/** What the index holds of one text. */
export type IndexedText = {
  readonly length: number
  readonly textWords: number
  readonly parts: readonly Uint8Array[]
}

export type WeighedLeaf = SoughtLeaf & {
  readonly idf: number
  /** Of all terms that begin like the last one; null where that is no prefix. */
  readonly expanded: ReadonlySet<number> | null
}

const WEIGHTS = Object.values(COLUMN_WEIGHTS)
/** Columns are this far apart where a position is one number. */
const COLUMN_STRIDE = 2 ** 32
const BODY_START = BODY_COLUMN * COLUMN_STRIDE
const BODY_END = BODY_START + COLUMN_STRIDE
/** A passage is two blocks of the body, and one begins with every block. */
const BLOCK_WORDS = PASSAGE_WORDS / 2
const PASSAGE_NORM = normOf(PASSAGE_WORDS)

/** Below zero, the least is the best; null where it holds none of the leaves. */
export function scoreText(text: IndexedText, leaves: readonly WeighedLeaf[]): number | null {
  const norm = normOf(text.length)
  let points = 0
  let holdsAny = false
  for (const leaf of leaves) {
    const occurrences = findLeaf(text, leaf)
    if (occurrences.length === 0) continue
    holdsAny = true
    points += pointsOf(leaf.idf, weigh(occurrences), norm)
  }
  return holdsAny ? -points : null
}

/** The score of the best passage of a long text; null for a short one. */
export function scoreBestPassage(text: IndexedText, leaves: readonly WeighedLeaf[]): number | null {
  if (text.textWords <= LONG_TEXT_WORDS) return null
  const points = new Float64Array(Math.ceil(text.textWords / BLOCK_WORDS))
  let everywhere = 0
  for (const leaf of leaves) {
    const occurrences = findLeaf(text, leaf)
    if (occurrences.length === 0) continue
    const blocks = new Map<number, number>()
    const rest: number[] = []
    for (const at of occurrences) {
      if (at < BODY_START || at >= BODY_END) rest.push(at)
      else {
        const block = Math.floor((at - BODY_START) / BLOCK_WORDS)
        blocks.set(block, (blocks.get(block) ?? 0) + 1)
      }
    }
    // What is not in the body belongs to all passages.
    const restFrequency = weigh(rest)
    const restPoints = pointsOf(leaf.idf, restFrequency, PASSAGE_NORM)
    everywhere += restPoints
    const starts = new Set([...blocks.keys()].flatMap((block) => [block - 1, block]))
    for (const start of starts) {
      if (start < 0) continue
      const count = (blocks.get(start) ?? 0) + (blocks.get(start + 1) ?? 0)
      const own = restFrequency + count * COLUMN_WEIGHTS.body
      points[start] = (points[start] as number) + pointsOf(leaf.idf, own, PASSAGE_NORM) - restPoints
    }
  }
  return -(points.reduce((most, one) => Math.max(most, one), 0) + everywhere)
}

function weigh(occurrences: readonly number[]): number {
  let sum = 0
  for (const at of occurrences) sum += WEIGHTS[Math.floor(at / COLUMN_STRIDE)] as number
  return roundFrequency(sum)
}

/** Where a word or phrase begins, in the columns in which it counts. */
function findLeaf({ parts }: IndexedText, leaf: WeighedLeaf): number[] {
  const { hashes, columns, expanded } = leaf
  const last = hashes.length - 1
  let starts: number[] = []
  for (let i = 0; i < hashes.length; i++) {
    const found: number[] = []
    for (const part of parts) {
      if (expanded !== null && i === last) readAny(part, expanded, found)
      else readPosting(part, hashes[i] as number, found)
    }
    if (i === 0) starts = found
    else {
      const here = new Set(found)
      starts = starts.filter((at) => here.has(at + i))
    }
    if (starts.length === 0) return []
  }
  return starts.filter((at) => (columns & (1 << Math.floor(at / COLUMN_STRIDE))) !== 0)
}

/** Adds the positions of the token with this hash. */
function readPosting(packed: Uint8Array, hash: number, positions: number[]): void {
  const count = readUint32(packed, 0)
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (readUint32(packed, 4 + 4 * middle) < hash) low = middle + 1
    else high = middle
  }
  if (low === count || readUint32(packed, 4 + 4 * low) !== hash) return
  let at = 4 + 4 * count
  let start = 0
  let length = 0
  for (let i = 0; i < count; i++) {
    let size = 0
    let shift = 0
    let byte = 128
    while (byte > 127) {
      byte = packed[at++] as number
      size |= (byte & 127) << shift
      shift += 7
    }
    if (i < low) start += size
    else if (i === low) length = size
  }
  readPositions(packed, at + start, at + start + length, positions)
}

/** Adds the positions of all tokens with one of these hashes. */
function readAny(packed: Uint8Array, hashes: ReadonlySet<number>, positions: number[]): void {
  const count = readUint32(packed, 0)
  for (let i = 0; i < count; i++) {
    const hash = readUint32(packed, 4 + 4 * i)
    if (hashes.has(hash)) readPosting(packed, hash, positions)
  }
}

function readPositions(packed: Uint8Array, from: number, to: number, positions: number[]): void {
  let column = (packed[from] as number) * COLUMN_STRIDE
  let position = -1
  for (let at = from + 1; at < to; ) {
    let number = 0
    let shift = 0
    let byte = 128
    while (byte > 127) {
      byte = packed[at++] as number
      number |= (byte & 127) << shift
      shift += 7
    }
    if (number === 0) {
      column = (packed[at++] as number) * COLUMN_STRIDE
      position = -1
      continue
    }
    position += number
    positions.push(column + position)
  }
}

function readUint32(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) +
    (bytes[at + 1] as number) * 2 ** 8 +
    (bytes[at + 2] as number) * 2 ** 16 +
    (bytes[at + 3] as number) * 2 ** 24
  )
}
