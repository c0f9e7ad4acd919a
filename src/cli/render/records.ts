/** Records are shown whole, or one to a line with everything aligned. */

import type { CitationsAnswer } from '../../cairn/works.js'
import type { CairnRecord } from '../../core/record.js'
import type { WorkDetails } from '../../core/work.js'
import type { ShortId } from '../resolve-ids.js'
import { alignedRows } from './rows.js'
import { oneLine, type Style, safe } from './style.js'
import { dateOf, when } from './when.js'

/** A record with all of its text. */
export function renderRecord(record: CairnRecord, style: Style, around?: CitationsAnswer): string {
  const facts: readonly (readonly [string, string])[] = [
    ['kind', record.kind],
    ['namespace', record.namespace],
    ['tags', record.tags.map(oneLine).join(', ')],
    ['people', record.people.map(oneLine).join(', ')],
    ...(record.work === null ? [] : detailRows(record.work)),
    ...(around === undefined ? [] : citationRows(around)),
    ['source', oneLine(record.source ?? '')],
    [
      'occurred',
      record.occurredAt === null || record.work !== null ? '' : when(record.occurredAt, style.now),
    ],
    ['created', when(record.createdAt, style.now)],
    ['updated', record.updatedAt === record.createdAt ? '' : when(record.updatedAt, style.now)],
    ['session', oneLine(record.sessionId ?? '')],
    ['superseded', record.supersededAt === null ? '' : when(record.supersededAt, style.now)],
    ['importance', record.importance === 0.5 ? '' : String(record.importance)],
    ['sector', record.sector ?? ''],
    ['tier', record.tier === 'project' ? '' : record.tier],
    ...Object.entries(record.metadata).map(
      ([key, value]) => [oneLine(key), oneLine(showValue(key, value))] as const,
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

/** What a reference needs, under the names that people use. */
function detailRows(work: WorkDetails): (readonly [string, string])[] {
  const number = `${work.volume ?? ''}${work.issue === null ? '' : `(${work.issue})`}`
  const editors = work.editors.map(({ family, given }) => `${given ?? ''} ${family}`.trim())
  const details: readonly (readonly [string, string | null])[] = [
    ['type', work.type],
    ['editors', editors.join(', ')],
    ['venue', [work.venue, number, work.pages].filter(Boolean).join(', ')],
    ['series', work.series],
    ['publisher', work.publisher ?? work.institution],
    ['published', work.published ?? (work.year === null ? null : String(work.year))],
    ['doi', work.doi],
    ['arxiv', work.arxivId],
    ['openalex', work.openAlexId],
    ['isbn', work.isbn],
    ['url', work.url],
    ['key', work.citationKey],
    ['note', work.note],
  ]
  return details.map(([name, value]) => [name, oneLine(value ?? '')] as const)
}

function citationRows({ references, citedBy, unresolved }: CitationsAnswer) {
  const all = references.length + unresolved.length
  const stored = unresolved.length === 0 ? '' : ` (${references.length} stored)`
  return [
    ['references', all === 0 ? '' : `${all}${stored}`],
    ['cited by', citedBy.length === 0 ? '' : String(citedBy.length)],
  ] as const
}

/** Of the pages of a PDF their number says enough. */
function showValue(key: string, value: unknown): string {
  if (key === 'pages' && Array.isArray(value)) return String(value.length)
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
