/** An evaluation is one table: a row for each set and mode, and every figure in a column of its own. */

import type { Comparison } from '../../evaluation/compare.js'
import type { EvalReport, SetReport } from '../../evaluation/evaluate.js'
import { oneLine, padTo, type Style, widthOf } from './style.js'

const FIGURES = [
  ['nDCG@10', 'ndcg@10', 3],
  ['R@5', 'recall@5', 3],
  ['R@10', 'recall@10', 3],
  ['R@100', 'recall@100', 3],
  ['MRR@10', 'mrr@10', 3],
  ['MAP', 'map', 3],
  ['ms', 'medianMs', 1],
  ['p95', 'p95Ms', 1],
] as const

/** What stands on the left: the set and the mode. The others are numbers. */
const NAMES = ['set', 'mode']
const HEAD = [...NAMES, 'docs', 'queries', ...FIGURES.map(([label]) => label)]
const GAP = '  '

export function renderEval({ sets, mean }: EvalReport, style: Style): string {
  const reports = Object.entries(sets)
  const all: SetReport = {
    docs: reports.reduce((sum, [, { docs }]) => sum + docs, 0),
    queries: reports.reduce((sum, [, { queries }]) => sum + queries, 0),
    modes: mean,
  }
  const ofSets = reports.flatMap(([name, report]) => rowsOf(name, report))
  const ofMean = reports.length > 1 ? rowsOf('mean', all) : []
  const rows = [HEAD, ...ofSets, ...ofMean]
  const widths = HEAD.map((_, i) => Math.max(...rows.map((row) => widthOf(row[i] ?? ''))))
  const align = (row: readonly string[]): string => alignRow(row, widths)
  const lines = [
    style.dim(align(HEAD)),
    ...ofSets.map(align),
    ...ofMean.map((row) => style.bold(align(row))),
  ]
  return `${lines.join('\n')}\n`
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

/** A row for each mode; what they share is written once. */
function rowsOf(name: string, { docs, queries, modes }: SetReport): string[][] {
  return Object.entries(modes).map(([mode, figures], i) => [
    ...(i === 0 ? [oneLine(name), mode, String(docs), String(queries)] : ['', mode, '', '']),
    ...FIGURES.map(([, figure, digits]) => figures[figure].toFixed(digits)),
  ])
}

function alignRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, i) =>
      i < NAMES.length ? padTo(cell, widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
    )
    .join(GAP)
}
