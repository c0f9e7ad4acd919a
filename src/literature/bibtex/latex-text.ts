/** LaTeX becomes the text a reader would see, and what is not understood stays as it was written. */

import { closingBrace, isBalanced, isWrapped } from './braces.js'
import { ACCENTS, BARE_ACCENTS, BREAKS, LOOKS, SYMBOLS } from './latex-symbols.js'

/** `verbatim` is for addresses, where `~` and `--` mean themselves. */
export type LatexMode = 'prose' | 'verbatim'

const LIGATURES: ReadonlyMap<string, string> = new Map([
  ['---', '—'],
  ['--', '–'],
  ['``', '“'],
  ["''", '”'],
  ['~', ' '],
])
const TOKEN = /\\([a-zA-Z]+)\*?|\\([\s\S])|---?|``|''|[~{}$]|[^\\{}$~`'-]+|[\s\S]/y

/** By hand: `{\"U}ber \emph{x} \& $\alpha$--y` → `Über x & α–y`. White space is left as it is. */
export function latexToText(source: string, mode: LatexMode = 'prose'): string {
  if (mode === 'verbatim' && !source.includes('\\')) {
    return isWrapped(source) ? source.slice(1, -1) : source
  }
  if (!/[\\{}$~]|--|``|''/.test(source)) return source
  let text = ''
  let at = 0
  let mathEnd = -1
  while (at < source.length) {
    TOKEN.lastIndex = at
    const [token = '', word, sign] = TOKEN.exec(source) ?? []
    const start = at
    at += Math.max(1, token.length)
    if (word !== undefined || sign !== undefined) {
      const shown = readCommand(source, word ?? sign ?? '', at)
      text += shown.text ?? source.slice(start, shown.end)
      at = shown.end
    } else if (token === '$' && mode === 'prose') {
      if (start === mathEnd) continue
      mathEnd = closingDollar(source, start)
      if (mathEnd === -1) text += token
    } else if (token !== '{' && token !== '}') {
      text += (mode === 'prose' ? LIGATURES.get(token) : undefined) ?? token
    }
  }
  return text
}

/** A null text stands for the command as it was written, up to `end`. */
type Shown = { readonly text: string | null; readonly end: number }

function readCommand(source: string, name: string, after: number): Shown {
  const isWord = /^[a-zA-Z]/.test(name)
  const accent = ACCENTS.get(name)
  // `\c` is an accent only over something: `\c c` or `\c{c}`.
  if (accent !== undefined) {
    const { text, end } = readArgument(source, after)
    return { text: withAccent(name, accent, text), end }
  }
  const symbol = SYMBOLS.get(name)
  if (symbol !== undefined) return { text: symbol, end: isWord ? endOfWord(source, after) : after }
  const space = BREAKS.get(name)
  if (space !== undefined) return { text: space, end: isWord ? endOfWord(source, after) : after }
  if (LOOKS.has(name)) return { text: '', end: endOfWord(source, after) }
  if (!isWord) return { text: name, end: after }
  return readKnown(source, name, after) ?? { text: null, end: endOfArguments(source, after) }
}

/** Commands whose arguments stand in another order or shape than they are written. */
function readKnown(source: string, name: string, after: number): Shown | null {
  const first = readArgument(source, after)
  if (name === 'enquote' || name === 'mkbibquote')
    return { text: `“${first.text}”`, end: first.end }
  if (name !== 'href' && name !== 'frac') return null
  const second = readArgument(source, first.end)
  const text = name === 'frac' ? `${first.text}/${second.text}` : `${second.text} (${first.text})`
  return { text, end: second.end }
}

/** White space after the name of a command belongs to the command, and so does an empty pair of braces. */
function endOfWord(source: string, after: number): number {
  if (source.startsWith('{}', after)) return after + 2
  const blank = /[ \t]*(?:\n(?!\s*\n)[ \t]*)?/y
  blank.lastIndex = after
  return after + (blank.exec(source)?.[0].length ?? 0)
}

function endOfArguments(source: string, after: number): number {
  let end = after
  while (source[end] === '{') {
    const close = closingBrace(source, end)
    if (close === -1) return end
    end = close + 1
  }
  return end
}

/** What a command is applied to: a pair of braces, another command, or one character. */
function readArgument(
  source: string,
  after: number,
): { readonly text: string; readonly end: number } {
  let at = after
  while (source[at] === ' ') at += 1
  if (source[at] === '{') {
    const close = closingBrace(source, at)
    if (close === -1) return { text: '', end: at + 1 }
    return { text: latexToText(source.slice(at + 1, close)), end: close + 1 }
  }
  TOKEN.lastIndex = at
  const [token = '', word, sign] = TOKEN.exec(source) ?? []
  if (word !== undefined || sign !== undefined) {
    const shown = readCommand(source, word ?? sign ?? '', at + token.length)
    return { text: shown.text ?? source.slice(at, shown.end), end: shown.end }
  }
  const char = String.fromCodePoint(source.codePointAt(at) ?? 0x20)
  return at >= source.length || char === '}'
    ? { text: '', end: at }
    : { text: char, end: at + char.length }
}

function withAccent(name: string, accent: string, text: string): string {
  const [letter = '', ...rest] = text
  if (letter === '') return BARE_ACCENTS.includes(name) ? name : ''
  const dotted = letter === 'ı' ? 'i' : letter === 'ȷ' ? 'j' : letter
  return (dotted + accent).normalize('NFC') + rest.join('')
}

/**
 * Pandoc's rule tells mathematics from money: no space after the first sign, none before the second, and no digit
 * after it. By hand: `$\alpha$-x` is mathematics, `$5 and $6` is not.
 */
function closingDollar(source: string, open: number): number {
  if (/\s/.test(source[open + 1] ?? ' ')) return -1
  for (let at = open + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1
    else if (source[at] === '$') {
      const isClosing = !/\s/.test(source[at - 1] ?? ' ') && !/\d/.test(source[at + 1] ?? '')
      return isClosing ? at : -1
    }
  }
  return -1
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\textbackslash{}'],
  ['~', '\\textasciitilde{}'],
  ['^', '\\textasciicircum{}'],
])
const BRACE_WORDS: ReadonlyMap<string, string> = new Map([
  ['{', '\\textbraceleft{}'],
  ['}', '\\textbraceright{}'],
])

/** The LaTeX that shows this text. Accents stay as they are: every BibTeX of today reads UTF-8. */
export function textToLatex(text: string): string {
  // BibTeX counts braces whether or not they are escaped, so a lone one needs its name.
  const braces = isBalanced(text) ? null : BRACE_WORDS
  return text
    .replace(/[&%$#_{}~^\\]/g, (sign) => braces?.get(sign) ?? ESCAPES.get(sign) ?? `\\${sign}`)
    .replace(/-(?=-)|`(?=`)|'(?=')/g, '$&{}')
}
