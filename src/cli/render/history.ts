/** What a record was is shown oldest first, each time with its text and with what changed then. */

import type { HistoryAnswer } from '../../cairn/history.js'
import type { CairnRecord, Revision, RevisionEnd } from '../../core/record.js'
import { paragraph } from './paragraph.js'
import { cut, oneLine, type Style } from './style.js'
import { dayAndClock } from './when.js'

const ENDS: Readonly<Record<RevisionEnd, string>> = {
  edit: 'then edited',
  delete: 'then deleted',
  supersede: 'then superseded',
}
const FIELDS = [
  'title',
  'kind',
  'namespace',
  'tags',
  'people',
  'source',
  'metadata',
  'importance',
  'sector',
  'tier',
  'occurredAt',
] as const
const INDENT = '     '
const MOST_CHARS = 400

export function renderHistory({ record, revisions }: HistoryAnswer, style: Style): string {
  const states = [...revisions, record]
  const blocks = states.map((state, i) => {
    const before = states[i - 1]
    const changes = before === undefined ? [] : changesBetween(before, state)
    const text = cut(oneLine(state.body), MOST_CHARS)
    const isSameText = before !== undefined && before.body === state.body
    return [
      `${label(state, style)}`,
      ...(isSameText && changes.length > 0 ? [] : [paragraph(text, style.columns, INDENT)]),
      ...changes.map((change) => INDENT + style.dim(cut(change, style.columns - INDENT.length))),
    ].join('\n')
  })
  const title = `${style.bold(oneLine(record.title ?? record.id))}${record.title === null ? '' : style.dim(`  ${record.id}`)}`
  return `${title}\n${blocks.join('\n')}\n`
}

function label(state: Revision | CairnRecord, style: Style): string {
  const at = (iso: string): string => dayAndClock(iso, style.now)
  if ('number' in state) {
    const span = `${at(state.validFrom)} – ${at(state.validUntil)}, ${ENDS[state.endedBy]}`
    return `${String(state.number).padStart(3)}  ${style.dim(span)}`
  }
  const fate =
    state.deletedAt !== null
      ? `deleted ${at(state.deletedAt)}`
      : state.supersededAt !== null
        ? `superseded ${at(state.supersededAt)}`
        : `since ${at(state.updatedAt)}`
  return `now  ${style.dim(fate)}`
}

/** `tags: release → release, weekly` */
function changesBetween(before: Revision | CairnRecord, after: Revision | CairnRecord): string[] {
  return FIELDS.flatMap((field) => {
    const [was, is] = [show(before[field]), show(after[field])]
    return was === is ? [] : [`${field}: ${was || 'none'} → ${is || 'none'}`]
  })
}

function show(value: unknown): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map((one) => oneLine(String(one))).join(', ')
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([key, one]) => `${oneLine(key)}=${oneLine(JSON.stringify(one))}`)
      .join(' ')
  }
  return oneLine(String(value))
}
