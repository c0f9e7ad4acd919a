/** Promise: records are shown whole, or one to a line with everything aligned. */

import type { CairnRecord } from '../../../core/record.js'
import type { ShortId } from '../short-ids.js'
import { alignedRows } from './rows.js'
import { oneLine, type Style, safe } from './style.js'
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
    ['session', oneLine(record.sessionId ?? '')],
    ['superseded', record.supersededAt === null ? '' : when(record.supersededAt, style.now)],
    ['importance', record.importance === 0.5 ? '' : String(record.importance)],
    ['sector', record.sector ?? ''],
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
export function renderList(records: readonly CairnRecord[], short: ShortId, style: Style): string {
  const rows = records.map((record) => ({
    cells: [
      short(record.id),
      dateOf(record, style.now),
      record.kind,
      oneLine(record.namespace),
      ...(record.supersededAt === null ? [] : ['superseded']),
    ],
    text: oneLine(record.title ?? record.body),
  }))
  return alignedRows(rows, style)
}
