/** Colours and measures text for a terminal, and removes control characters from stored text. */

import type { CliContext } from '../command.js'

export type Style = Readonly<ReturnType<typeof createStyle>>

/** Uses colours only on a terminal. */
export function createStyle({ isTerminal, columns, env, now }: CliContext) {
  const hasColor = isTerminal && !env.NO_COLOR && env.TERM !== 'dumb'
  const paint =
    (open: number, close: number) =>
    (text: string): string =>
      hasColor && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text
  const yellow = paint(33, 39)
  const bold = paint(1, 22)
  return {
    columns,
    now: now(),
    bold,
    dim: paint(2, 22),
    /** For a word that matched. */
    match: (text: string) => (hasColor ? bold(yellow(text)) : `*${text}*`),
    good: paint(32, 39),
    bad: paint(31, 39),
  }
}

// Escape sequences, and the marks that reorder a line, would let a stored text forge the text around it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export function safe(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, '\ufffd')
}

/** The same in one line. */
export function oneLine(text: string): string {
  return safe(text).replace(/\s+/g, ' ').trim()
}

/** In columns: wide characters take two, combining marks none. */
export function measureWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const char of text) width += measureChar(char)
  return width
}

export function cut(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text
  let width = 1
  let start = ''
  for (const char of text) {
    width += measureChar(char)
    if (width > columns) break
    start += char
  }
  return `${start}…`
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - measureWidth(text)))
}

/** Nearly all texts: testing each of their characters takes milliseconds of a search. */
const ASCII = /^[ -~]*$/
/** Hangul, CJK, full-width forms and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

function measureChar(char: string): number {
  if (/\p{Mn}/u.test(char)) return 0
  return WIDE.test(char) ? 2 : 1
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`
  return bytes < 1_000_000_000
    ? `${(bytes / 1_000_000).toFixed(1)} MB`
    : `${(bytes / 1_000_000_000).toFixed(2)} GB`
}

/** `1 work`, `2 works`, `3 matches`. */
export function formatCount(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`
  return `${count} ${noun}${/(?:s|ch)$/.test(noun) ? 'es' : 's'}`
}

/** `3 created, 1 deleted`: the counts that are not 0. */
export function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]))
    .join(', ')
}

/** `memory 3 · work 1`. */
export function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${oneLine(name)} ${count}`)
    .join(' · ')
}
