/** Promise: `cairn embed` makes vectors, shows how far it is, and can be stopped and started again. */

import type { Context, Outcome } from '../command.js'
import { readModel } from '../read-model.js'
import { renderModels } from '../render/models.js'
import { createProgress } from '../render/progress.js'

export async function runEmbed(context: Context): Promise<Outcome> {
  const config = readModel(context.flags)
  const cairn = await context.open()
  const progress = createProgress(context.world, 'records')
  const answer = await cairn.embed(config, ({ done, total }) => progress.show(done, total))
  progress.end()
  return { json: answer, text: (style) => renderModels(answer, style) }
}
