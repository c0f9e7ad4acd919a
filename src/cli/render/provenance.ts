/** The story of a record reads from where it came to what became of it, and says only what there is. */

import type { Moved, ReplayAnswer, WhyAnswer } from '../../cairn/history.js'
import type { RecordId } from '../../core/ids.js'
import type { ShortId } from '../resolve-ids.js'
import { factLines } from './facts.js'
import { renderLinks } from './links.js'
import { paragraph } from './paragraph.js'
import { alignedRows, namedRows } from './rows.js'
import { cut, oneLine, type Style } from './style.js'
import { when } from './when.js'

const TEXT_CHARS = 300
const MOST_SHOWN = 10

export function renderWhy(answer: WhyAnswer, short: ShortId, style: Style): string {
  const { record, revisions, links, facts, recalls } = answer
  const title = record.title === null ? '' : `${style.bold(oneLine(record.title))}\n`
  const sections = [
    facts.length === 0
      ? ''
      : section(
          'facts',
          `${factLines(facts, style, { most: MOST_SHOWN, indent: '  ' }).join('\n')}\n`,
        ),
    links.length === 0 ? '' : section('links', renderLinks(links, short, style, '  ')),
    revisions.length === 0
      ? ''
      : section(
          'earlier versions',
          `  ${revisions.length}, the last until ${when(revisions.at(-1)?.validUntil ?? '', style.now)}${style.dim(` · cairn history ${short(record.id)} shows them`)}\n`,
        ),
    recalls.length === 0 ? '' : section('recalled', recallRows(answer, style)),
  ]
  const text = paragraph(cut(oneLine(record.body), TEXT_CHARS), style.columns, '')
  return `${title}${text}\n\n${namedRows(originOf(answer, short, style), style)}${sections.join('')}`
}

function section(heading: string, rows: string): string {
  return `\n${heading}\n${rows}`
}

function originOf(answer: WhyAnswer, short: ShortId, style: Style): [string, string][] {
  const { record, session, lastTouchedBy: touch, supersededBy: successor, chain } = answer
  const at = (iso: string): string => when(iso, style.now)
  const by = record.people.length === 0 ? '' : `, by ${record.people.map(oneLine).join(', ')}`
  const from = record.source === null ? '' : `, from ${oneLine(record.source)}`
  const later = chain.slice(1).map((id) => ` → ${short(id)}`)
  const replaced =
    successor === null ? '' : `${short(successor.id)}${later.join('')}  ${oneLine(successor.text)}`
  return [
    ['id', record.id],
    ['added', `${at(record.createdAt)}${by}${from}`],
    ['occurred', record.occurredAt === null ? '' : at(record.occurredAt)],
    ['session', session === null ? '' : `${oneLine(session.id)}, ${at(session.startedAt)}`],
    [
      'last touched',
      touch === null ? '' : `${touch.usage} in ${oneLine(touch.session)}, ${at(touch.at)}`,
    ],
    ['salience', `${record.effectiveSalience.toFixed(2)} now, last used ${at(record.accessedAt)}`],
    ['superseded', record.supersededAt === null ? '' : at(record.supersededAt)],
    ['replaced by', cut(replaced, Math.max(30, style.columns - 'last touched  '.length))],
    ['deleted', record.deletedAt === null ? '' : at(record.deletedAt)],
  ]
}

function recallRows({ recalls }: WhyAnswer, style: Style): string {
  const rows = recalls.slice(0, MOST_SHOWN).map((one) => ({
    cells: [
      when(one.at, style.now),
      `place ${one.rank}`,
      one.score.toFixed(2),
      oneLine(one.lens),
      oneLine(one.sessionId),
    ],
    text: `“${oneLine(one.query)}”`,
  }))
  const left = recalls.length - MOST_SHOWN
  return alignedRows(rows, style, '  ') + (left > 0 ? style.dim(`  and ${left} more\n`) : '')
}

type Names = {
  readonly short: ShortId
  /** Null: it is gone. */
  readonly titleOf: (id: RecordId) => string | null
}

export function renderReplay({ queries }: ReplayAnswer, names: Names, style: Style): string {
  if (queries.length === 0) {
    return 'no search was logged; `cairn search --recall SESSION` logs what it finds\n'
  }
  const blocks = queries.map(({ query, lens, session, at, hits, moved }) => {
    const data = [
      oneLine(lens),
      oneLine(session),
      when(at, style.now),
      `${hits} ${hits === 1 ? 'hit' : 'hits'}`,
      ...(moved.length === 0 ? ['nothing moved'] : []),
    ]
    const rows = moved.map((one) => ({
      cells: [places(one), names.short(one.id)],
      text: oneLine(names.titleOf(one.id) ?? 'no longer there'),
    }))
    return `${style.bold(`“${oneLine(query)}”`)}  ${style.dim(data.join(' · '))}\n${alignedRows(rows, style, '  ')}`
  })
  return blocks.join('')
}

/** `2 → 1`, `new → 3`, `1 → gone` */
function places({ before, after }: Moved): string {
  return `${String(before ?? 'new').padStart(3)} → ${after ?? 'gone'}`
}
