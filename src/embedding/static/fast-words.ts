/** `wasm/words.wat` reads a text of ordinary length, and the few stretches it cannot are folded for it. */

import { Buffer } from 'node:buffer'
import { foldText } from './characters.js'
import { eachFoldedWord, MOST_UNITS } from './folded-words.js'
import { type FoundPieces, WORD } from './found-pieces.js'
import { align } from './wasm.js'

export type WordFunctions = {
  read(room: number, from: number): number
  addWord(room: number, units: number, characters: number): void
  noteWord(room: number): void
}

/** Longer texts are rare, and what is noted of them would take some thirty bytes a character for good. */
const LONGEST_TEXT = 200_000
const LETTERS = 131_072
const HEADER_BYTES = 64
/** Eight letters are read at once, and eight places written: some after the last one. */
const SPARE = 16
const UNITS_BYTES = align((LONGEST_TEXT + SPARE) * 2)
const IDS_BYTES = LONGEST_TEXT * 4

/** Where words are not noted, one and the same place and word are written over and over. */
const notesOf = (notesWords: boolean): number => (notesWords ? LONGEST_TEXT : 0) + SPARE

/** A room has its numbers, the text, the ids, the places and the words. */
export function roomBytes({ notesWords }: { readonly notesWords: boolean }): number {
  const notes = notesOf(notesWords)
  return align(HEADER_BYTES + UNITS_BYTES + IDS_BYTES + notes * (4 + WORD.width * 4))
}

/** Where the numbers of a room lie, four bytes each. */
const [UNITS, END, IDS, IDS_ROOM, COUNT, UNKNOWN_TOKENS, IS_FULL] = [0, 1, 2, 3, 4, 5, 6] as const
const [PLACES, PLACE_BYTES, WORDS, WORD_COUNT, STRETCH] = [7, 8, 9, 10, 11] as const

export type FastWordsParts = {
  readonly memory: ArrayBuffer
  readonly functions: WordFunctions
  readonly maxIds: number
  /** The address of a room, all zero. */
  readonly room: number
  readonly notesWords: boolean
}

export class FastWords implements FoundPieces {
  readonly ids: Int32Array
  readonly places: Int32Array
  readonly words: Int32Array
  readonly #functions: WordFunctions
  readonly #room: number
  readonly #numbers: Int32Array
  readonly #bytes: Buffer
  readonly #letters: Uint16Array

  constructor({ memory, functions, maxIds, room, notesWords }: FastWordsParts) {
    const units = room + HEADER_BYTES
    const ids = units + UNITS_BYTES
    const places = ids + IDS_BYTES
    const words = places + notesOf(notesWords) * 4
    this.#functions = functions
    this.#room = room
    this.#letters = new Uint16Array(memory, LETTERS, MOST_UNITS)
    this.#bytes = Buffer.from(memory, units, UNITS_BYTES)
    this.ids = new Int32Array(memory, ids, LONGEST_TEXT)
    this.places = new Int32Array(memory, places, notesOf(notesWords))
    this.words = new Int32Array(memory, words, notesOf(notesWords) * WORD.width)
    const numbers = new Int32Array(memory, room, HEADER_BYTES / 4)
    numbers[UNITS] = units
    numbers[IDS] = ids
    numbers[IDS_ROOM] = Math.min(maxIds, LONGEST_TEXT)
    numbers[PLACES] = places
    numbers[PLACE_BYTES] = notesWords ? 4 : 0
    numbers[WORDS] = words
    this.#numbers = numbers
  }

  get count(): number {
    return this.#numbers[COUNT] as number
  }

  get unknownTokens(): number {
    return this.#numbers[UNKNOWN_TOKENS] as number
  }

  /** False where the text is too long, or has more ids than there is room for. */
  read(text: string): boolean {
    if (text.length > LONGEST_TEXT) return false
    const numbers = this.#numbers
    this.#bytes.write(text, 'utf16le')
    this.#bytes.writeUInt16LE(0, text.length * 2)
    numbers[END] = text.length
    numbers[COUNT] = 0
    numbers[UNKNOWN_TOKENS] = 0
    numbers[IS_FULL] = 0
    numbers[WORD_COUNT] = 0
    let at = this.#functions.read(this.#room, 0)
    while (at < text.length) {
      const space = text.indexOf(' ', at)
      const until = space < 0 ? text.length : space
      this.#readFolded(text, numbers[STRETCH] as number, until)
      at = this.#functions.read(this.#room, until)
    }
    return numbers[IS_FULL] === 0
  }

  #readFolded(text: string, start: number, end: number): void {
    const { addWord, noteWord } = this.#functions
    eachFoldedWord(foldText(text.slice(start, end)), this.#letters, (units, characters) =>
      addWord(this.#room, units, characters),
    )
    if (this.#numbers[PLACE_BYTES] === 0) return
    this.places[start] = this.#numbers[WORD_COUNT] as number
    this.places.fill(-1, start + 1, end)
    noteWord(this.#room)
  }
}
