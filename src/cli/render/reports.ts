/** Renders the reports of imports and mirrors: counts, formats, changes, conflicts and skipped entries. */

import { basename } from 'node:path'
import type { ImportReport } from '../../cairn/import.js'
import type { MirrorReport } from '../../cairn/mirror.js'
import { nameRows, wrap } from './layout.js'
import { cut, formatCount, listCounts, oneLine, type Style } from './style.js'

/** More is for `--json`. */
const MAX_LISTED = 20
/** More files that are skipped for one reason share a line. */
const MAX_ALIKE = 3

/** `3 created, 1 deleted`, or nothing. */
export function formatChanges({ works, restored, deleted, skippedCount, ...report }: ImportReport) {
  const created = report.created + (works?.created ?? 0)
  const updated = report.updated + (works?.updated ?? 0)
  return listCounts({ created, updated, restored, deleted, skipped: skippedCount })
}

export function renderImport(report: ImportReport, style: Style): string {
  const { source, works, duplicates, unresolved, archive, skippedCount, conflictCount } = report
  const parts = (key: keyof NonNullable<typeof archive>['added']): number =>
    archive === undefined ? 0 : archive.added[key] + archive.updated[key]
  const rows = nameRows(
    [
      ['created', formatCounts({ record: report.created, work: works?.created ?? 0 })],
      ['updated', formatCounts({ record: report.updated, work: works?.updated ?? 0 })],
      ['attached', formatCounts({ 'full text': report.attached ?? 0 })],
      ['restored', report.restored],
      ['unchanged', report.unchanged + (works?.unchanged ?? 0)],
      ['duplicates', listCounts({ 'stored already': duplicates })],
      ['deleted', report.deleted],
      ['sessions', report.sessions],
      ['links', report.links],
      ['unresolved', formatCounts({ link: unresolved.length })],
      [
        'archive',
        formatCounts({
          revision: parts('revision'),
          fact: parts('fact'),
          usage: parts('usage'),
          recall: parts('recall'),
          'imported item': parts('import'),
          'saved lens': parts('lens'),
        }),
      ],
      ['conflicts', conflictCount === 0 ? '' : `${conflictCount}; what is stored was kept`],
      ['skipped', skippedCount],
      ['ignored', formatIgnored(report.ignored)],
      ['took', formatDuration(report.durationMs)],
    ],
    style,
  )
  const isNothing = report.read === 0 && archive === undefined && formatChanges(report) === ''
  const path = source.replace(/^[a-z-]+:/, '')
  const name = source.startsWith('stdin:') ? 'standard input' : basename(path) || path
  const dryRun = report.dryRun ? style.dim('  a dry run: nothing was written') : ''
  const conflicts = report.conflicts.map((one) => {
    const values = `stored ${formatValue(one.stored)}, incoming ${formatValue(one.incoming)}`
    return { count: 1, text: `${oneLine(one.name)}  ${one.field}: ${values}` }
  })
  return [
    `${style.bold(oneLine(name))} ${style.dim(`(${report.format})`)}${dryRun}\n`,
    isNothing ? `nothing to import\n${rows}` : rows,
    renderFormats(report, style),
    renderList('Conflicts', conflicts, { total: conflictCount, style }),
    renderList('Skipped', listSkipped(report.skipped), { total: skippedCount, style }),
  ].join('')
}

/** Suggests the next command if something was imported. */
export function renderNextStep(imports: readonly ImportReport[], style: Style): string {
  if (imports.some(({ dryRun }) => dryRun)) return style.dim('\nNext: the same without --dry-run\n')
  if (imports.every((report) => formatChanges({ ...report, skippedCount: 0 }) === '')) return ''
  const isFolder = imports.some(({ format }) => format === 'folder')
  const watch = isFolder ? ', and cairn watch FOLDER keeps it up to date' : ''
  return style.dim(`\nNext: cairn search WORDS finds what came in${watch}\n`)
}

function formatDuration(ms: number): string {
  return ms < 1000
    ? `${ms} ms`
    : ms < 90_000
      ? `${(ms / 1000).toFixed(1)} s`
      : `${Math.round(ms / 60_000)} min`
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([noun, count]) => formatCount(count, noun))
    .join(', ')
}

function formatIgnored(ignored: ImportReport['ignored']): string {
  return Object.entries(ignored)
    .map(([rule, count]) => `${count} by ${rule}`)
    .join(', ')
}

function formatValue(value: unknown): string {
  return cut(oneLine(typeof value === 'string' ? value : JSON.stringify(value)), 60)
}

/** A line for each format, if the source may have several. */
function renderFormats({ format, formats }: ImportReport, style: Style): string {
  if ((format !== 'folder' && format !== 'zip') || formats.length === 0) return ''
  const rows = formats.map(({ format: name, read, skipped }): [string, string] => {
    return [name, `${read} read${skipped > 0 ? `, ${skipped} skipped` : ''}`]
  })
  return `\nFormats:\n${nameRows(rows, style).replace(/^/gm, '  ').trimEnd()}\n`
}

/** `count` is how many entries the line stands for. */
type Line = { readonly count: number; readonly text: string }

function listSkipped(skipped: ImportReport['skipped']): Line[] {
  const lines = new Map<string, { readonly reason: string; readonly names: string[] }>()
  const alike = new Map<string, number>()
  for (const { reason, line } of skipped) {
    if (line === null) alike.set(reason, (alike.get(reason) ?? 0) + 1)
  }
  for (const { name, line, reason } of skipped) {
    const shown = `${oneLine(name)}${line === null ? '' : `:${line}`}`
    const isShared = line === null && (alike.get(reason) ?? 0) > MAX_ALIKE
    const key = isShared ? reason : `${shown} ${reason}`
    const known = lines.get(key)
    if (known === undefined) lines.set(key, { reason, names: [shown] })
    else known.names.push(shown)
  }
  return [...lines.values()].map(({ reason, names }) => {
    const more = names.length - MAX_ALIKE
    const shown = names.slice(0, MAX_ALIKE).join(', ') + (more > 0 ? ` and ${more} more` : '')
    return { count: names.length, text: `${shown}  ${oneLine(reason)}` }
  })
}

function renderList(
  title: string,
  lines: readonly Line[],
  { total, style }: { readonly total: number; readonly style: Style },
): string {
  if (lines.length === 0) return ''
  const shown = lines.slice(0, MAX_LISTED)
  const texts = shown.map(({ text }) => `  ${wrap(text, style.columns - 4).join('\n    ')}\n`)
  const left = total - shown.reduce((sum, { count }) => sum + count, 0)
  const more = left > 0 ? style.dim(`  and ${left} more: --json lists them\n`) : ''
  return `\n${title}:\n${texts.join('')}${more}`
}

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
