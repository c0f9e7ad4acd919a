/** `cairn timeline` shows what happened in its order, with the sessions it happened in. */

import type { Show } from '../operation-command.js'
import { renderTimeline } from '../render/timeline.js'
import { shortIds } from '../resolve-ids.js'

export const showTimeline: Show<'timeline'> = async (answer, { cairn }) => {
  const short = await shortIds(
    cairn,
    answer.entries.map(({ id }) => id),
  )
  return { text: (style) => renderTimeline(answer, short, style) }
}
