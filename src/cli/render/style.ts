/** Colour only where a person looks, and nothing in a text can take over the terminal. */

export type Style = {
  readonly columns: number
  readonly now: number
  bold(text: string): string
  dim(text: string): string
  /** A word that matched: coloured on a terminal, *marked* elsewhere. */
  match(text: string): string
  good(text: string): string
  bad(text: string): string
}

/** As the reader's terminal wants it. */
export function styleOf(cli: {
  readonly isTerminal: boolean
  readonly columns: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => number
}): Style {
  const color = cli.isTerminal && !cli.env.NO_COLOR && cli.env.TERM !== 'dumb'
  return createStyle({ color, columns: cli.columns, now: cli.now() })
}

export function createStyle(options: {
  readonly color: boolean
  readonly columns: number
  readonly now: number
}): Style {
  const paint =
    (open: number, close: number) =>
    (text: string): string =>
      options.color && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text
  const yellow = paint(33, 39)
  const bold = paint(1, 22)
  return {
    columns: options.columns,
    now: options.now,
    bold,
    dim: paint(2, 22),
    match: (text) => (options.color ? bold(yellow(text)) : `*${text}*`),
    good: paint(32, 39),
    bad: paint(31, 39),
  }
}

// Escape sequences, and the marks that reorder a line, would let a stored text forge what stands around it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A stored text as it may be shown on a terminal. */
export function safe(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, '\ufffd')
}

/** On one line, without the line breaks of the text. */
export function oneLine(text: string): string {
  return safe(text).replace(/\s+/g, ' ').trim()
}

/** Wide characters take two columns; marks that sit on a letter take none. */
export function widthOf(text: string): number {
  let width = 0
  for (const char of text) width += columnsOf(char)
  return width
}

export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let width = 1
  let kept = ''
  for (const char of text) {
    width += columnsOf(char)
    if (width > columns) break
    kept += char
  }
  return `${kept}…`
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

function columnsOf(char: string): number {
  if (/\p{Mn}/u.test(char)) return 0
  const code = char.codePointAt(0) ?? 0
  const isWide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  return isWide ? 2 : 1
}
