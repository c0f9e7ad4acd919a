/** Promise: `cairn explore` shows the works around a question or a work, and how each was reached. */

import { badInput } from '../../../core/errors.js'
import type { ExploreInput } from '../../../requests/work-requests.js'
import type { Context, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { renderDot, renderExploration } from '../render/exploration.js'
import { filterParts } from '../search-options.js'
import { shortIds } from '../short-ids.js'
import { withKnownSessions } from '../wanted.js'

export async function runExplore(context: Context): Promise<Outcome> {
  const { words, flags } = context
  const text = words.join(' ').trim()
  if (text === '') {
    throw badInput('Where does it start? Give a question, or a work.', LIKE_THIS)
  }
  const cairn = await context.open()
  const named = await cairn.works.get(text)
  const start = named === null ? { query: text } : { id: named.record.id }
  const { depth, max, decay, online } = flags
  const answer = await cairn.explore(start, {
    ...((await withKnownSessions(cairn, filterParts(flags))) as ExploreInput),
    ...(compact({
      depth,
      maxWorks: max,
      decay,
      online,
      references: flags['no-references'] === true ? false : undefined,
      citations: flags['no-citations'] === true ? false : undefined,
    }) as ExploreInput),
  })
  const short = await shortIds(
    cairn,
    answer.nodes.map(({ id }) => id),
  )
  return {
    json: answer,
    text: (style) =>
      flags.dot === true ? renderDot(answer) : renderExploration(answer, short, style),
  }
}

const LIKE_THIS = 'A work is named by its id, DOI, OpenAlex id, arXiv id or citation key.'
