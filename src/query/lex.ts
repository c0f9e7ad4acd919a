/** Splits a typed query into tokens, in time that grows with its length. */

import type { MetadataTest } from '../core/filter.js'
import { hasToken } from '../text/tokens.js'
import { readMetadataTest } from './metadata.js'

export type Token =
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }
  | { readonly kind: 'minus' }
  | { readonly kind: 'operator'; readonly name: 'AND' | 'OR' | 'NOT' }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'metadata'; readonly test: MetadataTest }
  | { readonly kind: 'phrase'; readonly text: string; readonly open: boolean }
  | { readonly kind: 'near'; readonly words: readonly string[]; readonly distance: number }
  | { readonly kind: 'word'; readonly text: string }

/** FTS5's own default distance. */
const NEAR_DISTANCE = 10

const NEAR_CALL = /NEAR\(([^()]*)\)/y
const NEAR_WORD = /"((?:[^"]|"")*)"|[^\s,"]+/g
const FIELD_NAME = /([A-Za-z]+):(?=[^\s:/])/y
const CLOSING_QUOTE: Readonly<Record<string, string>> = { '"': '"', '“': '”', '„': '“', '«': '»' }

/** `fields` are the names before a colon that mean a field; `foo:bar` with any other name is text. */
export function lex(text: string, fields: ReadonlySet<string>): Token[] {
  const tokens: Token[] = []
  const isMultiLine = text.trim().includes('\n')
  let depth = 0
  let at = 0
  while (at < text.length) {
    const char = text[at] ?? ''
    if (/\s/.test(char)) {
      at += 1
    } else if (char === '(') {
      tokens.push({ kind: 'open' })
      depth += 1
      at += 1
    } else if (char === ')') {
      if (depth > 0) {
        tokens.push({ kind: 'close' })
        depth -= 1
      }
      at += 1
    } else if (char === '-' && /[^\s\-)]/.test(text[at + 1] ?? ' ')) {
      // At the start of a line it marks an item of a list, or the rest of a divided word.
      if (!isMultiLine || !isAtLineStart(text, at)) tokens.push({ kind: 'minus' })
      at += 1
    } else {
      const { token, end } =
        lexPhrase(text, at) ??
        lexNear(text, at) ??
        lexMetadata(text, at) ??
        lexField(text, at, fields) ??
        lexWord(text, at, depth)
      if (token !== null) tokens.push(token)
      at = end
    }
  }
  return tokens
}

function isAtLineStart(text: string, at: number): boolean {
  let before = at - 1
  while (text[before] === ' ' || text[before] === '\t') before -= 1
  return before < 0 || text[before] === '\n'
}

type Lexed = { readonly token: Token | null; readonly end: number }

/** Null if no phrase starts here: a lone quote is text. An empty phrase has no token. */
function lexPhrase(text: string, at: number): Lexed | null {
  const closing = CLOSING_QUOTE[text[at] ?? '']
  if (closing === undefined) return null
  let end = text.indexOf(closing, at + 1)
  while (end >= 0 && closing === '"' && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  if (end < 0) return null
  const inside = text
    .slice(at + 1, end)
    .replaceAll('""', '"')
    .trim()
  const open = text[end + 1] === '*'
  const token = inside === '' ? null : ({ kind: 'phrase', text: inside, open } as const)
  return { token, end: end + (open ? 2 : 1) }
}

/** `NEAR(a b, 5)`; null if fewer than two words can be searched. */
function lexNear(text: string, at: number): Lexed | null {
  NEAR_CALL.lastIndex = at
  const [call, inside = ''] = NEAR_CALL.exec(text) ?? []
  if (call === undefined) return null
  const [, list = '', number = NEAR_DISTANCE] = /^(.*?)(?:,\s*(\d{1,6})\s*)?$/s.exec(inside) ?? []
  const words: string[] = []
  for (const [whole, quoted] of list.matchAll(NEAR_WORD)) {
    const word = quoted === undefined ? whole : quoted.replaceAll('""', '"').trim()
    if (hasToken(word)) words.push(word)
  }
  if (words.length < 2) return null
  return { token: { kind: 'near', words, distance: Number(number) }, end: at + call.length }
}

function lexMetadata(text: string, at: number): Lexed | null {
  const read = readMetadataTest(text, at)
  return read && { token: { kind: 'metadata', test: read.test }, end: read.end }
}

function lexField(text: string, at: number, fields: ReadonlySet<string>): Lexed | null {
  FIELD_NAME.lastIndex = at
  const name = FIELD_NAME.exec(text)?.[1]?.toLowerCase()
  if (name === undefined || !fields.has(name)) return null
  return { token: { kind: 'field', name }, end: at + name.length + 1 }
}

/** A word ends at white space, or at the parenthesis that closes a group opened before it. */
function lexWord(text: string, at: number, depth: number): Lexed {
  let inner = 0
  let end = at
  for (; end < text.length; end++) {
    const char = text[end] ?? ''
    if (/\s/.test(char)) break
    if (char === '(') inner += 1
    if (char === ')') {
      if (inner === 0 && depth > 0) break
      inner -= 1
    }
  }
  const word = text.slice(at, end)
  const isOperator = word === 'AND' || word === 'OR' || word === 'NOT'
  return {
    token: isOperator ? { kind: 'operator', name: word } : { kind: 'word', text: word },
    end,
  }
}

/** Prose has at least this many words outside quotation marks, or half as many in several sentences. */
export const PROSE_WORDS = 20

/** A query with an operator for every four words is a boolean query, however long it is. */
const WORDS_PER_OPERATOR = 4

/** No opening mark inside: otherwise the text would be read to its end from every one of a megabyte of them. */
export const QUOTED = /"[^"]*"|“[^“”]*”|„[^„“]*“|«[^«»]*»/g
const OPERATORS = /(?<![^\s(])(?:(?:AND|OR|NOT)(?![^\s)])|-(?=[^\s-]))/g
const SENTENCE_END = /[.?!]["'”’)\]]*(?=\s+\S)/g

/**
 * Distinguishes a pasted passage from a typed query. In prose, quotation marks and capitals are no operators: a search that
 * required every quoted phrase would find nothing. Fields, tags and negations work as usual.
 */
export function isProse(text: string): boolean {
  const outside = text.replace(QUOTED, ' ')
  const words = outside.match(/\S+/g)?.length ?? 0
  const operators = outside.match(OPERATORS)?.length ?? 0
  if (operators * WORDS_PER_OPERATOR >= words && hasCaseBeside(text)) return false
  if (words >= PROSE_WORDS) return true
  return words >= PROSE_WORDS / 2 && outside.match(SENTENCE_END) !== null
}

/** Capitals distinguish an operator from a word only if other letters are not capitals. */
export function hasCaseBeside(text: string): boolean {
  return /[\p{Ll}\p{Lo}]/u.test(text)
}
