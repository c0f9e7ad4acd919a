/** Promise: `cairn embed` makes vectors, shows how far it is, and can be stopped and started again. */

import { resolve } from 'node:path'
import { badInput } from '../../../core/errors.js'
import { type EmbedderConfig, PROVIDERS, type Provider } from '../../../embedding/open-embedder.js'
import type { Context, FlagValues, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { renderModels } from '../render/models.js'
import { createProgress } from '../render/progress.js'

export async function runEmbed(context: Context): Promise<Outcome> {
  const config = readConfig(context.flags)
  const cairn = await context.open()
  const progress = createProgress(context.world, 'records')
  const answer = await cairn.embed(config, ({ done, total }) => progress.show(done, total))
  progress.end()
  return { json: answer, text: (style) => renderModels(answer, style) }
}

/** `provider:name`; for ONNX the name is a folder, kept whole so that it is found from anywhere. */
function readConfig(flags: FlagValues): EmbedderConfig | null {
  const { model, dimensions } = flags
  const baseUrl = flags['base-url']
  if (model === undefined) {
    if (baseUrl !== undefined || dimensions !== undefined) {
      throw badInput('--base-url and --dimensions belong to a model.', 'Name it with --model.')
    }
    return null
  }
  const [, provider = '', name = ''] = /^([^:]*):?(.*)$/s.exec(String(model)) ?? []
  if (!PROVIDERS.some((known) => known === provider)) {
    throw badInput(
      `There is no model "${String(model)}".`,
      'Give static, onnx:FOLDER, ollama:NAME or openai:NAME.',
    )
  }
  const named = name === '' ? {} : provider === 'onnx' ? { path: resolve(name) } : { model: name }
  return { provider: provider as Provider, ...named, ...compact({ baseUrl, dimensions }) }
}
