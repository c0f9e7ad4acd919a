/** Promise: `cairn models` shows which models have vectors here and which one answers. */

import type { Context, Outcome } from '../command.js'
import { renderModels } from '../render/models.js'

export async function runModels(context: Context): Promise<Outcome> {
  const { remove } = context.flags
  const cairn = await context.open()
  if (typeof remove === 'string') await cairn.removeModel(remove)
  const answer = await cairn.models()
  return { json: answer, text: (style) => renderModels(answer, style) }
}
