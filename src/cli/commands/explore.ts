/** `cairn explore` shows the works around a question or a work, and how each was reached. */

import type { CommandSteps } from '../operation-command.js'
import { renderDot, renderExploration } from '../render/exploration.js'
import { shortIds, withKnownSessions } from '../resolve-ids.js'

export const EXPLORE: CommandSteps<'explore'> = {
  resolve: withKnownSessions,
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
