/** A name in the configuration becomes an embedder, and only the code of that one is loaded. */

import { badInput } from '../core/errors.js'
import type { Embedder } from './embedder.js'

export const PROVIDERS = ['static', 'onnx', 'ollama', 'openai', 'fake'] as const
export type Provider = (typeof PROVIDERS)[number]

export type EmbedderConfig = {
  readonly provider: Provider
  readonly model?: string
  /** The folder of an ONNX model. */
  readonly path?: string
  readonly baseUrl?: string
  readonly dimensions?: number
  readonly timeoutMs?: number
}

/**
 * A remote model that neither the configuration nor the table of known models gives dimensions is asked once here;
 * all others wait for their first text.
 * @example
 * const embedder = await openEmbedder({ provider: 'static' }, process.env)
 * const [vector] = await embedder.embed(['how do we ship?'], { as: 'query' })
 */
export async function openEmbedder(
  config: EmbedderConfig,
  env: { readonly [name: string]: string | undefined },
): Promise<Embedder> {
  checkNumbers(config)
  switch (config.provider) {
    case 'static': {
      const { StaticEmbedder } = await import('./static/static-embedder.js')
      return new StaticEmbedder()
    }
    case 'onnx': {
      const { openOnnx } = await import('./onnx/onnx-embedder.js')
      return openOnnx({ path: onnxPath(config), name: config.model, dimensions: config.dimensions })
    }
    case 'ollama': {
      const { openOllama } = await import('./http/ollama.js')
      return openOllama(config)
    }
    case 'openai': {
      const { openOpenAi } = await import('./http/openai.js')
      return openOpenAi(config, env)
    }
    case 'fake': {
      const { createFakeEmbedder } = await import('./fake.js')
      return createFakeEmbedder(config.dimensions)
    }
    default:
      throw badInput(
        `There is no embedding provider "${String(config.provider)}".`,
        `Choose one of ${PROVIDERS.join(', ')}.`,
      )
  }
}

function onnxPath({ path }: EmbedderConfig): string {
  if (path !== undefined && path !== '') return path
  throw badInput(
    'The provider "onnx" needs the folder of its model.',
    'Set vectorSearch.path to a folder with model.onnx and tokenizer.json.',
  )
}

function checkNumbers({ dimensions, timeoutMs }: EmbedderConfig): void {
  for (const [name, value] of Object.entries({ dimensions, timeoutMs })) {
    if (value !== undefined && (!Number.isInteger(value) || value < 1)) {
      throw badInput(`vectorSearch.${name} is ${value}; it must be a whole number from 1 up.`)
    }
  }
}
