/** Opens the embedders of remote servers: Ollama, and OpenAI or any server with the same API. An error never shows the key. */

import { CairnError } from '../../core/errors.js'
import {
  type Attempt,
  type BaseUrlSetting,
  describeSilence,
  describeStatus,
  type Endpoint,
  MODEL_REASON_PATHS,
  parseBaseUrl,
  postJson,
  readKey,
  retry,
  type Timers,
} from '../../core/http-client.js'
import type { Embedder, EmbedOptions } from '../embedder.js'
import type { EmbedderConfig } from '../open-embedder.js'
import { badAnswer, openRemoteEmbedder, type RemoteModel } from './remote-embedder.js'

export type RemoteConfig = Omit<EmbedderConfig, 'provider' | 'path'>

type Environment = { readonly [name: string]: string | undefined }

const OLLAMA = {
  base: 'http://127.0.0.1:11434',
  model: 'nomic-embed-text',
  // Before the first answer the server loads the model from disk.
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
/** A person waits for a query, and keyword search can answer it too. */
const QUERY_TIMEOUT_MS = 5_000
const ATTEMPTS = { query: 2, passage: 4 }
/** A server may ask for a longer wait, but a person is waiting. */
export const LONGEST_RETRY_AFTER_MS = { query: 1_000, passage: 30_000 }
const CODE = 'embedder_unavailable'
const OPENAI_SERVICE = 'The OpenAI-compatible server'

const BASE_URL: BaseUrlSetting = {
  name: 'vectorSearch.baseUrl',
  example: 'http://127.0.0.1:11434 or https://host/v1',
  keyVariable: 'CAIRN_API_KEY',
}

const NO_PREFIX = { queryPrefix: '', passagePrefix: '' }

const UNKNOWN_MODEL = { maxTokens: 512, floor: 0.3, cascadeThreshold: 0.7, ...NO_PREFIX }

/**
 * Dimensions, windows and prefixes are those that the publishers document. Floors and thresholds are conservative
 * estimates, not measurements: a model that gives unrelated texts a cosine of 0.4 needs a higher floor.
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

/** Finds a model by its name without the tag, as in `nomic-embed-text:v1.5`. */
function findModel(name: string, { dimensions, storedDimensions }: RemoteConfig) {
  const known = KNOWN_MODELS.get(name.split(':')[0] ?? name)
  const chosen = dimensions ?? known?.dimensions ?? storedDimensions ?? null
  return { ...(known ?? UNKNOWN_MODEL), dimensions: chosen }
}

export async function openOllama(config: RemoteConfig, timers: Timers): Promise<Embedder> {
  const name = config.model ?? OLLAMA.model
  const endpoint: Endpoint = {
    service: 'Ollama',
    url: `${parseBaseUrl(config.baseUrl ?? OLLAMA.base, BASE_URL)}/api/embed`,
    key: null,
    timeoutMs: config.timeoutMs ?? OLLAMA.timeoutMs,
    hint: 'Start it with `ollama serve`, or set vectorSearch.baseUrl to its address.',
    hintByStatus: { 404: `Fetch the model with \`ollama pull ${name}\`.` },
  }
  const post = createPost(endpoint, config, timers)
  return openRemoteEmbedder({
    service: endpoint.service,
    provider: 'ollama',
    name,
    model: findModel(name, config),
    batch: OLLAMA.batch,
    ask: async (input, options) =>
      readList(await post({ model: name, input }, options), 'embeddings', endpoint.service),
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
  const post = createPost(endpoint, config, timers)
  // Sent only if it is set, because most compatible servers reject unknown fields.
  const extra = config.dimensions === undefined ? {} : { dimensions: config.dimensions }
  return openRemoteEmbedder({
    service: OPENAI_SERVICE,
    provider: 'openai',
    name,
    model: findModel(name, config),
    batch: OPENAI.batch,
    ask: async (input, options) => {
      const body = await post({ model: name, input, encoding_format: 'float', ...extra }, options)
      return sortByIndex(readList(body, 'data', OPENAI_SERVICE), input.length)
    },
  })
}

/** Creates a function that posts JSON with retries. A query has its own time-out, unless one is configured. */
function createPost(endpoint: Endpoint, config: RemoteConfig, timers: Timers) {
  const { timeoutMs = QUERY_TIMEOUT_MS } = config
  return (question: object, options: EmbedOptions): Promise<unknown> => {
    const target = options.as === 'query' ? { ...endpoint, timeoutMs } : endpoint
    const attempts = ATTEMPTS[options.as]
    const attempt = () => postOnce(target, question, { ...options, timers })
    return retry(attempt, { ...options, timers, attempts })
  }
}

async function postOnce(
  endpoint: Endpoint,
  question: object,
  { as, signal, timers }: EmbedOptions & { readonly timers: Timers },
): Promise<Attempt<unknown>> {
  const timeout = AbortSignal.timeout(endpoint.timeoutMs)
  try {
    const response = await postJson(endpoint, question, {
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    const body = await response.text()
    if (response.ok) return { kind: 'answer', answer: JSON.parse(body) }
    const refusal = describeStatus(endpoint, response, {
      body,
      reasonPaths: MODEL_REASON_PATHS,
      nowMs: timers.now(),
      longestMs: LONGEST_RETRY_AFTER_MS[as],
    })
    return { kind: 'failure', failure: { code: CODE, ...refusal } }
  } catch (cause) {
    signal?.throwIfAborted()
    const isLate = timeout.aborted
    const silence = describeSilence(endpoint, cause, isLate)
    // A time-out is not retried, so a server that hangs costs it only once.
    return { kind: 'failure', failure: { code: CODE, ...silence, isTransient: !isLate } }
  }
}

/** CAIRN_API_KEY has priority, so that the key of another server need not be in OpenAI's variable. */
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
  // The embedder rejects a wrong number of vectors.
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
