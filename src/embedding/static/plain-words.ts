/** A text becomes the ids of its word pieces in one pass, in plain JavaScript, whatever its length. */

import { BORDER, ENTANGLED, foldText, plainForm } from './characters.js'
import { eachFoldedWord, LONGEST_WORD, MOST_UNITS } from './folded-words.js'
import { type FoundPieces, WORD } from './found-pieces.js'
import { CONTINUATION_SEED, hashStep, START_SEED, type Vocabulary } from './vocabulary.js'

/** A word that no pieces cover still takes room in a chunk: about a token for this many characters. */
const CHARACTERS_PER_UNKNOWN_TOKEN = 4
const KEPT_IDS = 16_384
const SPACE = 32
const INSIDE = -1

export type PlainWordsOptions = {
  /** Ids past so many are cut. */
  readonly maxIds: number
  readonly notesWords: boolean
}

/** For a Node without WebAssembly (`--jitless`), for huge texts, and the twin that tests hold the fast reader against. */
export class PlainWords implements FoundPieces {
  ids = new Int32Array(KEPT_IDS)
  count = 0
  unknownTokens = 0
  places = new Int32Array(0)
  words = new Int32Array(WORD.width)
  #wordCount = 0
  readonly #vocabulary: Vocabulary
  readonly #options: PlainWordsOptions
  readonly #word = new Uint16Array(MOST_UNITS)
  readonly #hashes = new Int32Array(MOST_UNITS + 1)

  constructor(vocabulary: Vocabulary, options: PlainWordsOptions) {
    this.#vocabulary = vocabulary
    this.#options = options
  }

  /** Always true: there is no text that it cannot read. */
  read(text: string): boolean {
    this.count = 0
    this.unknownTokens = 0
    this.#wordCount = 0
    // One huge text must not keep its buffer for the life of the process.
    if (this.ids.length > KEPT_IDS) this.ids = new Int32Array(KEPT_IDS)
    if (this.#options.notesWords) this.places = new Int32Array(text.length + 1)
    for (let at = 0; at < text.length; ) at = this.#readPlain(text, at)
    this.#notePlace(text.length, this.#wordCount)
    return true
  }

  /**
   * Reads on from `from` until the text ends or a character is entangled with its neighbours; then the stretch
   * between two spaces around it is folded as a whole (no fold reaches across a space). Returns where to go on.
   */
  #readPlain(text: string, from: number): number {
    const word = this.#word
    const end = text.length
    let length = 0
    let before = BORDER
    let stretch = from
    let countBefore = this.count
    let unknownBefore = this.unknownTokens
    let wordsBefore = this.#wordCount
    for (let i = from; i < end; i++) {
      const code = text.charCodeAt(i)
      const form = plainForm(code)
      if (form === ENTANGLED) {
        this.count = countBefore
        this.unknownTokens = unknownBefore
        this.#wordCount = wordsBefore
        const space = text.indexOf(' ', i)
        const until = space < 0 ? end : space
        this.#readFolded(text, stretch, until)
        return until
      }
      if (form === BORDER) {
        if (length > 0) this.#endPlainWord(length)
        length = 0
        this.#notePlace(i, this.#wordCount)
        if (code === SPACE) {
          stretch = i + 1
          countBefore = this.count
          unknownBefore = this.unknownTokens
          wordsBefore = this.#wordCount
        }
      } else {
        if (length > 0 && isCamelBorder(before, form, text.charCodeAt(i + 1))) {
          this.#endPlainWord(length)
          length = 0
        }
        this.#notePlace(i, length === 0 ? this.#wordCount : INSIDE)
        if (length < LONGEST_WORD) word[length] = isCapital(form) ? form + 32 : form
        length++
        before = form
      }
    }
    if (length > 0) this.#endPlainWord(length)
    return end
  }

  #readFolded(text: string, start: number, end: number): void {
    eachFoldedWord(foldText(text.slice(start, end)), this.#word, (units, characters) =>
      this.#endWord(units, characters),
    )
    this.#notePlace(start, this.#wordCount)
    for (let i = start + 1; i < end; i++) this.#notePlace(i, INSIDE)
    this.#noteWord()
  }

  /** Each unit of a plain word is one character of the text. */
  #endPlainWord(length: number): void {
    this.#endWord(length, length)
    this.#noteWord()
  }

  #endWord(units: number, characters: number): void {
    if (characters > LONGEST_WORD || !this.#addPieces(units)) {
      this.unknownTokens += Math.ceil(characters / CHARACTERS_PER_UNKNOWN_TOKEN)
    }
  }

  #noteWord(): void {
    if (!this.#options.notesWords) return
    const at = ++this.#wordCount * WORD.width
    if (at === this.words.length) this.words = twiceAsLong(this.words)
    this.words[at + WORD.ids] = this.count
    this.words[at + WORD.tokens] = this.count + this.unknownTokens
  }

  #notePlace(at: number, place: number): void {
    if (this.#options.notesWords) this.places[at] = place
  }

  /** Greedy longest match from the left; false, and nothing added, where a part has no piece. */
  #addPieces(units: number): boolean {
    const vocabulary = this.#vocabulary
    const before = this.count
    for (let at = 0; at < units; ) {
      let length = Math.min(units - at, vocabulary.longest)
      this.#hashBeginnings(at, length)
      let id = -1
      for (; length > 0; length--) {
        id = vocabulary.find(this.#hashes[length] as number, at > 0, this.#word, at, length)
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

  #hashBeginnings(from: number, length: number): void {
    let hash = from === 0 ? START_SEED : CONTINUATION_SEED
    for (let i = 0; i < length; i++) {
      hash = hashStep(hash, this.#word[from + i] as number)
      this.#hashes[i + 1] = hash
    }
  }

  #addId(id: number): void {
    if (this.count === this.#options.maxIds) return
    if (this.count === this.ids.length) this.ids = twiceAsLong(this.ids)
    this.ids[this.count++] = id
  }
}

function twiceAsLong(list: Int32Array): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(list.length * 2)
  longer.set(list)
  return longer
}

/** Whether a capital begins a word: in `aB`, in `1B`, and before the last capital of `ABc`. `next` is NaN at the end. */
function isCamelBorder(before: number, form: number, next: number): boolean {
  if (!isCapital(form)) return false
  if (isCapital(before)) return next > 0 && isSmall(plainForm(next))
  return isSmall(before) || (before >= 48 && before <= 57)
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122
}
