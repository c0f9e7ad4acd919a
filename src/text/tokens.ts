/** Splits text into the same terms as the FTS5 index, each with its offsets. */

import type { Range } from '../core/answer.js'
import { stem } from './stem.js'
import { continuesToken, foldCode, isDroppedCode, isTokenCode } from './unicode61.js'

/** `start` and `end` are UTF-16 offsets in the given text. */
export type Token = Range & { readonly term: string }

/**
 * The terms of `porter unicode61 remove_diacritics 2`, in order.
 * @example
 * tokenize('Les Cafés') // 'le' from 0 to 3, 'cafe' from 4 to 9
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const cursor = new TokenCursor(text)
  while (cursor.next()) {
    const { start, end } = cursor
    tokens.push({ start, end, term: toTerm(text, start, end) })
  }
  return tokens
}

/** Whether an ASCII character belongs to a token: a look-up takes a third of the time of the function calls. */
const ASCII_TOKENS = Uint8Array.from({ length: 0x80 }, (_, code) => Number(isTokenCode(code)))

/** Iterates over tokens from an offset without creating an object for each, which would take most of the time. */
export class TokenCursor {
  readonly #text: string
  start = 0
  end: number

  constructor(text: string, from = 0) {
    this.#text = text
    this.end = from
  }

  /** False after the last token. */
  next(): boolean {
    const text = this.#text
    let at = this.end
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code >= 0x80) {
        if (isTokenCode(codeAt(text, at))) break
        at += widthOf(codeAt(text, at)) - 1
      } else if (ASCII_TOKENS[code] === 1) break
    }
    this.start = at
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code >= 0x80) {
        if (!continuesToken(codeAt(text, at))) break
        at += widthOf(codeAt(text, at)) - 1
      } else if (ASCII_TOKENS[code] === 0) break
    }
    this.end = at
    return this.start < at
  }
}

/** The term of the token between two offsets. */
export function toTerm(text: string, start: number, end: number): string {
  return stem(foldWord(text.slice(start, end)))
}

export function hasToken(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    const code = codeAt(text, at)
    if (isTokenCode(code)) return true
    at += widthOf(code)
  }
  return false
}

/** Lower case, without accents, not stemmed: `foldWord('Élan')` is `elan`. */
export function foldWord(word: string): string {
  let isPlain = true
  for (let i = 0; i < word.length && isPlain; i++) isPlain = word.charCodeAt(i) < 0x80
  // Most words are ASCII, and toLowerCase is several times faster than the loop.
  if (isPlain) return word.toLowerCase()
  let folded = ''
  for (let at = 0; at < word.length; ) {
    const code = codeAt(word, at)
    at += widthOf(code)
    if (!isDroppedCode(code)) folded += String.fromCodePoint(foldCode(code))
  }
  return folded
}

function codeAt(text: string, at: number): number {
  return text.codePointAt(at) ?? 0
}

function widthOf(code: number): number {
  return code > 0xffff ? 2 : 1
}
