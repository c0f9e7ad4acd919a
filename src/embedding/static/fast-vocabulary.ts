/** The memory of `wasm/words.wat`: characters, pieces, and a room for each of two readers. */

import { Buffer } from 'node:buffer'
import { plainForm } from './characters.js'
import { FastWords, roomBytes, type WordFunctions } from './fast-words.js'
import { emptyLine } from './vocabulary.js'
import { align, createMemory, growTo, instantiate } from './wasm.js'
import { WORDS_BASE64 } from './words.wasm.js'

type LearningFunctions = WordFunctions & {
  countLines(at: number, end: number): number
  learn(at: number, end: number, pieces: number, slots: number, bucketBits: number): number
}

const LIST = 132_096
const PIECE_BYTES = 16
const BUCKET_BYTES = 16
/** Their numbers must fit into 17 bits of a slot. */
const MOST_PIECES = 2 ** 17 - 1
/** Eight letters are read at once: some after the last one. */
const SPARE_BYTES = 16

export type FastReaders = {
  /** How many pieces there are. */
  readonly size: number
  readonly whole: FastWords
  readonly noting: FastWords
}

/** Of a list with a piece a line. Null where this Node has no WebAssembly, or there is nothing or too much to learn. */
export function learnFast(list: string, maxIds: number): FastReaders | null {
  const listEnd = LIST + list.length * 2
  const pieces = align(listEnd + SPARE_BYTES)
  const memory = list === '' ? null : createMemory(pieces)
  if (memory === null) return null
  const functions = instantiate<LearningFunctions>(WORDS_BASE64, { memory, plainForm })
  if (functions === null) return null

  Buffer.from(memory.buffer, LIST).write(list, 'utf16le')
  const size = functions.countLines(LIST, listEnd)
  if (size > MOST_PIECES) return null
  const slots = align(pieces + (size + 1) * PIECE_BYTES)
  let bucketBits = 8
  while (2 ** bucketBits * 2 < size) bucketBits++
  const whole = slots + 2 ** bucketBits * BUCKET_BYTES
  const noting = whole + roomBytes({ notesWords: false })
  growTo(memory, noting + roomBytes({ notesWords: true }))
  const badLine = functions.learn(LIST, listEnd, pieces, slots, bucketBits)
  if (badLine > 0) throw emptyLine(badLine)

  const parts = { memory: memory.buffer, functions, maxIds }
  return {
    size,
    whole: new FastWords({ ...parts, room: whole, notesWords: false }),
    noting: new FastWords({ ...parts, room: noting, notesWords: true }),
  }
}
