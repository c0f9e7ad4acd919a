/** Embedders of remote servers: Ollama, and OpenAI with every server that has the same API. */

import { CairnError } from '../../core/errors.js'
import {
  type BaseUrlSetting,
  type Endpoint,
  parseBaseUrl,
  readKey,
  type Timers,
} from '../../core/http-client.js'
import type { Embedder, EmbedOptions } from '../embedder.js'
import type { EmbedderConfig } from '../open-embedder.js'
import { postJson } from './post-json.js'
import { badAnswer, openRemoteEmbedder, type RemoteModel } from './remote-embedder.js'

export type RemoteConfig = Omit<EmbedderConfig, 'provider' | 'path'>

type Environment = { readonly [name: string]: string | undefined }

const OLLAMA = {
  base: 'http://127.0.0.1:11434',
  model: 'nomic-embed-text',
  // Loading a model from disk comes before the first answer.
  timeoutMs: 60_000,
  batch: { maxTexts: 64, maxTokens: 32_768 },
}
const OPENAI = {
  base: 'https://api.openai.com/v1',
  model: 'text-embedding-3-small',
  timeoutMs: 30_000,
  // Under the published limits of 2,048 texts and 300,000 tokens a request.
  batch: { maxTexts: 256, maxTokens: 200_000 },
}
/** A person waits for a query, and words answer it as well. */
const QUERY_TIMEOUT_MS = 5_000
const OPENAI_SERVICE = 'The OpenAI-compatible server'

const BASE_URL: BaseUrlSetting = {
  name: 'vectorSearch.baseUrl',
  example: 'http://127.0.0.1:11434 or https://host/v1',
  keyVariable: 'CAIRN_API_KEY',
}

const NO_PREFIX = { queryPrefix: '', passagePrefix: '' }

const UNKNOWN_MODEL = { maxTokens: 512, floor: 0.3, cascadeThreshold: 0.7, ...NO_PREFIX }

/**
 * Dimensions, windows and prefixes are the publishers'. Floors and thresholds are careful starting points, not
 * measured here: a model whose unrelated texts already score .4 needs a higher floor.
 */
// biome-ignore format: one model a row
const KNOWN_MODELS: ReadonlyMap<string, RemoteModel> = new Map([
  ['nomic-embed-text', { dimensions: 768, maxTokens: 2048, floor: 0.5, cascadeThreshold: 0.7, queryPrefix: 'search_query: ', passagePrefix: 'search_document: ' }],
  ['mxbai-embed-large', { dimensions: 1024, maxTokens: 512, floor: 0.45, cascadeThreshold: 0.7, queryPrefix: 'Represent this sentence for searching relevant passages: ', passagePrefix: '' }],
  ['all-minilm', { dimensions: 384, maxTokens: 256, floor: 0.3, cascadeThreshold: 0.7, ...NO_PREFIX }],
  ['bge-m3', { dimensions: 1024, maxTokens: 8192, floor: 0.45, cascadeThreshold: 0.7, ...NO_PREFIX }],
  ['text-embedding-3-small', { dimensions: 1536, maxTokens: 8191, floor: 0.25, cascadeThreshold: 0.5, ...NO_PREFIX }],
  ['text-embedding-3-large', { dimensions: 3072, maxTokens: 8191, floor: 0.25, cascadeThreshold: 0.5, ...NO_PREFIX }],
  ['text-embedding-ada-002', { dimensions: 1536, maxTokens: 8191, floor: 0.75, cascadeThreshold: 0.85, ...NO_PREFIX }],
])

/** A name may have a tag: `nomic-embed-text:v1.5`. */
function findModel(name: string, { dimensions, storedDimensions }: RemoteConfig) {
  const known = KNOWN_MODELS.get(name.split(':')[0] ?? name)
  const made = dimensions ?? known?.dimensions ?? storedDimensions ?? null
  return { ...(known ?? UNKNOWN_MODEL), dimensions: made }
}

export async function openOllama(config: RemoteConfig, timers: Timers): Promise<Embedder> {
  const name = config.model ?? OLLAMA.model
  const endpoint: Endpoint = {
    service: 'Ollama',
    url: `${parseBaseUrl(config.baseUrl ?? OLLAMA.base, BASE_URL)}/api/embed`,
    key: null,
    timeoutMs: config.timeoutMs ?? OLLAMA.timeoutMs,
    hint: 'Start it with `ollama serve`, or set vectorSearch.baseUrl to where it runs.',
    hintByStatus: { 404: `Fetch the model with \`ollama pull ${name}\`.` },
  }
  return openRemoteEmbedder({
    service: endpoint.service,
    provider: 'ollama',
    name,
    model: findModel(name, config),
    batch: OLLAMA.batch,
    ask: async (input, options) => {
      const asked = { model: name, input }
      const body = await postJson(limitQuery(endpoint, config, options), asked, {
        timers,
        ...options,
      })
      return readList(body, 'embeddings', endpoint.service)
    },
  })
}

export async function openOpenAi(
  config: RemoteConfig,
  { env, timers }: { readonly env: Environment; readonly timers: Timers },
): Promise<Embedder> {
  const name = config.model ?? OPENAI.model
  const base = parseBaseUrl(config.baseUrl ?? OPENAI.base, BASE_URL)
  const endpoint: Endpoint = {
    service: OPENAI_SERVICE,
    url: `${base}/embeddings`,
    key: findKey(env, base === OPENAI.base),
    timeoutMs: config.timeoutMs ?? OPENAI.timeoutMs,
    hint: 'Check the network and vectorSearch.baseUrl, or use the bundled model (provider "static").',
    hintByStatus: {
      401: 'Set OPENAI_API_KEY (or CAIRN_API_KEY) to a valid key.',
      404: `Check that vectorSearch.baseUrl ends in the API's version and that it serves "${name}".`,
    },
  }
  // Sent only when it is set: most compatible servers refuse a field they do not know.
  const extra = config.dimensions === undefined ? {} : { dimensions: config.dimensions }
  return openRemoteEmbedder({
    service: OPENAI_SERVICE,
    provider: 'openai',
    name,
    model: findModel(name, config),
    batch: OPENAI.batch,
    ask: async (input, options) => {
      const asked = { model: name, input, encoding_format: 'float', ...extra }
      const body = await postJson(limitQuery(endpoint, config, options), asked, {
        timers,
        ...options,
      })
      return sortByIndex(readList(body, 'data', OPENAI_SERVICE), input.length)
    },
  })
}

/** A query has a time-out of its own, unless one was given. */
function limitQuery(
  endpoint: Endpoint,
  { timeoutMs = QUERY_TIMEOUT_MS }: RemoteConfig,
  { as }: EmbedOptions,
): Endpoint {
  return as === 'query' ? { ...endpoint, timeoutMs } : endpoint
}

/** CAIRN_API_KEY wins, so that a key for another server never has to stand in OpenAI's own variable. */
function findKey(env: Environment, isRequired: boolean): string | null {
  const key = readKey(env, ['CAIRN_API_KEY', 'OPENAI_API_KEY'])
  if (key !== null || !isRequired) return key
  throw new CairnError('embedder_unavailable', {
    message: 'The provider "openai" needs a key, and the environment has none.',
    hint: 'Set OPENAI_API_KEY (or CAIRN_API_KEY), or use the bundled model (provider "static").',
  })
}

function readList(body: unknown, field: string, service: string): readonly unknown[] {
  const list: unknown = Reflect.get(Object(body), field)
  if (!Array.isArray(list)) throw badAnswer(`${service} sent an answer without embeddings.`)
  return list
}

/** Each item names the index of its text; the order of the items is not guaranteed. */
function sortByIndex(items: readonly unknown[], count: number): readonly unknown[] {
  // The embedder refuses a wrong number of vectors.
  if (items.length !== count) return items
  const vectors = new Array<unknown>(count)
  for (const item of items) {
    const index: unknown = Reflect.get(Object(item), 'index')
    const isFree = typeof index === 'number' && index in vectors === false
    if (!isFree || !Number.isInteger(index) || index < 0 || index >= count) {
      throw badAnswer(`${OPENAI_SERVICE} sent vectors without a usable order.`)
    }
    vectors[index] = Reflect.get(Object(item), 'embedding')
  }
  return vectors
}
