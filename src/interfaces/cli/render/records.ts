/** Promise: records are shown whole, or one to a line with everything aligned. */

import type { CairnRecord } from '../../../core/record.js'
import { cut, oneLine, padTo, type Style, safe } from './style.js'
import { dateOf, when } from './when.js'

/** A record with all of its text. */
export function renderRecord(record: CairnRecord, style: Style): string {
  const facts: readonly (readonly [string, string])[] = [
    ['kind', record.kind],
    ['namespace', record.namespace],
    ['tags', record.tags.map(oneLine).join(', ')],
    ['people', record.people.map(oneLine).join(', ')],
    ['source', oneLine(record.source ?? '')],
    ['occurred', record.occurredAt === null ? '' : when(record.occurredAt, style.now)],
    ['created', when(record.createdAt, style.now)],
    ['updated', record.updatedAt === record.createdAt ? '' : when(record.updatedAt, style.now)],
    ['importance', record.importance === 0.5 ? '' : String(record.importance)],
    ['tier', record.tier === 'project' ? '' : record.tier],
    ...Object.entries(record.metadata).map(
      ([key, value]) => [oneLine(key), oneLine(showValue(value))] as const,
    ),
  ]
  const shown = facts.filter(([, value]) => value !== '')
  const width = Math.max(...shown.map(([name]) => name.length))
  return [
    `${style.bold(oneLine(record.title ?? record.id))}${record.title === null ? '' : style.dim(`  ${record.id}`)}`,
    ...shown.map(([name, value]) => `${style.dim(name.padEnd(width))}  ${value}`),
    '',
    safe(record.body),
    '',
  ].join('\n')
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** One line a record: id, date, kind, namespace, and as much of the title or text as fits. */
export function renderList(
  records: readonly CairnRecord[],
  shortIds: readonly string[],
  style: Style,
): string {
  const rows = records.map((record, i) => [
    shortIds[i] ?? record.id,
    dateOf(record, style.now),
    record.kind,
    oneLine(record.namespace),
  ])
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const used = widths.reduce((sum, width) => sum + width + 2, 0)
  return rows
    .map((row, i) => {
      const record = records[i]
      const facts = row.map((cell, column) => padTo(cell, widths[column] ?? 0)).join('  ')
      const text = oneLine(record?.title ?? record?.body ?? '')
      return `${style.dim(facts)}  ${cut(text, Math.max(30, style.columns - used))}\n`
    })
    .join('')
}
