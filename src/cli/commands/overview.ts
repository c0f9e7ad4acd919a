/** `cairn overview` shows a file from afar: when its records are from, how salient, how often recalled. */

import type { Overview } from '../../core/answer.js'
import type { Show } from '../operation-command.js'
import { namedRows } from '../render/rows.js'
import type { Style } from '../render/style.js'

const BAR = 40

export const showOverview: Show<'overview'> = (overview) => ({
  text: (style) => renderOverview(overview, style),
})

function renderOverview(
  { overTime, salience, coverage, recalls, ...rest }: Overview,
  style: Style,
) {
  const { withVectors, waiting } = coverage
  const times = [...new Set(overTime.map(({ at }) => at))].map((at): [string, number] => [
    at,
    overTime.reduce((sum, one) => sum + (one.at === at ? one.count : 0), 0),
  ])
  const tenths = salience.map((count, i): [string, number] => [`${i / 10}`, count])
  const head = namedRows(
    [
      ['kinds', counts(rest.kinds)],
      ['sectors', counts(rest.sectors)],
      ['vectors', waiting === 0 ? '' : `${withVectors}, and ${waiting} records wait for theirs`],
    ],
    style,
  )
  return [
    head,
    bars(`records by ${rest.by}`, times, style),
    bars('by salience', tenths, style),
    bars(
      'recalled by day',
      recalls.map(({ day, count }) => [day, count]),
      style,
    ),
  ].join('')
}

function counts(of: Readonly<Record<string, number>>): string {
  return Object.entries(of)
    .map(([name, count]) => `${name} ${count}`)
    .join(' · ')
}

function bars(title: string, rows: readonly (readonly [string, number])[], style: Style): string {
  if (rows.length === 0) return ''
  const most = Math.max(1, ...rows.map(([, count]) => count))
  const lines = rows.map(([name, count]): [string, string] => [
    `  ${name}`,
    `${'█'.repeat(Math.round((BAR * count) / most))} ${count}`.trimStart(),
  ])
  return `\n${title}\n${namedRows(lines, style)}`
}
