/** `cairn why` tells the whole story of a record, `cairn replay` what an answer has become. */

import type { Show } from '../operation-command.js'
import { renderReplay, renderWhy } from '../render/provenance.js'
import { shortIds } from '../resolve-ids.js'

export const showWhy: Show<'why'> = async (answer, { cairn }) => {
  const linked = answer.links.flatMap(({ other }) => (other === null ? [] : [other.id]))
  const short = await shortIds(cairn, [answer.record.id, ...answer.chain, ...linked])
  return { text: (style) => renderWhy(answer, short, style) }
}

export const showReplay: Show<'replay'> = async (answer, { cairn }) => {
  const moved = answer.queries.flatMap((query) => query.moved.map(({ id }) => id))
  const { records } = await cairn.get([...new Set(moved)])
  const titles = new Map(records.map(({ id, title, body }) => [id, title ?? body]))
  const short = await shortIds(
    cairn,
    records.map(({ id }) => id),
  )
  return {
    text: (style) =>
      renderReplay(answer, { short, titleOf: (id) => titles.get(id) ?? null }, style),
  }
}
