/** Promise: an evaluation is one table: a set to a row, and for each mode its main figures side by side. */

import type { Comparison } from '../../../evaluation/compare.js'
import type { EvalReport, SetReport } from '../../../evaluation/evaluate.js'
import { oneLine, padTo, type Style, widthOf } from './style.js'

const COLUMNS = [
  ['nDCG@10', 'ndcg@10', 3],
  ['R@10', 'recall@10', 3],
  ['ms', 'medianMs', 1],
] as const

const GAP = '  '

export function renderEval({ sets, mean }: EvalReport, style: Style): string {
  const reports = Object.entries(sets)
  const modes = Object.keys(mean)
  const all: SetReport = {
    docs: reports.reduce((sum, [, { docs }]) => sum + docs, 0),
    queries: reports.reduce((sum, [, { queries }]) => sum + queries, 0),
    modes: mean,
  }
  const head = ['set', 'docs', 'queries', ...modes.flatMap(() => COLUMNS.map(([label]) => label))]
  const body = [...reports, ...(reports.length > 1 ? [['mean', all] as const] : [])]
  const rows = [head, ...body.map(([name, report]) => rowOf(name, report, modes))]
  const widths = head.map((_, i) => Math.max(...rows.map((row) => widthOf(row[i] ?? ''))))
  const [labels = '', ...lines] = rows.map((row) => alignRow(row, widths))
  const last = reports.length > 1 ? lines.pop() : undefined
  const shown = [style.dim(labels), ...lines, ...(last === undefined ? [] : [style.bold(last)])]
  return `${[modeLine(modes, widths, style), ...shown].join('\n')}\n`
}

/** Below this chance is an unlikely reason. */
const SIGNIFICANT = 0.05
const MOST_SHOWN = 5

/** What changed against an earlier run, by nDCG@10: a sentence for each mode, and the queries that changed most. */
export function renderComparisons(comparisons: readonly Comparison[], style: Style): string {
  return comparisons.map((one) => `\n${renderComparison(one, style)}`).join('')
}

function renderComparison(one: Comparison, style: Style): string {
  const { mode, queries, before, after, difference, wins, losses, ties, p, most } = one
  if (queries === 0) return `${style.bold(mode)}: the two runs have no query in common\n`
  const sign = difference < 0 ? '−' : '+'
  const verdict = p < SIGNIFICANT ? 'not by chance' : 'may be chance'
  const lines = [
    `${style.bold(mode)}: nDCG@10 ${before.toFixed(4)} → ${after.toFixed(4)} (${sign}${Math.abs(difference).toFixed(4)})`,
    `${wins} better, ${losses} worse, ${ties} as before; p = ${p.toFixed(4)}, ${verdict}`,
    ...[...most.slice(0, MOST_SHOWN), ...most.slice(MOST_SHOWN).slice(-MOST_SHOWN)].map((change) =>
      style.dim(
        `  ${change.before.toFixed(3)} → ${change.after.toFixed(3)}  ${oneLine(change.set)} ${oneLine(change.query)}`,
      ),
    ),
  ]
  return `${lines.join('\n')}\n`
}

/** Numbers of answers that a mode could not give as asked; null where there are none. */
export function degradedSentence(
  { sets }: EvalReport,
  degraded: Readonly<Record<string, number>>,
): string | null {
  const queries = Object.values(sets).reduce((sum, set) => sum + set.queries, 0)
  const parts = Object.entries(degraded)
    .filter(([, count]) => count > 0)
    .map(([mode, count]) => `${count} of ${queries} in mode ${mode}`)
  return parts.length === 0 ? null : `Some answers were degraded: ${parts.join(', ')}.`
}

function rowOf(name: string, { docs, queries, modes }: SetReport, asked: readonly string[]) {
  const figures = asked.flatMap((mode) =>
    COLUMNS.map(([, figure, digits]) => modes[mode]?.[figure].toFixed(digits) ?? ''),
  )
  return [oneLine(name), String(docs), String(queries), ...figures]
}

/** The name on the left, numbers on the right. */
function alignRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, i) => (i === 0 ? padTo(cell, widths[0] ?? 0) : cell.padStart(widths[i] ?? 0)))
    .join(GAP)
}

/** Each mode over the first of its columns. */
function modeLine(modes: readonly string[], widths: readonly number[], style: Style): string {
  const widthOfColumns = (from: number, to: number): number =>
    widths.slice(from, to).reduce((sum, width) => sum + width + GAP.length, 0)
  const cells = modes.map((mode, i) => {
    const first = 3 + i * COLUMNS.length
    return padTo(mode, widthOfColumns(first, first + COLUMNS.length))
  })
  return style.bold(`${' '.repeat(widthOfColumns(0, 3))}${cells.join('')}`.trimEnd())
}
