/** What a reader of word pieces tells of a text, however it reads. */

/** How many ids and tokens a text has up to a place between its words. */
export const WORD = { ids: 0, tokens: 1, width: 2 } as const

/** Of the text that was read last; the arrays are used again for the next one. */
export type FoundPieces = {
  /** The ids are `ids[0, count)`. */
  readonly ids: Int32Array
  readonly count: number
  /** What the words that were left out would have taken. */
  readonly unknownTokens: number
  /**
   * Only where words are noted. For each offset in the text, its end included: how many words end up to there, or -1
   * inside of a word. A stretch that had to be folded as a whole is one word.
   */
  readonly places: Int32Array
  /** `WORD.width` numbers for so many words: none, one, two, … */
  readonly words: Int32Array
}
