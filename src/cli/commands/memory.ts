/** Commands on sessions, facts and links. */

import type { SessionShown } from '../../cairn/sessions.js'
import type { FactShown } from '../../core/answer.js'
import { type LinkView, type Session, USAGES } from '../../core/record.js'
import { readText } from '../files.js'
import type { CommandSteps, Show } from '../operation-command.js'
import { formatAge } from '../render/dates.js'
import { renderFactLines } from '../render/facts.js'
import { alignRows, INDENT, indentParagraph, nameRows, wrap } from '../render/layout.js'
import { oneLine, type Style } from '../render/style.js'
import { type ShortId, shortIds } from '../resolve-ids.js'

const SUMMARY_INDENT = ' '.repeat('namespace  '.length)

export const showStarted: Show<'session.start'> = ({ id }, { cli }) => ({
  // On a pipe only the id: S=$(cairn session start)
  text: (style) =>
    cli.isTerminal ? `${id}\n${style.dim(`cairn session end ${id} ends it`)}\n` : `${id}\n`,
})

/** The summary is an argument, or read from standard input where `-` asks for it. */
export const SUMMARY: CommandSteps<'session.end' | 'session.summarise'> = {
  prepare: async (input, context) => {
    const given = input.summary === undefined ? null : await readText(context, input.summary)
    return { ...input, ...(given !== null && { summary: given.text }) }
  },
  show: (session) => ({ text: (style) => renderSessionHead(session, style) }),
}

export const showSessions: Show<'session.list'> = ({ sessions, next }) => ({
  text: (style) => {
    if (sessions.length === 0) return 'no sessions\n'
    const rows = sessions.map(({ id, state, startedAt, counts, title, summary }) => {
      const usages = (['created', 'recalled'] as const)
        .filter((usage) => counts[usage] > 0)
        .map((usage) => `${counts[usage]} ${usage}`)
      const parts = [usages.join(', '), oneLine(title ?? summary ?? '')]
      return {
        cells: [oneLine(id), state, formatAge(startedAt, style.now)],
        text: parts.filter((part) => part !== '').join(' · '),
      }
    })
    return alignRows(rows, style) + (next === null ? '' : style.dim(`more: --cursor ${next}\n`))
  },
})

export const showSession: Show<'session.show'> = async (session, { cairn }) => {
  const short = await shortIds(
    cairn,
    USAGES.flatMap((usage) => session[usage]),
  )
  return {
    text: (style) =>
      renderSessionHead(session, style) +
      USAGES.map((usage) => renderUsage(session, usage, { short, style })).join(''),
  }
}

function renderUsage(
  session: SessionShown,
  usage: (typeof USAGES)[number],
  { short, style }: { readonly short: ShortId; readonly style: Style },
): string {
  const records = session[usage]
  if (records.length === 0) return ''
  const areAllOnce = records.every(({ times }) => times <= 1)
  const rows = records.map(({ id, title, summary, times }) => ({
    cells: areAllOnce ? [short(id)] : [short(id), times > 1 ? `${times} times` : ''],
    text: oneLine(title ?? summary),
  }))
  return `\n${usage} ${style.dim(String(rows.length))}\n${alignRows(rows, style, '  ')}`
}

function renderSessionHead(session: Session, style: Style): string {
  const { title, endedAt, summary } = session
  const lines = wrap(oneLine(summary ?? ''), style.columns - SUMMARY_INDENT.length)
  const data = nameRows(
    [
      ['state', session.state],
      ['namespace', oneLine(session.namespace)],
      ['started', formatAge(session.startedAt, style.now)],
      ['ended', endedAt === null ? '' : formatAge(endedAt, style.now)],
      ['summary', lines.join(`\n${SUMMARY_INDENT}`)],
    ],
    style,
  )
  const name = title === null ? '' : style.dim(`  ${oneLine(title)}`)
  return `${style.bold(oneLine(session.id))}${name}\n${data}`
}

export const showFact: Show<'fact.add' | 'fact.reinforce'> = async (fact, { cairn }) => {
  const short = await shortIds(cairn, [{ id: fact.recordId }])
  return { text: (style) => renderFact(fact, short, style) }
}

export const showEndedFact: Show<'fact.remove'> = async (fact, { cairn }) => {
  const short = await shortIds(cairn, [{ id: fact.recordId }])
  return { text: (style) => `no longer holds: ${renderFact(fact, short, style)}` }
}

export const showFacts: Show<'fact.list'> = async ({ facts }, { cairn }) => {
  const short = await shortIds(
    cairn,
    facts.map(({ recordId }) => ({ id: recordId })),
  )
  return {
    text: (style) => facts.map((fact) => renderFact(fact, short, style)).join('') || 'no facts\n',
  }
}

function renderFact(fact: FactShown, short: ShortId, style: Style): string {
  const age = formatAge(fact.createdAt, style.now)
  const data = [fact.id, fact.type, `of ${short(fact.recordId)}`, age].join(' · ')
  const columns = style.columns - INDENT.length
  const [head = '', ...warnings] = renderFactLines([fact], style, { most: 1, columns })
  const quote = fact.quote === null ? null : `“${oneLine(fact.quote)}”`
  const lines = [
    style.bold(head),
    ...warnings.map((line) => INDENT + line),
    ...(quote === null ? [] : [indentParagraph(quote, style.columns)]),
    INDENT + style.dim(data),
  ]
  return `${lines.join('\n')}\n`
}

export const showSuperseded: Show<'supersede'> = ({ superseded, by }, { input }) => ({
  text: (style) => {
    const undo = style.dim(`cairn unlink ${input.newer} ${input.older} takes it back`)
    return `${style.good('superseded')} ${superseded} by ${by}\n${undo}\n`
  },
})

export const showLinked: Show<'link'> = ({ source, type, target }) => ({
  text: (style) => `${style.good('linked')} ${source} ${type} ${target}\n`,
})

export const showUnlinked: Show<'unlink'> = ({ unlinked }) => ({
  text: () =>
    unlinked
      .map(({ source, target, type }) => {
        const again = type === 'SUPERSEDES' ? `; ${target} is valid again` : ''
        return `unlinked ${source} ${type} ${target}${again}\n`
      })
      .join(''),
})

export const showLinks: Show<'links'> = async ({ links }, { cairn }) => {
  const short = await shortIds(cairn, listOthers(links))
  return { text: (style) => renderLinks(links, short, style) || 'no links\n' }
}

/** The stored records at the other end. */
export function listOthers(links: readonly LinkView[]) {
  return links.flatMap(({ other }) => other ?? [])
}

export function renderLinks(
  links: readonly LinkView[],
  short: ShortId,
  style: Style,
  indent = '',
): string {
  const rows = links.map(({ direction, type, other, targetRef, note, author }) => {
    const text = other === null ? 'not stored' : oneLine(other.title ?? other.summary)
    const remarks = [note, author].flatMap((part) => (part === null ? [] : [oneLine(part)]))
    const end = other === null ? oneLine(targetRef ?? '') : short(other.id)
    return {
      cells: [direction === 'out' ? '→' : '←', type, end],
      text: remarks.length === 0 ? text : `${text} (${remarks.join(', ')})`,
    }
  })
  return alignRows(rows, style, indent)
}
