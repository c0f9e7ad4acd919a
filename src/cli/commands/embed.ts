/** `cairn embed` makes vectors, shows how far it is, and can be stopped and started again. */

import type { Call } from '../../operations/operation.js'
import { performNamed } from '../../operations/operations.js'
import type { CommandContext, Outcome } from '../command.js'
import { readModel } from '../read-model.js'
import { renderModels } from '../render/models.js'
import { createProgress } from '../render/progress.js'

export async function runEmbed(context: CommandContext): Promise<Outcome> {
  const config = readModel(context.flags)
  const cairn = await context.open()
  const progress = createProgress(context.cli, 'records')
  const onProgress: Call['onProgress'] = ({ done, total }) => progress.show(done, total)
  // Another model is for the owner of the machine alone: it names folders and addresses.
  const answer = await (config === null
    ? performNamed('embed', cairn, {}, { onProgress })
    : cairn.embed(config, onProgress))
  progress.end()
  return { json: answer, text: (style) => renderModels(answer, style) }
}
