/** Commands on sessions, facts, links and salience. */

import type { Cairn } from '../../cairn/cairn.js'
import type { FactShown } from '../../core/answer.js'
import { type LinkView, type Session, USAGES } from '../../core/record.js'
import type { CommandContext } from '../command.js'
import { readText } from '../files.js'
import type { CommandActions, Render } from '../operation-command.js'
import { formatAge } from '../render/dates.js'
import { renderFactLines } from '../render/hits.js'
import { alignRows, INDENT, indentParagraph, nameRows, renderNext } from '../render/layout.js'
import { listCounts, oneLine, type Style } from '../render/style.js'
import { type ShortId, shortIds } from '../resolve-ids.js'

/** The summary is an argument, or read from standard input where `-` asks for it. */
const SUMMARY = {
  prepare: async <I extends { summary?: string | undefined }>(
    input: I,
    context: CommandContext,
  ): Promise<I> => {
    const given = input.summary === undefined ? null : await readText(context, input.summary)
    return { ...input, ...(given !== null && { summary: given.text }) }
  },
  render: (session: Session, { style }: { readonly style: Style }) =>
    renderSessionHead(session, style),
}

const renderOneFact: Render<'fact.add' | 'fact.reinforce' | 'fact.remove'> = (fact, context) =>
  renderFacts([fact], context)

const renderStrength: Render<'reinforce' | 'deemphasize'> = ({ records }) =>
  records.map(({ id, salience }) => `${id}  salience ${salience.toFixed(3)}\n`).join('')

export const ACTIONS: CommandActions = {
  // On a pipe only the id: S=$(cairn session start)
  'session.start': ({ id }, { cli, style }) =>
    cli.isTerminal ? `${id}\n${style.dim(`cairn session end ${id} ends it`)}\n` : `${id}\n`,
  'session.end': SUMMARY,
  'session.summarise': SUMMARY,
  briefing: ({ text, left }, { style }) =>
    (text === '' ? 'nothing is open, used or corrected\n' : `${text}\n`) +
    (left === 0 ? '' : style.dim(`${left} more with a larger --budget\n`)),
  'session.list': ({ sessions, next }, { style }) => {
    if (sessions.length === 0) return 'no sessions\n'
    const rows = sessions.map(({ id, state, startedAt, counts, title, summary }) => {
      const { created, recalled } = counts
      return {
        cells: [id, state, formatAge(startedAt, style.now)],
        text: [listCounts({ created, recalled }), title ?? summary].filter(Boolean).join(' · '),
      }
    })
    return alignRows(rows, style) + renderNext(next, style)
  },
  'session.show': async (session, { cairn, style }) => {
    const records = USAGES.flatMap((usage) => session[usage])
    const short = await shortIds(cairn, records)
    const usages = USAGES.map((usage) => {
      const used = session[usage]
      if (used.length === 0) return ''
      const areAllOnce = used.every(({ times }) => times <= 1)
      const rows = used.map(({ id, title, summary, times }) => ({
        cells: areAllOnce ? [short(id)] : [short(id), times > 1 ? `${times} times` : ''],
        text: title ?? summary,
      }))
      return `\n${usage} ${style.dim(String(rows.length))}\n${alignRows(rows, style, '  ')}`
    })
    return renderSessionHead(session, style) + usages.join('')
  },
  'fact.add': renderOneFact,
  'fact.reinforce': renderOneFact,
  'fact.remove': async (fact, context) => `no longer holds: ${await renderOneFact(fact, context)}`,
  'fact.list': async ({ facts }, context) => (await renderFacts(facts, context)) || 'no facts\n',
  supersede: ({ superseded, by }, { input, style }) => {
    const undo = style.dim(`cairn unlink ${input.newer} ${input.older} takes it back`)
    return `${style.good('superseded')} ${superseded} by ${by}\n${undo}\n`
  },
  link: ({ source, type, target }, { style }) =>
    `${style.good('linked')} ${source} ${type} ${target}\n`,
  unlink: ({ unlinked }) => {
    const lines = unlinked.map(({ source, target, type }) => {
      const again = type === 'SUPERSEDES' ? `; ${target} is valid again` : ''
      return `unlinked ${source} ${type} ${target}${again}\n`
    })
    return lines.join('')
  },
  links: async ({ links }, { cairn, style }) => {
    const short = await shortIds(cairn, listOthers(links))
    return renderLinks(links, short, style) || 'no links\n'
  },
  reinforce: renderStrength,
  deemphasize: renderStrength,
}

function renderSessionHead(session: Session, style: Style): string {
  const { title, endedAt } = session
  const data = nameRows(
    [
      ['state', session.state],
      ['namespace', session.namespace],
      ['started', formatAge(session.startedAt, style.now)],
      ['ended', endedAt && formatAge(endedAt, style.now)],
      ['summary', session.summary],
    ],
    style,
  )
  const name = title === null ? '' : style.dim(`  ${oneLine(title)}`)
  return `${style.bold(oneLine(session.id))}${name}\n${data}`
}

async function renderFacts(
  facts: readonly FactShown[],
  { cairn, style }: { readonly cairn: Cairn; readonly style: Style },
): Promise<string> {
  const records = facts.map(({ recordId }) => ({ id: recordId }))
  const short = await shortIds(cairn, records)
  return facts.map((fact) => renderFact(fact, short, style)).join('')
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
    const text = other === null ? 'not stored' : (other.title ?? other.summary)
    const remarks = [note, author].filter((part) => part !== null)
    const end = other === null ? targetRef : short(other.id)
    return {
      cells: [direction === 'out' ? '→' : '←', type, end],
      text: remarks.length === 0 ? text : `${text} (${remarks.join(', ')})`,
    }
  })
  return alignRows(rows, style, indent)
}
