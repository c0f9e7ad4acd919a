/** A text becomes the ids of its word pieces by the quickest reader that can read it. */

import { learnFast } from './fast-vocabulary.js'
import type { FoundPieces } from './found-pieces.js'
import { PlainWords } from './plain-words.js'
import { Vocabulary } from './vocabulary.js'

export type WordPiecesOptions = {
  /** Ids past so many are cut. */
  readonly maxIds: number
  /** False leaves everything to the plain reader. */
  readonly wasm?: boolean
}

/** False where a text is not for this reader. */
type TextReader = FoundPieces & { read(text: string): boolean }

/** The pieces of a model, and two readers that know them, so that what one has read outlives what the other reads. */
export class WordPieces {
  readonly size: number
  /** For a text that is wanted as a whole: its words are not noted. */
  readonly whole: PieceReader
  /** For a text of which parts will be wanted. */
  readonly noting: PieceReader
  readonly #readList: () => string
  #vocabulary: Vocabulary | null = null

  /** `readList` gives a piece a line; the line number is the id. */
  constructor(readList: () => string, { maxIds, wasm = true }: WordPiecesOptions) {
    this.#readList = readList
    const fast = wasm ? learnFast(readList(), maxIds) : null
    this.size = fast?.size ?? this.#plainVocabulary().size
    const plain = (notesWords: boolean) => () =>
      new PlainWords(this.#plainVocabulary(), { maxIds, notesWords })
    this.whole = new PieceReader(fast?.whole ?? null, plain(false))
    this.noting = new PieceReader(fast?.noting ?? null, plain(true))
  }

  /** Made only where it is needed: a huge text, or a Node without WebAssembly. */
  #plainVocabulary(): Vocabulary {
    this.#vocabulary ??= new Vocabulary(this.#readList())
    return this.#vocabulary
  }
}

export class PieceReader {
  readonly #fast: TextReader | null
  readonly #createPlain: () => TextReader
  #plain: TextReader | null = null

  constructor(fast: TextReader | null, createPlain: () => TextReader) {
    this.#fast = fast
    this.#createPlain = createPlain
  }

  /** What is found stays until the next text. */
  read(text: string): FoundPieces {
    if (this.#fast?.read(text)) return this.#fast
    this.#plain ??= this.#createPlain()
    this.#plain.read(text)
    return this.#plain
  }
}
