/** Promise: `cairn optimize` makes a file quick and small again, and says by how much. */

import type { Context, Outcome } from '../command.js'
import { showBytes } from '../render/size.js'

export async function runOptimize(context: Context): Promise<Outcome> {
  const cairn = await context.open()
  const answer = await cairn.optimize({ vacuum: context.flags.vacuum === true })
  return {
    json: answer,
    text: (style) =>
      `${style.good('optimized')} ${showBytes(answer.bytesBefore)} → ${showBytes(answer.bytesAfter)}\n`,
  }
}
