/** `cairn models` shows which models have vectors here and which one answers. */

import { performNamed } from '../../operations/operations.js'
import type { CommandContext, Outcome } from '../command.js'
import { renderModels } from '../render/models.js'

export async function runModels({ flags, open }: CommandContext): Promise<Outcome> {
  const { remove } = flags
  const cairn = await open()
  const answer = await (typeof remove === 'string'
    ? performNamed('models.remove', cairn, { id: remove })
    : performNamed('models', cairn, {}))
  return { json: answer, text: (style) => renderModels(answer, style) }
}
