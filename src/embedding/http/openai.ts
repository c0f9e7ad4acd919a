/** OpenAI and every server that speaks like it embed, with a key that only the environment knows. */

import { badInput, CairnError } from '../../core/errors.js'
import { parseBaseUrl, REAL_TIMERS, type Timers } from '../../core/http-client.js'
import type { Embedder } from '../embedder.js'
import { knownModel, UNKNOWN_MODEL } from './known-models.js'
import { BASE_URL_SETTING, type RemoteConfig } from './ollama.js'
import { type Endpoint, postJson } from './post-json.js'
import { badAnswer, openRemoteEmbedder } from './remote-embedder.js'

export const OPENAI_BASE = 'https://api.openai.com/v1'
export const OPENAI_MODEL = 'text-embedding-3-small'
const TIMEOUT_MS = 30_000
/** Under the published limits of 2,048 texts and 300,000 tokens a request. */
const BATCH = { maxTexts: 256, maxTokens: 200_000 }
const SERVICE = 'The OpenAI-compatible server'

export type Environment = { readonly [name: string]: string | undefined }

export async function openOpenAi(
  config: RemoteConfig,
  env: Environment,
  world: Timers = REAL_TIMERS,
): Promise<Embedder> {
  const name = config.model ?? OPENAI_MODEL
  const known = knownModel(name)
  const base = parseBaseUrl(config.baseUrl ?? OPENAI_BASE, BASE_URL_SETTING)
  const endpoint: Endpoint = {
    service: SERVICE,
    url: `${base}/embeddings`,
    key: readKey(env, base === OPENAI_BASE),
    timeoutMs: config.timeoutMs ?? TIMEOUT_MS,
    hint: 'Check the network and vectorSearch.baseUrl, or use the bundled model (provider "static").',
    hintByStatus: {
      401: 'Set OPENAI_API_KEY (or CAIRN_API_KEY) to a valid key.',
      404: `Check that vectorSearch.baseUrl ends in the API's version and that it serves "${name}".`,
    },
  }
  // Passed on only when asked for: most compatible servers refuse a field they do not know.
  const extra = config.dimensions === undefined ? {} : { dimensions: config.dimensions }
  return openRemoteEmbedder({
    service: SERVICE,
    provider: 'openai',
    name,
    recipe: {
      ...(known ?? UNKNOWN_MODEL),
      dimensions: config.dimensions ?? known?.dimensions ?? null,
    },
    batch: BATCH,
    ask: async (input, signal) => {
      const question = { model: name, input, encoding_format: 'float', ...extra }
      return vectorsIn(await postJson(endpoint, question, { timers: world, signal }), input.length)
    },
  })
}

/** CAIRN_API_KEY wins, so that a key for another server never has to stand in OpenAI's own variable. */
function readKey(env: Environment, isRequired: boolean): string | null {
  const key = (env.CAIRN_API_KEY ?? env.OPENAI_API_KEY ?? '').trim()
  if (key === '' && isRequired) {
    throw new CairnError('embedder_unavailable', {
      message: 'The provider "openai" needs a key, and the environment has none.',
      hint: 'Set OPENAI_API_KEY (or CAIRN_API_KEY), or use the bundled model (provider "static").',
    })
  }
  // Checked here, because fetch would quote the whole header in its own error.
  if (!/^[\x21-\x7e]*$/.test(key)) {
    throw badInput('The API key in the environment has spaces or signs that no key has.')
  }
  return key === '' ? null : key
}

/** The answer names the place of each vector; its own order promises nothing. */
function vectorsIn(body: unknown, count: number): readonly unknown[] {
  const data: unknown = typeof body === 'object' && body !== null && Reflect.get(body, 'data')
  if (!Array.isArray(data)) throw badAnswer(`${SERVICE} sent an answer without embeddings.`)
  if (data.length !== count) {
    throw badAnswer(`${SERVICE} sent ${data.length} vectors for ${count} texts.`)
  }
  const vectors = new Array<unknown>(count)
  for (const item of data as readonly unknown[]) {
    const index: unknown = typeof item === 'object' && item !== null && Reflect.get(item, 'index')
    const isFree = typeof index === 'number' && index in vectors === false
    if (!isFree || !Number.isInteger(index) || index < 0 || index >= count) {
      throw badAnswer(`${SERVICE} sent vectors whose order cannot be told.`)
    }
    vectors[index] = Reflect.get(item as object, 'embedding')
  }
  return vectors
}
