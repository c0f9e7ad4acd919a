/** A lens is shown with what it is for and with every option it sets. */

import type { LensShown } from '../../cairn/lenses.js'
import { paragraph, wrap } from './paragraph.js'
import { alignedRows } from './rows.js'
import { oneLine, padTo, type Style } from './style.js'

/** The built-in ones, then those of the file. */
export function renderLenses(lenses: readonly LensShown[], style: Style): string {
  const rowsOf = (isBuiltIn: boolean): string =>
    alignedRows(
      lenses
        .filter((lens) => lens.isBuiltIn === isBuiltIn)
        .map((lens) => ({
          cells: [oneLine(lens.name)],
          text: oneLine(lens.sentence ?? shortly(lens)),
        })),
      style,
      '  ',
    )
  const saved = rowsOf(false)
  return `built in\n${rowsOf(true)}${saved === '' ? '' : `\nsaved\n${saved}`}`
}

export function renderLens(lens: LensShown, style: Style): string {
  const sentence =
    lens.sentence === null ? '' : `${paragraph(oneLine(lens.sentence), style.columns, '  ')}\n`
  const options = Object.entries(lens.options).filter(([, value]) => value !== null)
  const width = Math.max(0, ...options.map(([name]) => name.length))
  const lines = options.flatMap(([name, value]) =>
    wrap(showOption(name, value), style.columns - width - 4).map(
      (line, i) => `  ${style.dim(padTo(i === 0 ? name : '', width))}  ${line}\n`,
    ),
  )
  return `${style.bold(oneLine(lens.name))}\n${sentence}${lines.join('')}`
}

function shortly({ options }: LensShown): string {
  return Object.entries(options)
    .map(([name, value]) => `${name} ${showOption(name, value)}`)
    .join(', ')
}

/** A boost as `--boost` takes it, anything else as data without its quotes. */
function showOption(name: string, value: unknown): string {
  if (name !== 'boosts' || !Array.isArray(value)) return showValue(value)
  return value.map((boost) => `${boost.field}:${oneLine(boost.value)}=${boost.factor}`).join(', ')
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(showValue).join(', ')
  if (typeof value !== 'object' || value === null) return oneLine(String(value))
  return Object.entries(value)
    .filter(([, part]) => part !== null)
    .map(([name, part]) =>
      typeof part === 'object' ? `${name} (${showValue(part)})` : `${name} ${showValue(part)}`,
    )
    .join(', ')
}
