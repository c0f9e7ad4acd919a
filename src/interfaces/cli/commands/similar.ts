/** Promise: `cairn similar` shows what is near to a record in meaning. */

import { badInput } from '../../../core/errors.js'
import type { SearchInput } from '../../../requests/search-request.js'
import type { Context, Outcome } from '../command.js'
import { compact, filterParts } from '../record-flags.js'
import { renderHits } from '../render/hits.js'

export async function runSimilar(context: Context): Promise<Outcome> {
  const [id] = context.words
  if (id === undefined)
    throw badInput('Similar to which record? Give its id.', '`cairn list` shows the ids.')
  const { threshold, limit } = context.flags
  const cairn = await context.open()
  const answer = await cairn.similar(id, {
    ...filterParts(context.flags),
    ...(compact({ threshold, limit }) as SearchInput),
  })
  const shortIds = await cairn.shorten(answer.hits.map((hit) => hit.id))
  return {
    json: answer,
    text: (style) =>
      answer.hits.length === 0
        ? 'nothing is near to it\n'
        : renderHits(answer.hits, shortIds, style),
  }
}
