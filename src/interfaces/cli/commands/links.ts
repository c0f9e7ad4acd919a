/** Promise: records are joined, corrected and taken apart by their ids, and each command says what it did. */

import type { LinkInput, SupersedeInput, UnlinkInput } from '../../../requests/memory-requests.js'
import type { Context, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { renderLinks } from '../render/links.js'
import { shortIds } from '../short-ids.js'
import { wantOne, wantTwo } from '../wanted.js'

export async function runSupersede(context: Context): Promise<Outcome> {
  const [older, newer] = wantTwo(context, ['the older record', 'the newer one'])
  const { note, author } = context.flags
  const cairn = await context.open()
  const how = compact({ note, author }) as SupersedeInput
  const answer = await cairn.supersede(older, newer, how)
  return {
    json: answer,
    text: (style) =>
      `${style.good('superseded')} ${answer.superseded} by ${answer.by}\n${style.dim(
        `cairn unlink ${newer} ${older} takes it back`,
      )}\n`,
  }
}

export async function runLink(context: Context): Promise<Outcome> {
  const [from, to] = wantTwo(context, ['from where', 'to where'])
  const { type, note, author } = context.flags
  const cairn = await context.open()
  const link = await cairn.links.add(compact({ from, to, type, note, author }) as LinkInput)
  return {
    json: link,
    text: (style) => `${style.good('linked')} ${link.source} ${link.type} ${link.target}\n`,
  }
}

export async function runUnlink(context: Context): Promise<Outcome> {
  const [from, to] = wantTwo(context, ['from where', 'to where'])
  const { type } = context.flags
  const cairn = await context.open()
  const unlinked = await cairn.links.remove(compact({ from, to, type }) as UnlinkInput)
  return {
    json: { unlinked },
    text: () =>
      unlinked
        .map(({ source, target, type: kind }) => {
          const again = kind === 'SUPERSEDES' ? `; ${target} is valid again` : ''
          return `unlinked ${source} ${kind} ${target}${again}\n`
        })
        .join(''),
  }
}

export async function runLinks(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'record')
  const cairn = await context.open()
  const answer = await cairn.links.of(id)
  const others = answer.links.flatMap(({ other }) => (other === null ? [] : [other.id]))
  const short = await shortIds(cairn, others)
  return {
    json: answer,
    text: (style) =>
      answer.links.length === 0 ? 'no links\n' : renderLinks(answer.links, short, style),
  }
}
