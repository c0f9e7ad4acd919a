/** Promise: a text becomes the ids of its word pieces in one pass, in time proportional to its length. */

import { BORDER, ENTANGLED, foldText, isWord, plainForm } from './characters.js'
import { KnownWords, MOST_PIECES } from './known-words.js'
import { UnitsOfText } from './units-of-text.js'
import { CONTINUATION_SEED, hashStep, START_SEED, type Vocabulary } from './vocabulary.js'

/** A longer word is noise (a key, a base64 line) and is left out whole. */
const LONGEST_WORD = 64
/** A word that no pieces cover still takes room in a chunk: about a token for this many characters. */
const CHARACTERS_PER_UNKNOWN_TOKEN = 4
const KEPT_IDS = 16_384
const SPACE = 32

/** Where a word lies in the text, and how many ids and tokens the text has up to its end: four numbers in a row. */
export const WORD = { start: 0, end: 1, ids: 2, tokens: 3, width: 4 } as const

/** The ids of the last text read are `ids[0, count)`; the buffers are used again for the next text. */
export class WordPieces {
  ids = new Int32Array(KEPT_IDS)
  count = 0
  /** What the words that were left out would have taken. */
  unknownTokens = 0
  /**
   * The words of the last text read by `readWords`, `WORD.width` numbers each, up to `wordsEnd`. A stretch that had
   * to be folded as a whole is one word.
   */
  words = new Int32Array(0)
  wordsEnd = 0
  #keepsWords = false
  readonly #vocabulary: Vocabulary
  readonly #maxIds: number
  readonly #units = new UnitsOfText()
  readonly #known = new KnownWords()
  readonly #word = new Uint16Array(2 * LONGEST_WORD)
  readonly #startHashes = new Int32Array(2 * LONGEST_WORD + 1)
  readonly #laterHashes = new Int32Array(2 * LONGEST_WORD + 1)

  constructor(vocabulary: Vocabulary, maxIds: number) {
    this.#vocabulary = vocabulary
    this.#maxIds = maxIds
  }

  /** Reads `text` into `ids` and `count`; ids past the limit given at the start are cut. */
  read(text: string): void {
    this.count = 0
    this.unknownTokens = 0
    // One huge text must not keep its buffer for the life of the process.
    if (this.ids.length > KEPT_IDS) this.ids = new Int32Array(KEPT_IDS)
    const units = this.#units.of(text)
    for (let at = 0; at < text.length; ) at = this.#readPlain(text, units, at)
  }

  /** The same, and notes where each word lies. */
  readWords(text: string): void {
    this.wordsEnd = 0
    this.#keepsWords = true
    try {
      this.read(text)
    } finally {
      this.#keepsWords = false
    }
  }

  /**
   * Reads on from `from` until the text ends or a character is entangled with its neighbours; then the stretch
   * between two spaces around it is folded as a whole (no fold reaches across a space). Returns where to go on.
   */
  #readPlain(text: string, units: Uint16Array, from: number): number {
    const word = this.#word
    const end = text.length
    let length = 0
    let hash = START_SEED
    let before = BORDER
    let stretch = from
    let countBefore = this.count
    let unknownBefore = this.unknownTokens
    let wordsBefore = this.wordsEnd
    for (let i = from; i < end; i++) {
      const code = units[i] as number
      const form = plainForm(code)
      if (form > ENTANGLED) {
        let small = form
        if (isCapital(form)) {
          small += 32
          if (
            length > 0 &&
            isCamelBorder(before, i + 1 < end ? (units[i + 1] as number) : BORDER)
          ) {
            this.#endPlainWord(length, hash, i)
            length = 0
            hash = START_SEED
          }
        }
        if (length < LONGEST_WORD) {
          word[length] = small
          hash = hashStep(hash, small)
        }
        length++
        before = form
      } else if (form === BORDER) {
        if (length > 0) this.#endPlainWord(length, hash, i)
        length = 0
        hash = START_SEED
        if (code === SPACE) {
          stretch = i + 1
          countBefore = this.count
          unknownBefore = this.unknownTokens
          wordsBefore = this.wordsEnd
        }
      } else {
        this.count = countBefore
        this.unknownTokens = unknownBefore
        this.wordsEnd = wordsBefore
        const space = text.indexOf(' ', i)
        const until = space < 0 ? end : space
        this.#readFolded(foldText(text.slice(stretch, until)))
        if (this.#keepsWords) this.#keepWord(stretch, until)
        return until
      }
    }
    if (length > 0) this.#endPlainWord(length, hash, end)
    return end
  }

  /** Each unit of a plain word is one character of the text; `hash` is that of all of them. */
  #endPlainWord(length: number, hash: number, end: number): void {
    const whole = this.#vocabulary.find(hash, false, this.#word, 0, length)
    if (whole >= 0) this.#addId(whole)
    else this.#addCutWord(length, hash)
    if (this.#keepsWords) this.#keepWord(end - length, end)
  }

  /** A word of several pieces, or of none. */
  #addCutWord(length: number, hash: number): void {
    const place = this.#known.find(hash, this.#word, length)
    if (place >= 0) {
      if (this.count + MOST_PIECES > this.ids.length) this.#growIds()
      const count = this.#known.copyTo(this.ids, this.count, place)
      this.count = Math.min(this.#maxIds, this.count + count)
      return
    }
    const before = this.count
    this.#hashPrefixes(this.#startHashes, 0, Math.min(length, this.#vocabulary.longest))
    this.#endWord(length, length)
    // Some of its pieces may have been cut.
    if (this.count === this.#maxIds) return
    this.#known.keep(hash, this.#word, length, this.ids.subarray(before, this.count))
  }

  #keepWord(start: number, end: number): void {
    const at = this.wordsEnd
    if (at === this.words.length) {
      const longer = new Int32Array(Math.max(KEPT_IDS, at * 2))
      longer.set(this.words)
      this.words = longer
    }
    this.words[at + WORD.start] = start
    this.words[at + WORD.end] = end
    this.words[at + WORD.ids] = this.count
    this.words[at + WORD.tokens] = this.count + this.unknownTokens
    this.wordsEnd = at + WORD.width
  }

  #readFolded(text: string): void {
    let units = 0
    let codePoints = 0
    for (let i = 0; i < text.length; i++) {
      const codePoint = text.codePointAt(i) ?? 0
      const width = codePoint > 0xffff ? 2 : 1
      if (isWord(codePoint)) {
        codePoints++
        if (codePoints <= LONGEST_WORD) {
          this.#word[units++] = text.charCodeAt(i)
          if (width === 2) this.#word[units++] = text.charCodeAt(i + 1)
        }
      } else {
        if (codePoints > 0) this.#endFoldedWord(units, codePoints)
        units = 0
        codePoints = 0
      }
      i += width - 1
    }
    if (codePoints > 0) this.#endFoldedWord(units, codePoints)
  }

  #endFoldedWord(units: number, codePoints: number): void {
    this.#hashPrefixes(this.#startHashes, 0, Math.min(units, this.#vocabulary.longest))
    this.#endWord(units, codePoints)
  }

  #endWord(units: number, codePoints: number): void {
    if (codePoints > LONGEST_WORD || !this.#addPieces(units)) {
      this.unknownTokens += Math.ceil(codePoints / CHARACTERS_PER_UNKNOWN_TOKEN)
    }
  }

  /**
   * Greedy longest match from the left; false, and nothing added, where a part has no piece. The hashes of the prefixes
   * of the word are there already: they are made while its letters are read.
   */
  #addPieces(units: number): boolean {
    const vocabulary = this.#vocabulary
    const before = this.count
    for (let at = 0; at < units; ) {
      const hashes = at === 0 ? this.#startHashes : this.#laterHashes
      let length = Math.min(units - at, vocabulary.longest)
      if (at > 0) this.#hashPrefixes(hashes, at, length)
      let id = -1
      for (; length > 0; length--) {
        id = vocabulary.find(hashes[length] as number, at > 0, this.#word, at, length)
        if (id >= 0) break
      }
      if (id < 0) {
        this.count = before
        return false
      }
      this.#addId(id)
      at += length
    }
    return true
  }

  #hashPrefixes(hashes: Int32Array, from: number, length: number): void {
    let hash = from === 0 ? START_SEED : CONTINUATION_SEED
    for (let i = 0; i < length; i++) {
      hash = hashStep(hash, this.#word[from + i] as number)
      hashes[i + 1] = hash
    }
  }

  #addId(id: number): void {
    if (this.count === this.#maxIds) return
    if (this.count === this.ids.length) this.#growIds()
    this.ids[this.count++] = id
  }

  #growIds(): void {
    const longer = new Int32Array(this.ids.length * 2)
    longer.set(this.ids)
    this.ids = longer
  }
}

/** Whether a capital begins a word: in `aB`, in `1B`, and before the last capital of `ABc`. */
function isCamelBorder(before: number, next: number): boolean {
  if (isCapital(before)) return isSmall(plainForm(next))
  return isSmall(before) || (before >= 48 && before <= 57)
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122
}
