/** Renders the report of a mirror: the changes on each side, conflicts and skipped entries. */

import type { MirrorReport } from '../../cairn/mirror.js'
import { formatDuration, listSkipped, renderList } from './import-report.js'
import { nameRows } from './layout.js'
import { listCounts, oneLine, type Style } from './style.js'

/** `files: 2 created; records: 1 updated; 1 conflict`, or nothing. */
export function formatMirrored({ files, records, conflicts }: MirrorReport): string {
  const parts = {
    files: listCounts(files),
    records: listCounts(records),
    conflicts: conflicts
      .map(({ name, copy }) => [name, copy ?? []].flat().join(' and '))
      .join(', '),
  }
  const told = Object.entries(parts).filter(([, text]) => text !== '')
  return told.map(([side, text]) => `${side}: ${oneLine(text)}`).join('; ')
}

export function renderMirror(report: MirrorReport, style: Style): string {
  const { folder, changes, conflicts, unresolved, skipped } = report
  const rows = nameRows(
    [
      ['files', listCounts(report.files)],
      ['records', listCounts(report.records)],
      ['unchanged', report.unchanged],
      ['conflicts', conflicts.length],
      ['skipped', skipped.length],
      ['took', formatDuration(report.durationMs)],
    ],
    style,
  )
  const list = (title: string, texts: readonly string[]): string =>
    renderList(
      title,
      texts.map((text) => ({ count: 1, text: oneLine(text) })),
      { total: texts.length, style },
    )
  const entries = skipped.map((one) => ({ ...one, line: null }))
  const dryRun = report.dryRun ? style.dim('  a dry run: nothing was written') : ''
  return [
    `${style.bold(oneLine(folder))}${dryRun}\n${rows}`,
    list(
      'Changes',
      changes.map(({ side, what, name }) => `${side} ${what}  ${name}`),
    ),
    list(
      'Conflicts',
      conflicts.map(
        ({ name, copy, reason }) => `${[name, copy ?? []].flat().join(' and ')}  ${reason}`,
      ),
    ),
    list('Copies to merge and delete', unresolved),
    renderList('Skipped', listSkipped(entries), { total: skipped.length, style }),
  ].join('')
}
