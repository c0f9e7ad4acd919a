/** A model that Ollama serves on this machine embeds with the prefixes it was trained with. */

import {
  type BaseUrlSetting,
  parseBaseUrl,
  REAL_TIMERS,
  type Timers,
} from '../../core/http-client.js'
import type { Embedder } from '../embedder.js'
import { knownModel, UNKNOWN_MODEL } from './known-models.js'
import { type Endpoint, postJson } from './post-json.js'
import { badAnswer, openRemoteEmbedder } from './remote-embedder.js'

export const OLLAMA_BASE = 'http://127.0.0.1:11434'
export const OLLAMA_MODEL = 'nomic-embed-text'
/** Loading a model from disk comes before the first answer. */
const TIMEOUT_MS = 60_000
const BATCH = { maxTexts: 64, maxTokens: 32_768 }

export type RemoteConfig = {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  readonly dimensions?: number | undefined
  readonly timeoutMs?: number | undefined
}

export const BASE_URL_SETTING: BaseUrlSetting = {
  name: 'vectorSearch.baseUrl',
  example: 'http://127.0.0.1:11434 or https://host/v1',
  keyVariable: 'CAIRN_API_KEY',
}

export async function openOllama(
  config: RemoteConfig,
  world: Timers = REAL_TIMERS,
): Promise<Embedder> {
  const name = config.model ?? OLLAMA_MODEL
  const known = knownModel(name)
  const endpoint: Endpoint = {
    service: 'Ollama',
    url: `${parseBaseUrl(config.baseUrl ?? OLLAMA_BASE, BASE_URL_SETTING)}/api/embed`,
    key: null,
    timeoutMs: config.timeoutMs ?? TIMEOUT_MS,
    hint: 'Start it with `ollama serve`, or set vectorSearch.baseUrl to where it runs.',
    hintByStatus: { 404: `Fetch the model with \`ollama pull ${name}\`.` },
  }
  return openRemoteEmbedder({
    service: endpoint.service,
    provider: 'ollama',
    name,
    recipe: {
      ...(known ?? UNKNOWN_MODEL),
      dimensions: config.dimensions ?? known?.dimensions ?? null,
    },
    batch: BATCH,
    ask: async (input, signal) => {
      const body = await postJson(endpoint, { model: name, input }, { timers: world, signal })
      return embeddingsIn(body)
    },
  })
}

function embeddingsIn(body: unknown): readonly unknown[] {
  const list: unknown = typeof body === 'object' && body !== null && Reflect.get(body, 'embeddings')
  if (!Array.isArray(list)) throw badAnswer('Ollama sent an answer without embeddings.')
  return list
}
