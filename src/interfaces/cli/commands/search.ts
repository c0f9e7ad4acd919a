/** Promise: `cairn search` answers a question in one screen, or in the shape that scripts rely on. */

import type { SearchInput } from '../../../requests/search-request.js'
import type { Context, Outcome } from '../command.js'
import { compact, filterParts } from '../record-flags.js'
import { markAsHtml, renderAnswer } from '../render/hits.js'

/** A screen holds more than an agent wants to read. */
const CLI_LIMIT = 20

export async function runSearch(context: Context): Promise<Outcome> {
  const { mode, lens, alpha, threshold, match, field, limit, offset, explain, marks } =
    context.flags
  const useVector = context.flags['no-vector'] === true ? false : undefined
  const cairn = await context.open()
  const answer = await cairn.search({
    ...filterParts(context.flags),
    ...(compact({
      mode,
      lens,
      alpha,
      threshold,
      useVector,
      match,
      fields: field,
      offset,
      explain,
    }) as SearchInput),
    limit: typeof limit === 'number' ? limit : CLI_LIMIT,
    query: context.words.join(' '),
  })
  const shown = marks === true ? { ...answer, hits: answer.hits.map(withMarks) } : answer
  const shortIds = await cairn.shorten(answer.hits.map(({ id }) => id))
  return { json: shown, text: (style) => renderAnswer(answer, shortIds, style) }
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
