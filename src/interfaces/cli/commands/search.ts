/** Promise: `cairn search` answers a question in one screen, or in the shape that scripts rely on. */

import type { Cairn } from '../../../cairn.js'
import type { Hit } from '../../../core/answer.js'
import type { Context, Outcome } from '../command.js'
import { markAsHtml, renderAnswer } from '../render/hits.js'
import { searchParts } from '../search-options.js'
import { type ShortId, shortIds } from '../short-ids.js'
import { withKnownSessions } from '../wanted.js'

/** A screen holds more than an agent wants to read. */
const CLI_LIMIT = 20

export async function runSearch(context: Context): Promise<Outcome> {
  const { flags, words } = context
  const asked = searchParts(flags)
  const cairn = await context.open()
  const answer = await cairn.search({
    ...(await withKnownSessions(cairn, asked)),
    ...(await limitOf(cairn, context)),
    query: words.join(' '),
  })
  const shown = flags.marks === true ? { ...answer, hits: answer.hits.map(withMarks) } : answer
  const short = await shortIdsOfHits(cairn, answer.hits)
  return { json: shown, text: (style) => renderAnswer(answer, short, style) }
}

/** What the flag says, else what the lens says, else the configuration, else what fits on a screen. */
async function limitOf(cairn: Cairn, context: Context): Promise<{ limit?: number }> {
  const { limit, lens: named } = context.flags
  if (typeof limit === 'number') return { limit }
  const { saidOf } = context.configuration()
  if (saidOf('search.limit') !== undefined) return {}
  const lens = named ?? saidOf('search.lens')
  const options = typeof lens === 'string' ? (await cairn.lenses.show(lens)).options : {}
  return options.limit === undefined ? { limit: CLI_LIMIT } : {}
}

/** Of the hits, and of what has taken their place. */
export function shortIdsOfHits(cairn: Cairn, hits: readonly Hit[]): Promise<ShortId> {
  return shortIds(
    cairn,
    hits.flatMap(({ id, supersededBy }) => (supersededBy === null ? [id] : [id, supersededBy.id])),
  )
}

function withMarks<
  H extends {
    snippet: { text: string; highlights: readonly { start: number; end: number }[] } | null
  },
>(hit: H): H {
  if (hit.snippet === null) return hit
  const { text, highlights } = hit.snippet
  return { ...hit, snippet: { ...hit.snippet, text: markAsHtml(text, highlights) } }
}
