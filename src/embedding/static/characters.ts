/** What folding does to a single character is looked up, and whole stretches are folded only where it must be. */

/** Zero, so that a new table is all of it. `wasm/words.wat` knows these three by their numbers. */
const NOT_ASKED = 0
export const BORDER = 1
/** The character cannot be folded without its neighbours: a mark, a ligature, half of a pair, a sigma. */
export const ENTANGLED = 2

const WORD = /^[\p{L}\p{N}]$/u
const HAS_WORD = /[\p{L}\p{N}]/u
const MARK = /^\p{M}$/u
const CAMEL_BORDER = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g
const CAPITAL_SIGMA = '\u03a3'

/** Filled as characters are met: a look here is some thirty times faster than the patterns. */
const plainForms = new Uint16Array(0x10000)

/**
 * BORDER, ENTANGLED, or the letter or digit that the character counts as. Letters that fold to ASCII keep their
 * case, because capitals decide where camelCase is split; all others are in lower case.
 */
export function plainForm(code: number): number {
  const form = plainForms[code] as number
  if (form !== NOT_ASKED) return form
  const asked = plainFormOf(code)
  plainForms[code] = asked
  return asked
}

function plainFormOf(code: number): number {
  const character = String.fromCharCode(code)
  const isSurrogate = code >= 0xd800 && code <= 0xdfff
  if (isSurrogate || MARK.test(character) || character === CAPITAL_SIGMA) return ENTANGLED
  const bare = dropMarks(character.normalize('NFKD'))
  if (bare.length > 0 && !HAS_WORD.test(bare)) return BORDER
  const folded = bare.charCodeAt(0) < 128 ? bare : bare.toLowerCase()
  return folded.length === 1 && WORD.test(folded) ? folded.charCodeAt(0) : ENTANGLED
}

/** True for the letters and digits of folded text. */
export function isWord(codePoint: number): boolean {
  if (codePoint > 0xffff) return WORD.test(String.fromCodePoint(codePoint))
  const form = plainForm(codePoint)
  return form === ENTANGLED ? WORD.test(String.fromCharCode(codePoint)) : form !== BORDER
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
