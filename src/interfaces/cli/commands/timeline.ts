/** Promise: `cairn timeline` shows what happened in its order, with the sessions it happened in. */

import type { TimelineInput } from '../../../requests/memory-requests.js'
import type { Context, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { renderTimeline } from '../render/timeline.js'
import { shortIds } from '../short-ids.js'

export async function runTimeline(context: Context): Promise<Outcome> {
  const [anchor] = context.words
  const { before, after, since, until, namespace, limit, cursor } = context.flags
  const cairn = await context.open()
  const range = { since, until, namespaces: namespace, limit, cursor }
  const answer = await cairn.timeline(compact({ anchor, before, after, ...range }) as TimelineInput)
  const short = await shortIds(
    cairn,
    answer.entries.map(({ id }) => id),
  )
  return { json: answer, text: (style) => renderTimeline(answer, short, style) }
}
