/** `cairn list` shows records newest first, and how to go on. */

import type { CommandSteps } from '../operation-command.js'
import { renderList } from '../render/records.js'
import { shortIds, withKnownSessions } from '../resolve-ids.js'

export const LIST: CommandSteps<'list'> = {
  resolve: withKnownSessions,
  show: async ({ records, next }, { cairn }) => {
    const short = await shortIds(
      cairn,
      records.map(({ id }) => id),
    )
    return {
      text: (style) => {
        if (records.length === 0) return 'no records\n'
        const more = next === null ? '' : style.dim(`more: --cursor ${next}\n`)
        return renderList(records, short, style) + more
      },
    }
  },
}
