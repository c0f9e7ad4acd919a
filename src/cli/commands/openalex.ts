/** Works come in from OpenAlex when they are asked for, and the user sees which. */

import type { Show } from '../operation-command.js'
import { renderOnline } from '../render/online.js'
import { shortIds } from '../resolve-ids.js'

export const showOnline: Show<'openalex.get' | 'openalex.search' | 'openalex.expand'> = async (
  answer,
  { cairn },
) => {
  const short = await shortIds(
    cairn,
    answer.works.map(({ id }) => id),
  )
  const missing = answer.missing.map((name) => `"${name}"`).join(', ')
  return {
    text: (style) => renderOnline(answer, short, style),
    ...(missing !== '' && { exitCode: 1, problem: `OpenAlex knows no work as ${missing}.` }),
  }
}
