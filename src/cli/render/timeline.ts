/** A timeline reads downwards, with a heading for each day and each session. */

import type { TimelineAnswer, TimelineEntry } from '../../cairn/timeline.js'
import type { ShortId } from '../resolve-ids.js'
import { cut, oneLine, padTo, type Style } from './style.js'
import { clock, day } from './when.js'

export function renderTimeline(
  { entries, next }: TimelineAnswer,
  short: ShortId,
  style: Style,
): string {
  if (entries.length === 0) return 'nothing happened then\n'
  const width = Math.max(...entries.map(({ id }) => short(id).length))
  const lines = entries.flatMap((entry, i) => [
    ...headings(entry, entries[i - 1], style),
    entryLine(entry, padTo(short(entry.id), width), style),
  ])
  const more = next === null ? [] : [style.dim(`more: --cursor ${next}`)]
  return `${[...lines, ...more].join('\n')}\n`
}

function headings(entry: TimelineEntry, before: TimelineEntry | undefined, style: Style): string[] {
  const today = day(entry.time, style.now)
  const isNewDay = before === undefined || day(before.time, style.now) !== today
  const isNewSession = entry.session !== null && (isNewDay || before.session !== entry.session)
  return [
    ...(isNewDay ? [style.bold(today)] : []),
    ...(isNewSession ? [style.dim(`  in ${oneLine(entry.session ?? '')}`)] : []),
  ]
}

/** The anchor is marked; what is no memory says what it is. */
function entryLine(entry: TimelineEntry, id: string, style: Style): string {
  const data = `${clock(entry.time)}  ${id}`
  const kind = entry.kind === 'memory' ? '' : ` (${entry.kind})`
  const room = Math.max(30, style.columns - data.length - 4 - kind.length)
  const text = cut(oneLine(entry.summary), room)
  const mark = entry.isAnchor ? style.good('▸') : ' '
  return `${mark} ${style.dim(data)}  ${entry.isAnchor ? style.bold(text) : text}${style.dim(kind)}`
}
