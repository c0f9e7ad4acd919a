/** The words of a folded stretch, letter by letter, as a reader of word pieces takes them. */

import { isWord } from './characters.js'

/** A longer word is noise (a key, a base64 line) and is left out whole. */
export const LONGEST_WORD = 64
/** Of the longest word, where each of its characters is a pair. */
export const MOST_UNITS = 2 * LONGEST_WORD

/** Writes each word into `letters` (the first 64 characters of it) and tells how many units and characters it has. */
export function eachFoldedWord(
  folded: string,
  letters: Uint16Array,
  onWord: (units: number, characters: number) => void,
): void {
  let units = 0
  let characters = 0
  for (let i = 0; i < folded.length; i++) {
    const codePoint = folded.codePointAt(i) ?? 0
    const width = codePoint > 0xffff ? 2 : 1
    if (isWord(codePoint)) {
      characters++
      if (characters <= LONGEST_WORD) {
        letters[units++] = folded.charCodeAt(i)
        if (width === 2) letters[units++] = folded.charCodeAt(i + 1)
      }
    } else {
      if (characters > 0) onWord(units, characters)
      units = 0
      characters = 0
    }
    i += width - 1
  }
  if (characters > 0) onWord(units, characters)
}
