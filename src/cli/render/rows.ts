/** Rows of a list stand in columns, and the text at their end takes what is left of the line. */

import { cut, padTo, type Style, widthOf } from './style.js'

export type ListRow = { readonly cells: readonly string[]; readonly text: string }

const LEAST_TEXT = 30

/** The cells are dimmed; the text is cut where the line ends. */
export function alignedRows(rows: readonly ListRow[], style: Style, indent = ''): string {
  const columns = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map(({ cells }) => widthOf(cells[column] ?? ''))),
  )
  const used = widths.reduce((sum, width) => sum + width + 2, indent.length)
  const room = Math.max(LEAST_TEXT, style.columns - used)
  return rows
    .map(({ cells, text }) => {
      const data = widths.map((width, column) => padTo(cells[column] ?? '', width)).join('  ')
      return `${indent}${style.dim(data)}  ${cut(text, room)}`.trimEnd()
    })
    .map((line) => `${line}\n`)
    .join('')
}

/** Names on the left, values on the right; those without a value are left out. */
export function namedRows(
  rows: readonly (readonly [name: string, value: string])[],
  style: Style,
): string {
  const shown = rows.filter(([, value]) => value !== '')
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${style.dim(name.padEnd(width))}  ${value}\n`).join('')
}
