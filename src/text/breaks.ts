/** Tells where a text may be cut without tearing a letter from its marks, or a word. */

const ZERO_WIDTH_JOINER = 0x200d
const SPACE = /\s/
/** Chinese or Thai goes on for pages without a space: looking further would only lose text. */
const MAX_WORD_CHARS = 40
/** Two letters make a flag; of a longer row of them only this many are looked at. */
const MAX_FLAG_LETTERS = 64

export function isBreak(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  if (splitsPair(text, at) || text.charCodeAt(at - 1) === ZERO_WIDTH_JOINER) return false
  // Nothing before U+0300 sits on another letter.
  if (text.charCodeAt(at) < 0x300) return true
  const next = text.slice(at, at + 2)
  if (!isFlagLetter(next)) return !joinsBefore(next)
  let flagLetters = 0
  for (let end = at; isFlagLetter(text.slice(end - 2, end)); end -= 2) {
    if (++flagLetters === MAX_FLAG_LETTERS) break
  }
  return flagLetters % 2 === 0
}

// Where they stand in a function, they are built when it first runs, and most texts never need them.
function joinsBefore(text: string): boolean {
  return /^(?:[\p{M}\u1160-\u11FF\uFF9E\uFF9F\u{E0020}-\u{E007F}]|\p{EMod}|\u200C|\u200D)/u.test(
    text,
  )
}

function isFlagLetter(text: string): boolean {
  return /^\p{Regional_Indicator}/u.test(text)
}

/** The last break from `least` to `at`; where there is none, at least no torn surrogate pair. */
export function breakBefore(text: string, at: number, least: number): number {
  for (let i = at; i >= least; i--) {
    if (isBreak(text, i)) return i
  }
  return splitsPair(text, at) ? at - 1 : at
}

/** The first break at or after `at`, or `at` when there is none up to `most`. */
export function breakAfter(text: string, at: number, most: number): number {
  for (let i = at; i <= most; i++) {
    if (isBreak(text, i)) return i
  }
  return at
}

/** The first start of a word from `from` to `to`; the first break where no word starts soon. */
export function findWordStart(text: string, from: number, to: number): number {
  for (let at = from; at <= Math.min(to, from + MAX_WORD_CHARS); at++) {
    if (SPACE.test(text.charAt(at))) continue
    if (at === 0 || (SPACE.test(text.charAt(at - 1)) && isBreak(text, at))) return at
  }
  return breakAfter(text, from, to)
}

/** The last end of a word from `least` to `at`; the last break where no word ends soon before. */
export function findWordEnd(text: string, least: number, at: number): number {
  for (let end = at; end >= Math.max(least, at - MAX_WORD_CHARS); end--) {
    if (SPACE.test(text.charAt(end)) && isBreak(text, end)) return end
  }
  return breakBefore(text, at, least)
}

function splitsPair(text: string, at: number): boolean {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00
  return isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}
