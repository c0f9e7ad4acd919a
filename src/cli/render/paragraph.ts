/** A long text becomes lines that fit, whatever colours are in it. */

import { widthOf } from './style.js'

/** What stands left of everything that belongs to a hit. */
export const INDENT = '      '

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that this program itself wrote
const COLOUR = /\u001b\[\d+m/g

/** Lines of at most so many columns, broken between words. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  const most = Math.max(columns, 40)
  let line = ''
  let width = 0
  for (const word of text.split(' ')) {
    const length = widthOf(word.replace(COLOUR, ''))
    if (line !== '' && width + 1 + length > most) {
      lines.push(line)
      line = word
      width = length
    } else {
      width += line === '' ? length : length + 1
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** The lines of a text, each under the indent. */
export function paragraph(text: string, columns: number, indent = INDENT): string {
  return wrap(text, columns - indent.length)
    .map((line) => indent + line)
    .join('\n')
}

/** Short pieces with dots between them, in as many lines as they need; no piece is broken. */
export function joinedLines(pieces: readonly string[], columns: number): string[] {
  const lines: string[] = []
  for (const piece of pieces) {
    const last = lines.at(-1)
    const longer = last === undefined ? piece : `${last} · ${piece}`
    if (last !== undefined && widthOf(longer) <= columns) lines[lines.length - 1] = longer
    else lines.push(piece)
  }
  return lines
}
