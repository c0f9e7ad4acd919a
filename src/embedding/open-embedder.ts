/** Opens the embedder that the configuration names, and caches query vectors. */

import process from 'node:process'
import { badInput } from '../core/errors.js'
import { REAL_TIMERS, type Timers } from '../core/http-client.js'
import type { Embedder } from './embedder.js'
import type { OwnEmbedder } from './own-embedder.js'

export const PROVIDERS = ['static', 'onnx', 'ollama', 'openai', 'fake'] as const
export type Provider = (typeof PROVIDERS)[number]

export type EmbedderConfig = {
  /** `own`: the embedder that the program gave to `openCairn`. */
  readonly provider: Provider | 'own'
  readonly model?: string
  readonly path?: string
  readonly baseUrl?: string
  readonly dimensions?: number
  readonly timeoutMs?: number
  /** The dimensions of the stored vectors, so that the server need not be asked. */
  readonly storedDimensions?: number
}

/**
 * Opens an embedder and imports only the code of its provider. Asks a remote model for its dimensions, unless the
 * configuration or the table of known models has them. All other models are loaded with their first text.
 * @example
 * const embedder = await openEmbedder({ provider: 'static' }, process.env)
 * const [vector] = await embedder.embed(['how do we ship?'], { as: 'query' })
 */
export async function openEmbedder(
  config: EmbedderConfig,
  env: { readonly [name: string]: string | undefined },
  timers: Timers = REAL_TIMERS,
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
      const { openOllama } = await import('./http/remote-models.js')
      return openOllama(config, timers)
    }
    case 'openai': {
      const { openOpenAi } = await import('./http/remote-models.js')
      return openOpenAi(config, { env, timers })
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

/**
 * One of Cairn's models for a program that embeds texts itself, in the form of `openCairn({ embedder })`.
 * @example
 * const { embed, close } = await loadEmbedder({ provider: 'static' })
 * const [vector] = await embed(['how do we ship?'], 'query')
 */
export async function loadEmbedder(
  config: EmbedderConfig = { provider: 'static' },
): Promise<Required<Omit<OwnEmbedder, 'timeoutMs'>> & { readonly close: () => Promise<void> }> {
  const embedder = await openEmbedder(config, process.env)
  const { id, dimensions, maxTokens, floor, cascadeThreshold } = embedder.model
  return {
    ...{ id, dimensions, maxTokens, floor, cascadeThreshold },
    embed: (texts, role) => embedder.embed(texts, { as: role }),
    close: () => embedder.close(),
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

const CACHED_QUERIES = 256
/** A longer query is probably a pasted document, which will hardly be repeated. */
const LONGEST_CACHED = 1_000

/** Adds a cache of query vectors to an embedder; evicts the least recently used first. */
export function cacheQueries(embedder: Embedder, maxEntries = CACHED_QUERIES): Embedder {
  // A Map keeps insertion order, so deleting and setting an entry moves it to the end.
  const cache = new Map<string, Float32Array>()

  function store(text: string, vector: Float32Array): void {
    if (text.length > LONGEST_CACHED) return
    cache.delete(text)
    cache.set(text, vector)
    for (const oldest of cache.keys()) {
      if (cache.size <= maxEntries) break
      cache.delete(oldest)
    }
  }

  return {
    model: embedder.model,
    countTokens: (text) => embedder.countTokens(text),
    prepare: (text) => embedder.prepare?.(text) ?? null,
    ...(embedder.countPieces && { countPieces: (word) => embedder.countPieces?.(word) ?? 1 }),
    async embed(texts, options) {
      if (options.as === 'passage') return embedder.embed(texts, options)
      const vectors = new Map(texts.map((text) => [text, cache.get(text)]))
      const missing = [...vectors.keys()].filter((text) => vectors.get(text) === undefined)
      const added = missing.length === 0 ? [] : await embedder.embed(missing, options)
      for (const [i, text] of missing.entries()) vectors.set(text, added[i])
      for (const [text, vector] of vectors) if (vector !== undefined) store(text, vector)
      // Copies, because a caller that changes its vector must not change the cached one.
      return texts.map((text) => vectors.get(text)?.slice() ?? new Float32Array(0))
    },
    async close() {
      cache.clear()
      await embedder.close()
    },
  }
}
