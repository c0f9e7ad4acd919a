/** Promise: `cairn similar` shows what is near to a record in meaning. */

import { badInput } from '../../../core/errors.js'
import type { SearchInput } from '../../../requests/search-request.js'
import type { Context, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { renderHits } from '../render/hits.js'
import { filterParts } from '../search-options.js'
import { withKnownSessions } from '../wanted.js'
import { shortIdsOfHits } from './search.js'

export async function runSimilar(context: Context): Promise<Outcome> {
  const [id] = context.words
  if (id === undefined)
    throw badInput('Similar to which record? Give its id.', '`cairn list` shows the ids.')
  const { threshold, limit } = context.flags
  const cairn = await context.open()
  const answer = await cairn.similar(id, {
    ...(await withKnownSessions(cairn, filterParts(context.flags))),
    ...(compact({ threshold, limit }) as SearchInput),
  })
  const short = await shortIdsOfHits(cairn, answer.hits)
  return {
    json: answer,
    text: (style) =>
      answer.hits.length === 0 ? 'nothing is near to it\n' : renderHits(answer.hits, short, style),
  }
}
