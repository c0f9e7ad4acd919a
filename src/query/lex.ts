/** Any text splits into tokens from left to right, in time that grows with its length. */

import { hasToken } from '../text/tokens.js'

export type Token =
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }
  | { readonly kind: 'minus' }
  | { readonly kind: 'operator'; readonly name: 'AND' | 'OR' | 'NOT' }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'phrase'; readonly text: string; readonly open: boolean }
  | { readonly kind: 'near'; readonly words: readonly string[]; readonly distance: number }
  | { readonly kind: 'word'; readonly text: string }

/** FTS5's own default distance. */
export const NEAR_DISTANCE = 10

const NEAR_CALL = /NEAR\(([^()]*)\)/y
const NEAR_WORD = /"((?:[^"]|"")*)"|[^\s,"]+/g
const FIELD_NAME = /([A-Za-z]+):(?=[^\s:/])/y
const CLOSING_QUOTE: Readonly<Record<string, string>> = { '"': '"', '“': '”', '„': '“', '«': '»' }

/** `fields` are the names before a colon that mean a field; `foo:bar` with any other name is text. */
export function lex(text: string, fields: ReadonlySet<string>): Token[] {
  const tokens: Token[] = []
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
      tokens.push({ kind: 'minus' })
      at += 1
    } else {
      at = lexAtom(text, at, { tokens, fields, depth })
    }
  }
  return tokens
}

type Place = {
  readonly tokens: Token[]
  readonly fields: ReadonlySet<string>
  readonly depth: number
}

function lexAtom(text: string, at: number, { tokens, fields, depth }: Place): number {
  const phraseEnd = lexPhrase(text, at, tokens)
  if (phraseEnd > at) return phraseEnd

  NEAR_CALL.lastIndex = at
  const near = NEAR_CALL.exec(text)
  const call = near && readNear(near[1] ?? '')
  if (near && call) {
    tokens.push(call)
    return at + near[0].length
  }

  FIELD_NAME.lastIndex = at
  const name = FIELD_NAME.exec(text)?.[1]
  if (name !== undefined && fields.has(name.toLowerCase())) {
    tokens.push({ kind: 'field', name: name.toLowerCase() })
    return at + name.length + 1
  }

  const end = endOfWord(text, at, depth)
  const word = text.slice(at, end)
  const isOperator = word === 'AND' || word === 'OR' || word === 'NOT'
  tokens.push(isOperator ? { kind: 'operator', name: word } : { kind: 'word', text: word })
  return end
}

/** The end of the phrase that starts at `at`, or `at` itself where none does: a lone quote is text. */
function lexPhrase(text: string, at: number, tokens: Token[]): number {
  const closing = CLOSING_QUOTE[text[at] ?? '']
  if (closing === undefined) return at
  let end = text.indexOf(closing, at + 1)
  while (end >= 0 && closing === '"' && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  if (end < 0) return at
  const inside = text.slice(at + 1, end).replaceAll('""', '"')
  const open = text[end + 1] === '*'
  if (inside.trim() !== '') tokens.push({ kind: 'phrase', text: inside.trim(), open })
  return end + (open ? 2 : 1)
}

/** `a b, 5` → the words and the distance; null where fewer than two words could be searched. */
function readNear(inside: string): Token | null {
  const [, list = '', number] = /^(.*?)(?:,\s*(\d{1,6})\s*)?$/s.exec(inside) ?? []
  const words: string[] = []
  for (const [whole, quoted] of list.matchAll(NEAR_WORD)) {
    const word = quoted === undefined ? whole : quoted.replaceAll('""', '"').trim()
    if (hasToken(word)) words.push(word)
  }
  if (words.length < 2) return null
  return { kind: 'near', words, distance: number === undefined ? NEAR_DISTANCE : Number(number) }
}

/** A word runs to white space, or to the parenthesis that closes a group opened before it. */
function endOfWord(text: string, start: number, depth: number): number {
  let inner = 0
  let at = start
  for (; at < text.length; at++) {
    const char = text[at] ?? ''
    if (/\s/.test(char)) break
    if (char === '(') inner += 1
    if (char === ')') {
      if (inner === 0 && depth > 0) break
      inner -= 1
    }
  }
  return at
}
