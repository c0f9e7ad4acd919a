/** Commands on the past of a record: history, why and replay. */

import type { WhyAnswer } from '../../cairn/history.js'
import { parseId } from '../../core/ids.js'
import type { CairnRecord, Revision, RevisionEnd } from '../../core/record.js'
import { NO_DETAILS, type WorkDetails } from '../../core/work.js'
import type { CommandActions } from '../operation-command.js'
import { formatAge, formatMinute } from '../render/dates.js'
import { renderFactLines } from '../render/hits.js'
import {
  alignRows,
  indentParagraph,
  type NamedRow,
  nameRows,
  renderNext,
} from '../render/layout.js'
import { cut, formatCount, oneLine, type Style } from '../render/style.js'
import { type ShortId, shortIds } from '../resolve-ids.js'
import { listOthers, renderLinks } from './memory.js'
import { renderHeading } from './records.js'

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
const REVISION_CHARACTERS = 400
const TEXT_CHARACTERS = 300
const MAX_LISTED = 10

export const ACTIONS: CommandActions = {
  /** Oldest first, each version with its text and what changed then. */
  history: ({ record, revisions }, { style }) => {
    const states = [...revisions, record]
    const lines = states.flatMap((state, i) => {
      const before = states[i - 1]
      const changes = before === undefined ? [] : listChanges(before, state)
      const hasOldText = before?.body === state.body && changes.length > 0
      const text = cut(oneLine(state.body), REVISION_CHARACTERS)
      return [
        renderSpan(state, revisions, style),
        ...(hasOldText ? [] : [indentParagraph(text, style.columns, INDENT)]),
        ...changes.map((change) => INDENT + style.dim(cut(change, style.columns - INDENT.length))),
      ]
    })
    return `${[renderHeading(record.id, record.title, style), ...lines].join('\n')}\n`
  },
  why: async (answer, { cairn, style }) => {
    const { record, chain, links } = answer
    const later = chain.map((id) => ({ id }))
    const short = await shortIds(cairn, [record, ...later, ...listOthers(links)])
    return renderWhy(answer, short, style)
  },
  log: async ({ entries, next }, { cairn, style }) => {
    if (entries.length === 0) return 'nothing was written then\n'
    const subjects = entries.flatMap(({ subject }) => parseId(subject ?? '') ?? [])
    const { records } = await cairn.get([...new Set(subjects)])
    const short = await shortIds(cairn, records)
    const titles = new Map(records.map(({ id, title, body }) => [String(id), title ?? body]))
    const rows = entries.map(({ at, author, action, namespace, subject, count }) => {
      const id = records.find((record) => record.id === subject)?.id
      const more = count === 1 ? '' : ` and ${count - 1} more`
      return {
        cells: [
          formatMinute(at, style.now),
          author ?? '–',
          action,
          namespace,
          (id === undefined ? (subject ?? '') : short(id)) + more,
        ],
        text: titles.get(subject ?? '') ?? '',
      }
    })
    return alignRows(rows, style) + renderNext(next, style)
  },
  replay: async ({ queries }, { cairn, style }) => {
    if (queries.length === 0) {
      return 'no search was logged; `cairn search --recall SESSION` logs what it finds\n'
    }
    const ids = new Set(queries.flatMap(({ moved }) => moved.map(({ id }) => id)))
    const { records } = await cairn.get([...ids])
    const titles = new Map(records.map(({ id, title, body }) => [id, title ?? body]))
    const short = await shortIds(cairn, records)
    const blocks = queries.map(({ query, lens, session, at, hits, moved }) => {
      const data = [
        oneLine(lens),
        oneLine(session),
        formatAge(at, style.now),
        formatCount(hits, 'hit'),
        ...(moved.length === 0 ? ['nothing moved'] : []),
      ]
      const rows = moved.map(({ id, before, after }) => ({
        // `2 → 1`, `new → 3`, `1 → gone`
        cells: [`${String(before ?? 'new').padStart(3)} → ${after ?? 'gone'}`, short(id)],
        text: titles.get(id) ?? 'no longer there',
      }))
      const heading = `${style.bold(`“${oneLine(query)}”`)}  ${style.dim(data.join(' · '))}`
      return `${heading}\n${alignRows(rows, style, '  ')}`
    })
    return blocks.join('')
  },
}

function renderSpan(
  state: Revision | CairnRecord,
  revisions: readonly Revision[],
  style: Style,
): string {
  const at = (iso: string): string => formatMinute(iso, style.now)
  if ('number' in state) {
    const { author, endedBy, endedAuthor } = state
    const span = `${at(state.validFrom)} – ${at(state.validUntil)}${by(author)}`
    const end = `${ENDS[endedBy]}${by(endedAuthor)}`
    return `${String(state.number).padStart(3)}  ${style.dim(`${span}, ${end}`)}`
  }
  const { deletedAt, supersededAt, updatedAt, revision, author } = state
  const ended = by(revisions.at(-1)?.endedAuthor ?? null)
  if (deletedAt !== null) return `now  ${style.dim(`deleted ${at(deletedAt)}${ended}`)}`
  if (supersededAt !== null) return `now  ${style.dim(`superseded ${at(supersededAt)}${ended}`)}`
  return `now  ${style.dim(`revision ${revision}, since ${at(updatedAt)}${by(author)}`)}`
}

/** The token that did it. */
function by(author: string | null): string {
  return author === null ? '' : ` by ${oneLine(author)}`
}

/** `tags: release → release, weekly` */
function listChanges(before: Revision | CairnRecord, after: Revision | CairnRecord): string[] {
  const describe = (state: Revision | CairnRecord) => ({
    ...Object.fromEntries(FIELDS.map((field) => [field, formatValue(state[field])])),
    ...Object.fromEntries(
      Object.entries(state.work ?? NO_DETAILS).map(([name, value]) => [name, formatDetail(value)]),
    ),
  })
  const earlier: Readonly<Record<string, string>> = describe(before)
  return Object.entries(describe(after)).flatMap(([field, is]) => {
    const was = earlier[field] ?? ''
    return was === is ? [] : [`${field}: ${was || 'none'} → ${is || 'none'}`]
  })
}

function formatDetail(value: WorkDetails[keyof WorkDetails]): string {
  const isPeople = typeof value === 'object' && value !== null
  return formatValue(
    isPeople ? value.map(({ given, family }) => `${given ?? ''} ${family}`.trim()) : value,
  )
}

function formatValue(value: unknown): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map((one) => oneLine(String(one))).join(', ')
  if (typeof value !== 'object') return oneLine(String(value))
  const entries = Object.entries(value as object)
  return entries.map(([key, one]) => `${oneLine(key)}=${oneLine(JSON.stringify(one))}`).join(' ')
}

function renderWhy(answer: WhyAnswer, short: ShortId, style: Style): string {
  const { record, revisions, links, facts } = answer
  const title = record.title === null ? '' : `${style.bold(oneLine(record.title))}\n`
  const text = indentParagraph(cut(oneLine(record.body), TEXT_CHARACTERS), style.columns, '')
  const factLines = renderFactLines(facts, style, { most: MAX_LISTED, columns: style.columns - 2 })
  const until = formatAge(revisions.at(-1)?.validUntil ?? '', style.now)
  const command = style.dim(` · cairn history ${short(record.id)} shows them`)
  const sections: readonly NamedRow[] = [
    ['facts', factLines.map((line) => `  ${line}\n`).join('')],
    ['links', renderLinks(links, short, style, '  ')],
    [
      'earlier versions',
      revisions.length === 0 ? '' : `  ${revisions.length}, the last until ${until}${command}\n`,
    ],
    ['recalled', renderRecalls(answer, style)],
  ]
  const shown = sections
    .filter(([, rows]) => rows !== '')
    .map(([name, rows]) => `\n${name}\n${rows}`)
  return `${title}${text}\n\n${nameRows(listOrigins(answer, short, style), style)}${shown.join('')}`
}

function listOrigins(answer: WhyAnswer, short: ShortId, style: Style): NamedRow[] {
  const { record, revisions, session, lastTouchedBy: touch, supersededBy, chain } = answer
  const age = (iso: string | null): string => (iso === null ? '' : formatAge(iso, style.now))
  const people = record.people.length === 0 ? '' : `, by ${record.people.join(', ')}`
  const from = record.source === null ? '' : `, from ${record.source}`
  const later = chain.slice(1).map((id) => ` → ${short(id)}`)
  const successor =
    supersededBy && `${short(supersededBy.id)}${later.join('')}: ${oneLine(supersededBy.text)}`
  const ended = (how: RevisionEnd): string =>
    by(revisions.findLast(({ endedBy }) => endedBy === how)?.endedAuthor ?? null)
  const room = Math.max(30, style.columns - 'last touched  '.length)
  return [
    ['id', record.id],
    ['added', `${age(record.createdAt)}${people}${from}`],
    ['written', by((revisions.find(({ number }) => number === 1) ?? record).author).trim()],
    ['edited', record.revision === 1 ? '' : by(record.author).trim()],
    ['occurred', age(record.occurredAt)],
    ['session', session && `${session.id}, ${age(session.startedAt)}`],
    ['last touched', touch && `${touch.usage} in ${touch.session}, ${age(touch.at)}`],
    ['salience', `${record.effectiveSalience.toFixed(2)} now, last used ${age(record.accessedAt)}`],
    ['superseded', age(record.supersededAt) && `${age(record.supersededAt)}${ended('supersede')}`],
    ['replaced by', cut(successor ?? '', room)],
    ['deleted', age(record.deletedAt) && `${age(record.deletedAt)}${ended('delete')}`],
  ]
}

function renderRecalls({ recalls }: WhyAnswer, style: Style): string {
  const rows = recalls.slice(0, MAX_LISTED).map((one) => ({
    cells: [
      formatAge(one.at, style.now),
      `rank ${one.rank}`,
      one.score.toFixed(2),
      one.lens,
      one.sessionId,
    ],
    text: `“${one.query}”`,
  }))
  const left = recalls.length - MAX_LISTED
  return alignRows(rows, style, '  ') + (left > 0 ? style.dim(`  and ${left} more\n`) : '')
}
