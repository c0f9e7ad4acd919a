/** Splits text into the terms that the FTS5 index holds, each with its offsets. */

import { stem } from './stem.js'
import { continuesToken, foldCode, isDroppedCode, isTokenCode } from './unicode61.js'

/** `start` and `end` count UTF-16 units in the text that was given. */
export type Token = { readonly term: string; readonly start: number; readonly end: number }

/**
 * The terms of `porter unicode61 remove_diacritics 2`, in order.
 * @example
 * tokenize('Les Cafés') // [{ term: 'le', start: 0, end: 3 }, { term: 'cafe', start: 4, end: 9 }]
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const first = codeAt(text, at)
    if (!isTokenCode(first)) {
      at += widthOf(first)
      continue
    }
    const start = at
    for (let code = first; at < text.length && continuesToken(code); code = codeAt(text, at)) {
      at += widthOf(code)
    }
    tokens.push({ term: stem(foldWord(text.slice(start, at))), start, end: at })
  }
  return tokens
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
