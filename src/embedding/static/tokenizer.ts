/** Splits a text into the ids of the model's word pieces. */

import { Buffer } from 'node:buffer'
import { Vocabulary } from './vocabulary.js'

/** A longer word is noise (a key, a base64 line) and is left out whole. */
const LONGEST_WORD = 64
/** A word that no pieces cover still counts: about one token for so many characters. */
const CHARACTERS_PER_UNKNOWN_TOKEN = 4

/** What a character folds to when it cannot be a letter or digit. Zero means "not asked yet". */
const BORDER = 1
/** The character cannot be folded without its neighbours: a mark, a ligature, half of a pair, a sigma. */
const ENTANGLED = 2

const CAMEL_BORDER = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g
const SPACE = 32
const CAPITAL_SIGMA = '\u03a3'

/** A stretch is what stands between white space; folding never reaches across white space. */
export type TokenizedText = {
  readonly ids: readonly number[]
  /** The ids, plus an estimate for the words that were left out. */
  readonly tokens: number
  /** Four numbers for each stretch: its start, its end, and how many ids and tokens the text has up to there. */
  readonly stretches: Int32Array
}

export class Tokenizer {
  readonly #vocabulary: Vocabulary
  readonly #maxIds: number
  readonly #word = new Uint16Array(2 * LONGEST_WORD)
  /** By character, filled as characters are met: thirty times faster than the patterns. */
  readonly #forms = new Uint16Array(0x10000)
  /**
   * The text and its stretches, in arrays that the next text uses again. Growing four lists and asking a joined string for
   * its characters takes 1.4 times as long.
   */
  #units = new Uint16Array(0)
  #stretches = new Int32Array(0)
  #ids: number[] = []
  #unknownTokens = 0

  /** `vocabulary` holds one piece per line; the line number is the id. Ids past `maxIds` are cut. */
  constructor(vocabulary: string, maxIds: number, wasm = true) {
    this.#vocabulary = new Vocabulary(vocabulary, wasm)
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
    const stretches = this.#stretches
    let size = 0
    for (let at = 0; at < text.length; at++) {
      if (isSpace(this.#units[at] as number)) continue
      stretches[size++] = at
      at = this.#readStretch(text, at)
      stretches[size++] = at
      stretches[size++] = ids.length
      stretches[size++] = ids.length + this.#unknownTokens
    }
    return { ids, tokens: ids.length + this.#unknownTokens, stretches: stretches.slice(0, size) }
  }

  /** Copies the text to `#units`, with a space after it. */
  #load(text: string): void {
    if (this.#units.length <= text.length) {
      const size = 2 * text.length + 1
      this.#units = new Uint16Array(size)
      this.#stretches = new Int32Array(2 * size)
    }
    Buffer.from(this.#units.buffer).write(text, 'utf16le')
    this.#units[text.length] = SPACE
  }

  /** Adds the words from `start` to the next white space, whose offset it returns. */
  #readStretch(text: string, start: number): number {
    const word = this.#word
    const units = this.#units
    const idsBefore = this.#ids.length
    const unknownBefore = this.#unknownTokens
    let length = 0
    let before = BORDER
    let at = start
    for (; ; at++) {
      const code = units[at] as number
      if (isSpace(code)) break
      const form = this.#fold(code)
      if (form === ENTANGLED) {
        this.#ids.length = idsBefore
        this.#unknownTokens = unknownBefore
        return this.#readFolded(text, start)
      }
      if (form === BORDER) {
        if (length > 0) this.#addWord(length, length)
        length = 0
        continue
      }
      if (length > 0 && isCapital(form) && this.#isCamelBorder(before, units[at + 1] as number)) {
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

  /** The slow way: folds the stretch as a whole. */
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

  /** Greedy longest match from the left; a word with a part that no piece covers is left out whole. */
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
   * BORDER, ENTANGLED, or the letter or digit that the character folds to. Letters that fold to ASCII keep their case,
   * because capitals decide where camelCase is split; all others are in lower case.
   */
  #fold(code: number): number {
    const known = this.#forms[code] as number
    if (known !== 0) return known
    const form = foldCharacter(code)
    this.#forms[code] = form
    return form
  }

  /** Whether a capital begins a word: in `aB`, in `1B`, and before the last capital of `ABc`. */
  #isCamelBorder(before: number, next: number): boolean {
    if (isCapital(before)) return isSmall(this.#fold(next))
    return isSmall(before) || (before >= 48 && before <= 57)
  }
}

function foldCharacter(code: number): number {
  // The patterns below take a millisecond to compile, which most queries need not wait for.
  if (code < 128) return /[\da-z]/i.test(String.fromCharCode(code)) ? code : BORDER
  const character = String.fromCharCode(code)
  const isSurrogate = code >= 0xd800 && code <= 0xdfff
  if (isSurrogate || /^\p{M}$/u.test(character) || character === CAPITAL_SIGMA) return ENTANGLED
  const bare = dropMarks(character.normalize('NFKD'))
  if (bare.length > 0 && !/[\p{L}\p{N}]/u.test(bare)) return BORDER
  const folded = bare.charCodeAt(0) < 128 ? bare : bare.toLowerCase()
  return folded.length === 1 && /^[\p{L}\p{N}]$/u.test(folded) ? folded.charCodeAt(0) : ENTANGLED
}

/** The folded words of a text. */
export function listWords(text: string): readonly string[] {
  const isPlain = /^[ -~]*$/.test(text)
  if (isPlain)
    return (
      text
        .replace(CAMEL_BORDER, ' ')
        .toLowerCase()
        .match(/[a-z\d]+/g) ?? []
    )
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

/**
 * NFKD, without marks, with a space at camelCase borders, in lower case.
 * Marks go *before* NFKD too: it sorts a run of marks by insertion, so a hostile megabyte of them would take
 * minutes. Dropping Mn early changes nothing (they decompose to Mn only), and the other marks are borders anyway.
 */
export function foldText(text: string): string {
  const unmarked = dropMarks(text).replace(/\p{M}+/gu, ' ')
  return dropMarks(unmarked.normalize('NFKD')).replace(CAMEL_BORDER, ' ').toLowerCase()
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
