/** `cairn explore` shows the works around a question or a work, and how each was reached. */

import { withKnownSessions } from '../known-sessions.js'
import type { TerminalSide } from '../operation-command.js'
import { renderDot, renderExploration } from '../render/exploration.js'
import { shortIds } from '../short-ids.js'

export const EXPLORE: TerminalSide<'explore'> = {
  settle: withKnownSessions,
  show: async (answer, { cairn, flags }) => {
    const short = await shortIds(
      cairn,
      answer.nodes.map(({ id }) => id),
    )
    return {
      text: (style) =>
        flags.dot === true ? renderDot(answer) : renderExploration(answer, short, style),
    }
  },
}
