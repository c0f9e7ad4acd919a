/** Finds offsets where a text can be cut without splitting a grapheme or a word. */

const ZERO_WIDTH_JOINER = 0x200d
const SPACE = /\s/
/** How far to look for a space. Chinese and Thai have none, and looking further would only lose text. */
const MAX_WORD_CHARS = 40
/** Two regional indicators make a flag; at most this many before the offset are counted. */
const MAX_FLAG_LETTERS = 64

export function isBreak(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  if (splitsPair(text, at) || text.charCodeAt(at - 1) === ZERO_WIDTH_JOINER) return false
  // No character before U+0300 combines with the one before it.
  if (text.charCodeAt(at) < 0x300) return true
  const next = text.slice(at, at + 2)
  if (!isFlagLetter(next)) return !joinsBefore(next)
  let flagLetters = 0
  for (let end = at; isFlagLetter(text.slice(end - 2, end)); end -= 2) {
    if (++flagLetters === MAX_FLAG_LETTERS) break
  }
  return flagLetters % 2 === 0
}

// These patterns are inside functions, so they are compiled only when a text needs them.
function joinsBefore(text: string): boolean {
  return /^(?:[\p{M}\u1160-\u11FF\uFF9E\uFF9F\u{E0020}-\u{E007F}]|\p{EMod}|\u200C|\u200D)/u.test(
    text,
  )
}

function isFlagLetter(text: string): boolean {
  return /^\p{Regional_Indicator}/u.test(text)
}

/** The last break from `least` to `at`. If there is none, cuts at `at` without splitting a surrogate pair. */
export function breakBefore(text: string, at: number, least: number): number {
  for (let i = at; i >= least; i--) {
    if (isBreak(text, i)) return i
  }
  return splitsPair(text, at) ? at - 1 : at
}

/** The first break from `at` to `most`; `at` if there is none. */
export function breakAfter(text: string, at: number, most: number): number {
  for (let i = at; i <= most; i++) {
    if (isBreak(text, i)) return i
  }
  return at
}

/** The first start of a word from `from` to `to`; the first break if no word starts nearby. */
export function findWordStart(text: string, from: number, to: number): number {
  for (let at = from; at <= Math.min(to, from + MAX_WORD_CHARS); at++) {
    if (SPACE.test(text.charAt(at))) continue
    if (at === 0 || (SPACE.test(text.charAt(at - 1)) && isBreak(text, at))) return at
  }
  return breakAfter(text, from, to)
}

/** The last end of a word from `least` to `at`; the last break if no word ends nearby. */
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
