/** Splits text into the terms that the FTS5 index holds, each with its offsets. */

import { stem } from './stem.js'
import { continuesToken, foldCode, isDroppedCode, isTokenCode } from './unicode61.js'

/** `start` and `end` count UTF-16 units in the text that was given. */
export class Token {
  readonly text: string
  readonly start: number
  readonly end: number
  #term: string | null = null

  constructor(text: string, start: number, end: number) {
    this.text = text
    this.start = start
    this.end = end
  }

  /** Stemmed when it is first asked for: marking the words of a query needs few of the terms of a text. */
  get term(): string {
    this.#term ??= toTerm(this.text, this.start, this.end)
    return this.#term
  }
}

/**
 * The terms of `porter unicode61 remove_diacritics 2`, in order.
 * @example
 * tokenize('Les Cafés') // 'le' from 0 to 3, 'cafe' from 4 to 9
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const at = new TokenCursor(text)
  while (at.next()) tokens.push(new Token(text, at.start, at.end))
  return tokens
}

/** Walks over the tokens from an offset on, without an object for each: that takes most of the time. */
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
    while (at < text.length) {
      const first = codeAt(text, at)
      if (!isTokenCode(first)) {
        at += widthOf(first)
        continue
      }
      this.start = at
      for (let code = first; at < text.length && continuesToken(code); code = codeAt(text, at)) {
        at += widthOf(code)
      }
      this.end = at
      return true
    }
    this.end = at
    return false
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
  // ASCII is nearly all of the work, and toLowerCase is several times faster than a loop.
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
