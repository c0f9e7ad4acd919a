/** Where a text may be cut, so that no letter, word or sentence is torn without need. */

const JOINS_BEFORE =
  /^(?:[\p{M}\u1160-\u11FF\uFF9E\uFF9F\u{E0020}-\u{E007F}]|\p{EMod}|\u200C|\u200D)/u
const SPACE = /\s/
const CLOSING = /["'”’»)\]」』]/
/** These end a sentence only before a space: "3.14", "e.g.x". */
const STOP = /[.!?…]/
/** These end a sentence by themselves. */
const WIDE_STOP = /[。！？]/
/** Chinese or Thai goes on for pages without a space: looking further would only lose text. */
const MAX_WORD_CHARS = 40
const ZERO_WIDTH_JOINER = 0x200d
const FLAG_LETTER = /^\p{Regional_Indicator}/u
/** Two letters make a flag; of a longer row of them only this many are looked at. */
const MAX_FLAG_LETTERS = 64

/** Whether the text may be cut before this offset without tearing a letter from its marks. */
export function isBreak(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) return false
  if (text.charCodeAt(at - 1) === ZERO_WIDTH_JOINER) return false
  // Nothing before U+0300 sits on another letter: spares most texts the large expressions.
  if (text.charCodeAt(at) < 0x300) return true
  const next = text.slice(at, at + 2)
  if (FLAG_LETTER.test(next)) return flagLettersBefore(text, at) % 2 === 0
  return !JOINS_BEFORE.test(next)
}

function flagLettersBefore(text: string, at: number): number {
  let count = 0
  for (let i = at - 2; i >= 0 && count < MAX_FLAG_LETTERS; i -= 2) {
    if (!FLAG_LETTER.test(text.slice(i, i + 2))) break
    count++
  }
  return count
}

/** The last break from `least` to `at`; where there is none, at least no torn pair. */
export function breakBefore(text: string, at: number, least: number): number {
  for (let i = at; i >= least; i--) {
    if (isBreak(text, i)) return i
  }
  const isTorn = isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))
  return isTorn ? at - 1 : at
}

/** The first break at or after `at`, or `at` when there is none up to `most`. */
export function breakAfter(text: string, at: number, most: number): number {
  for (let i = at; i <= most; i++) {
    if (isBreak(text, i)) return i
  }
  return at
}

/** All starts of sentences and lines from `from` to `to`, both included. */
export function sentenceStarts(text: string, from: number, to: number): number[] {
  const starts: number[] = []
  for (let at = from; at <= to; at++) {
    if (startsSentence(text, at)) starts.push(at)
  }
  return starts
}

/** The first start of a word from `from` to `to`; the first break where no word starts soon. */
export function wordStart(text: string, from: number, to: number): number {
  for (let at = from; at <= Math.min(to, from + MAX_WORD_CHARS); at++) {
    if (startsWord(text, at)) return at
  }
  return breakAfter(text, from, to)
}

/** The last end of a word from `least` to `at`; the last break where no word ends soon before. */
export function wordEnd(text: string, least: number, at: number): number {
  for (let end = at; end >= Math.max(least, at - MAX_WORD_CHARS); end--) {
    if (SPACE.test(text.charAt(end)) && isBreak(text, end)) return end
  }
  return breakBefore(text, at, least)
}

function startsWord(text: string, at: number): boolean {
  if (SPACE.test(text.charAt(at))) return false
  return at === 0 || (SPACE.test(text.charAt(at - 1)) && isBreak(text, at))
}

function startsSentence(text: string, at: number): boolean {
  if (at === 0) return true
  if (SPACE.test(text.charAt(at)) || CLOSING.test(text.charAt(at)) || !isBreak(text, at))
    return false
  let before = at - 1
  const hasSpace = SPACE.test(text.charAt(before))
  while (before > 0 && SPACE.test(text.charAt(before))) {
    if (text.charAt(before) === '\n') return true
    before--
  }
  while (before > 0 && CLOSING.test(text.charAt(before))) before--
  const last = text.charAt(before)
  return WIDE_STOP.test(last) || (hasSpace && (STOP.test(last) || last === '\n'))
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
