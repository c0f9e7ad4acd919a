/** `cairn list` shows records newest first, and how to go on. */

import { withKnownSessions } from '../known-sessions.js'
import type { TerminalSide } from '../operation-command.js'
import { renderList } from '../render/records.js'
import { shortIds } from '../short-ids.js'

export const LIST: TerminalSide<'list'> = {
  settle: withKnownSessions,
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
