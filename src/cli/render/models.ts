/** Models are shown one to a line, with how much they have read. */

import type { ModelsAnswer } from '../../cairn/models.js'
import { showBytes } from './size.js'
import type { Style } from './style.js'

const STATES = { active: 'in charge', building: 'being built', idle: 'replaced' } as const

export function renderModels({ models, waiting }: ModelsAnswer, style: Style): string {
  if (models.length === 0)
    return 'no model has vectors here yet; the first record brings the bundled one\n'
  const rows = models.map((model) => [
    model.id,
    STATES[model.state],
    `${model.dimensions} dimensions`,
    `${model.records} records (${Math.floor(model.coverage * 100)} %)`,
    `${model.vectors} vectors`,
    showBytes(model.bytes),
  ])
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths?.[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const note = waiting === 0 ? [] : [style.dim(`${waiting} records wait for vectors: cairn embed`)]
  return `${[...lines, ...note].join('\n')}\n`
}
