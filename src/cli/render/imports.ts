/** What an import did is told in a few lines, and what it could not do line by line. */

import { basename } from 'node:path'
import type { ImportReport } from '../../cairn/import-report.js'
import { wrap } from './paragraph.js'
import { namedRows } from './rows.js'
import { cut, oneLine, type Style } from './style.js'

/** More is for `--json`. */
const MOST_LISTED = 20

export function renderImports(reports: readonly ImportReport[], style: Style): string {
  return reports.map((report) => renderImport(report, style)).join('\n')
}

export function renderImport(report: ImportReport, style: Style): string {
  const { works, sessions, links, unresolved, skippedCount, conflictCount } = report
  const all = (mine: number, ofWorks: number | undefined): string =>
    amounts([
      [mine, 'record'],
      [ofWorks ?? 0, 'work'],
    ])
  const would = report.dryRun ? style.dim('  a dry run: nothing was written') : ''
  const rows: readonly (readonly [string, string])[] = [
    ['created', all(report.created, works?.created)],
    ['updated', all(report.updated, works?.updated)],
    ['restored', count(report.restored)],
    ['unchanged', count(report.unchanged + (works?.unchanged ?? 0))],
    ['duplicates', report.duplicates === 0 ? '' : `${report.duplicates} stored already`],
    ['deleted', count(report.deleted)],
    ['sessions', count(sessions)],
    ['links', count(links)],
    ['unresolved', unresolved.length === 0 ? '' : amounts([[unresolved.length, 'link']])],
    ['archive', archived(report)],
    ['conflicts', conflictCount === 0 ? '' : `${conflictCount}; what is stored was kept`],
    ['skipped', count(skippedCount)],
  ]
  const title = `${style.bold(oneLine(nameOf(report.source)))} ${style.dim(`(${report.format})`)}`
  const body = namedRows(rows, style)
  return [
    `${title}${would}\n`,
    body === '' ? 'nothing to import\n' : body,
    ...listed(conflictLines(report), conflictCount, 'Conflicts', style),
    ...listed(skippedLines(report), skippedCount, 'Skipped', style),
  ].join('')
}

/** What else came with the records of an archive: `12 revisions, 3 facts`. */
function archived({ archive }: ImportReport): string {
  if (archive === undefined) return ''
  const { added, updated } = archive
  return amounts(TOLD.map(([kind, name]) => [added[kind] + updated[kind], name] as const))
}

const TOLD = [
  ['revision', 'revision'],
  ['fact', 'fact'],
  ['usage', 'usage'],
  ['recall', 'recall'],
  ['import', 'imported item'],
  ['lens', 'saved lens'],
] as const

/** `3 created, 1 deleted`, or null where nothing is other than it was. */
export function changesOf(report: ImportReport): string | null {
  const { works } = report
  const told = [
    [report.created + (works?.created ?? 0), 'created'],
    [report.updated + (works?.updated ?? 0), 'updated'],
    [report.restored, 'restored'],
    [report.deleted, 'deleted'],
    [report.skippedCount, 'skipped'],
  ] as const
  const shown = told.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  return shown.length === 0 ? null : shown.join(', ')
}

function nameOf(source: string): string {
  const path = source.replace(/^[a-z-]+:/, '')
  return source.startsWith('stdin:') ? 'standard input' : basename(path) || path
}

function count(number: number): string {
  return number === 0 ? '' : String(number)
}

function amounts(parts: readonly (readonly [number, string])[]): string {
  return parts
    .filter(([number]) => number > 0)
    .map(
      ([number, what]) => `${number} ${what}${number === 1 ? '' : what.endsWith('s') ? 'es' : 's'}`,
    )
    .join(', ')
}

function conflictLines({ conflicts }: ImportReport): string[] {
  return conflicts.map(
    ({ name, field, stored, incoming }) =>
      `${oneLine(name)}  ${field}: stored ${show(stored)}, incoming ${show(incoming)}`,
  )
}

function skippedLines({ skipped }: ImportReport): string[] {
  return skipped.map(({ name, line, reason }) => {
    const where = line === null ? oneLine(name) : `${oneLine(name)}:${line}`
    return `${where}  ${oneLine(reason)}`
  })
}

function show(value: unknown): string {
  return cut(oneLine(typeof value === 'string' ? value : JSON.stringify(value)), 60)
}

function listed(lines: readonly string[], total: number, title: string, style: Style): string[] {
  if (lines.length === 0) return []
  const shown = lines.slice(0, MOST_LISTED)
  const more = total - shown.length
  return [
    `\n${title}:\n`,
    ...shown.map((line) => `  ${wrap(line, style.columns - 4).join('\n    ')}\n`),
    ...(more > 0 ? [style.dim(`  and ${more} more: --json lists them\n`)] : []),
  ]
}
