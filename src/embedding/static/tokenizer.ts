/** Splits a text into the ids of the model's word pieces. */

import { Buffer } from 'node:buffer'
import { Vocabulary } from './vocabulary.js'

/** A longer word is noise (a key, a base64 line) and is skipped. */
const LONGEST_WORD = 64
/** A word that no pieces cover still counts as tokens: about one for this many characters. */
const CHARACTERS_PER_UNKNOWN_TOKEN = 4

/** The folded form of a character that is not a letter or digit. Zero means "not computed yet". */
const BOUNDARY = 1
/** The folded form of a character that depends on its neighbours: a mark, a ligature, a surrogate, a sigma. */
const NEEDS_CONTEXT = 2

const CAMEL_BOUNDARY = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g
const SPACE = 32
const CAPITAL_SIGMA = '\u03a3'

/** A span is the text between two runs of white space. Folding never depends on text beyond white space. */
export type TokenizedText = {
  readonly ids: readonly number[]
  /** The number of ids, plus an estimate for the skipped words. */
  readonly tokens: number
  /** Four numbers for each span: its start, its end, and the number of ids and of tokens up to its end. */
  readonly spans: Int32Array
}

export class Tokenizer {
  readonly #vocabulary: Vocabulary
  readonly #maxIds: number
  readonly #word = new Uint16Array(2 * LONGEST_WORD)
  /** The folded form of each character, computed on first use. Thirty times faster than the patterns. */
  readonly #forms = new Uint16Array(0x10000)
  /**
   * The text and its spans, in arrays that the next text reuses. Growing lists and reading the characters of a string
   * takes 1.4 times as long.
   */
  #units = new Uint16Array(0)
  #spans = new Int32Array(0)
  #ids: number[] = []
  #unknownTokens = 0

  /** `pieces` is the index of a vocabulary. Ids beyond the first `maxIds` are dropped. */
  constructor(pieces: Uint8Array, maxIds: number) {
    this.#vocabulary = new Vocabulary(pieces)
    this.#maxIds = maxIds
  }

  get size(): number {
    return this.#vocabulary.size
  }

  tokenize(text: string): TokenizedText {
    this.#load(text)
    const ids: number[] = []
    this.#ids = ids
    this.#unknownTokens = 0
    const spans = this.#spans
    let size = 0
    for (let at = 0; at < text.length; at++) {
      if (isSpace(this.#units[at] as number)) continue
      spans[size++] = at
      at = this.#readSpan(text, at)
      spans[size++] = at
      spans[size++] = ids.length
      spans[size++] = ids.length + this.#unknownTokens
    }
    return { ids, tokens: ids.length + this.#unknownTokens, spans: spans.slice(0, size) }
  }

  /** Copies the text to `#units`, with a space after it. */
  #load(text: string): void {
    if (this.#units.length <= text.length) {
      const size = 2 * text.length + 1
      this.#units = new Uint16Array(size)
      this.#spans = new Int32Array(2 * size)
    }
    Buffer.from(this.#units.buffer).write(text, 'utf16le')
    this.#units[text.length] = SPACE
  }

  /** Adds the words of the span from `start`. Returns the offset of the white space after it. */
  #readSpan(text: string, start: number): number {
    const word = this.#word
    const units = this.#units
    const idsBefore = this.#ids.length
    const unknownBefore = this.#unknownTokens
    let length = 0
    let before = BOUNDARY
    let at = start
    for (; ; at++) {
      const code = units[at] as number
      if (isSpace(code)) break
      const form = this.#fold(code)
      if (form === NEEDS_CONTEXT) {
        this.#ids.length = idsBefore
        this.#unknownTokens = unknownBefore
        return this.#readFolded(text, start)
      }
      if (form === BOUNDARY) {
        if (length > 0) this.#addWord(length, length)
        length = 0
        continue
      }
      if (length > 0 && isCapital(form) && this.#isCamelBoundary(before, units[at + 1] as number)) {
        this.#addWord(length, length)
        length = 0
      }
      if (length < LONGEST_WORD) word[length] = isCapital(form) ? form + 32 : form
      length++
      before = form
    }
    if (length > 0) this.#addWord(length, length)
    return at
  }

  /** Folds the span as a whole, which is slower. */
  #readFolded(text: string, start: number): number {
    let end = start
    while (end < text.length && !isSpace(text.charCodeAt(end))) end++
    for (const word of listWords(text.slice(start, end))) {
      const characters = word.length <= LONGEST_WORD ? word.length : [...word].length
      const units = Math.min(word.length, this.#word.length)
      for (let i = 0; i < units; i++) this.#word[i] = word.charCodeAt(i)
      this.#addWord(units, characters)
    }
    return end
  }

  /** Adds the pieces of a word, by greedy longest match from the left. Skips a word that the pieces do not cover fully. */
  #addWord(units: number, characters: number): void {
    const vocabulary = this.#vocabulary
    const before = this.#ids.length
    for (let at = 0; at < units && characters <= LONGEST_WORD; ) {
      const id = vocabulary.findLongest(this.#word, at, units)
      if (id < 0) break
      if (this.#ids.length < this.#maxIds) this.#ids.push(id)
      at += vocabulary.lengthOf(id)
      if (at === units) return
    }
    this.#ids.length = before
    this.#unknownTokens += Math.ceil(characters / CHARACTERS_PER_UNKNOWN_TOKEN)
  }

  /**
   * Returns BOUNDARY, NEEDS_CONTEXT, or the letter or digit that the character folds to. ASCII letters keep their case,
   * because capitals decide where camelCase is split; all others become lower case.
   */
  #fold(code: number): number {
    const known = this.#forms[code] as number
    if (known !== 0) return known
    const form = foldCharacter(code)
    this.#forms[code] = form
    return form
  }

  /** Whether a capital begins a word: `B` in `aB`, `1B` and `ABc`. */
  #isCamelBoundary(before: number, next: number): boolean {
    if (isCapital(before)) return isSmall(this.#fold(next))
    return isSmall(before) || (before >= 48 && before <= 57)
  }
}

function foldCharacter(code: number): number {
  // Compiling the patterns below takes a millisecond, which a query in ASCII saves.
  if (code < 128) return /[\da-z]/i.test(String.fromCharCode(code)) ? code : BOUNDARY
  const character = String.fromCharCode(code)
  const isSurrogate = code >= 0xd800 && code <= 0xdfff
  if (isSurrogate || /^\p{M}$/u.test(character) || character === CAPITAL_SIGMA) return NEEDS_CONTEXT
  const bare = dropMarks(character.normalize('NFKD'))
  if (bare.length > 0 && !/[\p{L}\p{N}]/u.test(bare)) return BOUNDARY
  const folded = bare.charCodeAt(0) < 128 ? bare : bare.toLowerCase()
  return folded.length === 1 && /^[\p{L}\p{N}]$/u.test(folded)
    ? folded.charCodeAt(0)
    : NEEDS_CONTEXT
}

/** Returns the folded words of a text. */
export function listWords(text: string): readonly string[] {
  const isPlain = /^[ -~]*$/.test(text)
  if (isPlain)
    return (
      text
        .replace(CAMEL_BOUNDARY, ' ')
        .toLowerCase()
        .match(/[a-z\d]+/g) ?? []
    )
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

/**
 * Applies NFKD, removes marks, adds a space at camelCase boundaries, and converts to lower case.
 * Marks are removed *before* NFKD too, because NFKD sorts a run of marks by insertion and a hostile megabyte of them would
 * take minutes. The result is the same: Mn marks decompose to Mn only, and the other marks are boundaries anyway.
 */
export function foldText(text: string): string {
  const unmarked = dropMarks(text).replace(/\p{M}+/gu, ' ')
  return dropMarks(unmarked.normalize('NFKD')).replace(CAMEL_BOUNDARY, ' ').toLowerCase()
}

function dropMarks(text: string): string {
  return text.replace(/\p{Mn}+/gu, '')
}

function isSpace(code: number): boolean {
  return code === SPACE || (code >= 9 && code <= 13)
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122
}
