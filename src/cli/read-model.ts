/** Reads the flags that name an embedding model. */

import { resolve } from 'node:path'
import { badInput } from '../core/errors.js'
import { type EmbedderConfig, PROVIDERS, type Provider } from '../embedding/open-embedder.js'
import type { FlagValues } from './command.js'

/** `provider:name`. The folder of an ONNX model becomes an absolute path, so that it is found from anywhere. */
export function readModel(flags: FlagValues): EmbedderConfig | null {
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
    const hint = 'Give static, onnx:FOLDER, ollama:NAME or openai:NAME.'
    throw badInput(`There is no model "${String(model)}".`, hint)
  }
  const named = name === '' ? {} : provider === 'onnx' ? { path: resolve(name) } : { model: name }
  return {
    provider: provider as Provider,
    ...named,
    ...(typeof baseUrl === 'string' && { baseUrl }),
    ...(typeof dimensions === 'number' && { dimensions }),
  }
}
