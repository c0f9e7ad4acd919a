/** Lays out text on a terminal: wrapped lines, aligned columns, named rows. */

import { cut, measureWidth, oneLine, padTo, type Style, safe } from './style.js'

export const INDENT = '      '
const MIN_WRAP_COLUMNS = 40
const MIN_TEXT_COLUMNS = 30

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that this program itself wrote
const COLOUR = /\u001b\[\d+m/g

export function wrap(text: string, columns: number): string[] {
  const most = Math.max(columns, MIN_WRAP_COLUMNS)
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const word of text.split(' ')) {
    const length = measureWidth(word.replace(COLOUR, ''))
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

export function indentParagraph(text: string, columns: number, indent = INDENT): string {
  return wrap(text, columns - indent.length)
    .map((line) => indent + line)
    .join('\n')
}

/** Joins short pieces with dots into lines; no piece is broken. */
export function joinPieces(pieces: readonly string[], columns: number): string[] {
  const lines: string[] = []
  for (const piece of pieces) {
    const last = lines.at(-1)
    const longer = last === undefined ? piece : `${last} · ${piece}`
    if (last !== undefined && measureWidth(longer) <= columns) lines[lines.length - 1] = longer
    else lines.push(piece)
  }
  return lines
}

/** The first values that fit into a line, and how many are left. */
export function joinFitting(values: readonly string[], columns: number): string {
  let line = ''
  for (const [i, value] of values.entries()) {
    const longer = line === '' ? value : `${line} · ${value}`
    const left = values.length - i
    // 12 columns for ` · 9 more`; the first value is shown whatever its length.
    if (i > 0 && measureWidth(longer) + (left > 1 ? 12 : 0) > columns) {
      return `${line} · ${left} more`
    }
    line = longer
  }
  return line
}

/** The functions below make stored text safe for the terminal, so their callers pass it as it is. */
type Cell = string | number | null | undefined

function print(cell: Cell): string {
  return safe(String(cell ?? '')).replace(/\s/g, ' ')
}

export type Row = { readonly cells: readonly Cell[]; readonly text: string | null }

/** Rows in columns: the cells are dimmed, the text at the end is cut where the line ends. */
export function alignRows(given: readonly Row[], style: Style, indent = ''): string {
  const rows = given.map(({ cells, text }) => ({ cells: cells.map(print), text: text ?? '' }))
  const columns = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map(({ cells }) => measureWidth(cells[column] ?? ''))),
  )
  const used = widths.reduce((sum, width) => sum + width + 2, indent.length)
  const room = Math.max(MIN_TEXT_COLUMNS, style.columns - used)
  const lines = rows.map(({ cells, text }) => {
    const data = widths.map((width, column) => padTo(cells[column] ?? '', width)).join('  ')
    return `${`${indent}${style.dim(data)}  ${cut(oneLine(text), room)}`.trimEnd()}\n`
  })
  return lines.join('')
}

/** A table of plain cells, as lines; the columns after the first `leftColumns` are numbers, and right-aligned. */
export function alignCells(given: readonly (readonly Cell[])[], leftColumns = Infinity): string[] {
  const rows = given.map((row) => row.map(print))
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => measureWidth(row[column] ?? ''))),
  )
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0
      return column < leftColumns ? padTo(cell, width) : cell.padStart(width)
    })
    return cells.join('  ').trimEnd()
  })
}

export function renderNext(cursor: string | null, style: Style): string {
  return cursor === null ? '' : style.dim(`more: --cursor ${cursor}\n`)
}

export type NamedRow = readonly [name: string, value: Cell]

/** Names on the left, values on the right. Rows without a value are left out; 0 is no value. */
export function nameRows(rows: readonly NamedRow[], style: Style, minWidth = 0): string {
  const shown = rows
    .filter(([, value]) => value !== 0)
    .map(([name, value]) => [print(name), oneLine(String(value ?? ''))] as const)
    .filter(([, value]) => value !== '')
  const width = Math.max(minWidth, ...shown.map(([name]) => name.length))
  const indent = ' '.repeat(width + 2)
  return shown
    .map(([name, value]) => {
      const lines = wrap(value, style.columns - width - 2)
      return `${style.dim(name.padEnd(width))}  ${lines.join(`\n${indent}`)}\n`
    })
    .join('')
}
