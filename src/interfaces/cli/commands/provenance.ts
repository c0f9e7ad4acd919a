/** Promise: `cairn why` tells the whole story of a record, `cairn replay` what an answer has become. */

import type { ReplayInput } from '../../../requests/memory-requests.js'
import type { Context, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { renderReplay, renderWhy } from '../render/provenance.js'
import { shortIds } from '../short-ids.js'
import { wantOne } from '../wanted.js'

export async function runWhy(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'record')
  const cairn = await context.open()
  const answer = await cairn.why(id)
  const linked = answer.links.flatMap(({ other }) => (other === null ? [] : [other.id]))
  const short = await shortIds(cairn, [answer.record.id, ...answer.chain, ...linked])
  return { json: answer, text: (style) => renderWhy(answer, short, style) }
}

export async function runReplay(context: Context): Promise<Outcome> {
  const { session, limit } = context.flags
  const cairn = await context.open()
  const answer = await cairn.replay(compact({ session, limit }) as ReplayInput)
  const moved = answer.queries.flatMap((query) => query.moved.map(({ id }) => id))
  const { records } = await cairn.get([...new Set(moved)])
  const titles = new Map(records.map(({ id, title, body }) => [id, title ?? body]))
  const short = await shortIds(
    cairn,
    records.map(({ id }) => id),
  )
  return {
    json: answer,
    text: (style) =>
      renderReplay(answer, { short, titleOf: (id) => titles.get(id) ?? null }, style),
  }
}
