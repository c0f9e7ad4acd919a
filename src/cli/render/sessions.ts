/** A session is shown with when it was, what was said, and what it touched. */

import type { SessionListAnswer, SessionListed, SessionShown } from '../../cairn/sessions.js'
import { type Session, USAGES } from '../../core/record.js'
import type { ShortId } from '../resolve-ids.js'
import { wrap } from './paragraph.js'
import { alignedRows, namedRows } from './rows.js'
import { oneLine, type Style } from './style.js'
import { when } from './when.js'

export function renderSessions({ sessions, next }: SessionListAnswer, style: Style): string {
  if (sessions.length === 0) return 'no sessions\n'
  const rows = sessions.map((session) => ({
    cells: [oneLine(session.id), session.state, when(session.startedAt, style.now)],
    text: [countsOf(session), oneLine(session.title ?? session.summary ?? '')]
      .filter((part) => part !== '')
      .join(' · '),
  }))
  const more = next === null ? '' : style.dim(`more: --cursor ${next}\n`)
  return alignedRows(rows, style) + more
}

/** The two that tell sessions apart; `session show` has them all. */
function countsOf({ counts }: SessionListed): string {
  return (['created', 'recalled'] as const)
    .filter((usage) => counts[usage] > 0)
    .map((usage) => `${counts[usage]} ${usage}`)
    .join(', ')
}

/** What is known of a session itself. */
export function renderSessionHead(session: Session, style: Style): string {
  const title = session.title === null ? '' : style.dim(`  ${oneLine(session.title)}`)
  const ended = session.endedAt === null ? '' : when(session.endedAt, style.now)
  const [first = '', ...others] = wrap(
    oneLine(session.summary ?? ''),
    style.columns - 'namespace  '.length,
  )
  const data = namedRows(
    [
      ['state', session.state],
      ['namespace', oneLine(session.namespace)],
      ['started', when(session.startedAt, style.now)],
      ['ended', ended],
      ['summary', first],
    ],
    style,
  )
  const rest = others.map((line) => `${' '.repeat('namespace  '.length)}${line}\n`).join('')
  return `${style.bold(oneLine(session.id))}${title}\n${data}${rest}`
}

export function renderSession(session: SessionShown, short: ShortId, style: Style): string {
  const sections = USAGES.filter((usage) => session[usage].length > 0).map((usage) => {
    const rows = session[usage].map(({ id, title, summary, times }) => ({
      cells: [short(id), times > 1 ? `${times} times` : ''],
      text: oneLine(title ?? summary),
    }))
    const areAllOnce = rows.every(({ cells }) => cells[1] === '')
    const shown = areAllOnce ? rows.map((row) => ({ ...row, cells: row.cells.slice(0, 1) })) : rows
    return `\n${usage} ${style.dim(String(rows.length))}\n${alignedRows(shown, style, '  ')}`
  })
  return renderSessionHead(session, style) + sections.join('')
}
