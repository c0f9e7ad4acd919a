/** `cairn search` answers a question in one screen, or in the shape that scripts rely on. */

import type { Cairn } from '../../cairn/cairn.js'
import type { Configuration } from '../../config/configuration.js'
import type { Hit } from '../../core/answer.js'
import type { OperationInput } from '../../operations/operations.js'
import type { CommandSteps } from '../operation-command.js'
import { markAsHtml, renderAnswer, renderHits } from '../render/hits.js'
import { type ShortId, shortIds, withKnownSessions } from '../resolve-ids.js'
import { SCREEN_LIMIT } from '../tables/records.js'

export const SEARCH: CommandSteps<'search'> = {
  resolve: async (input, cairn, { configuration }) => ({
    ...(await withKnownSessions(input, cairn)),
    ...(await limitOf(input, cairn, configuration())),
  }),
  show: async (answer, { cairn, flags }) => {
    const shown = flags.marks === true ? { ...answer, hits: answer.hits.map(withMarks) } : answer
    const short = await shortIdsOfHits(cairn, answer.hits)
    return { json: shown, text: (style) => renderAnswer(answer, short, style) }
  },
}

export const SIMILAR: CommandSteps<'similar'> = {
  resolve: withKnownSessions,
  show: async ({ hits }, { cairn }) => {
    const short = await shortIdsOfHits(cairn, hits)
    return {
      text: (style) =>
        hits.length === 0 ? 'nothing is near to it\n' : renderHits(hits, short, style),
    }
  },
}

/** What was asked for, else what the lens says, else the configuration, else what fits on a screen. */
async function limitOf(
  { limit, lens: named }: OperationInput<'search'>,
  cairn: Cairn,
  { getGiven }: Configuration,
) {
  if (limit !== undefined) return { limit }
  if (getGiven('search.limit') !== undefined) return {}
  const lens = named ?? getGiven('search.lens')
  const options = lens === undefined ? {} : (await cairn.lenses.show(lens)).options
  return options.limit === undefined ? { limit: SCREEN_LIMIT } : {}
}

/** Of the hits, and of what has taken their place. */
function shortIdsOfHits(cairn: Cairn, hits: readonly Hit[]): Promise<ShortId> {
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
