/** The requests and replies of Ollama and of OpenAI-compatible servers. */

import { CairnError } from './errors.js'
import { type Endpoint, parseBaseUrl, readKey } from './http-client.js'
import { listAt, textAt, valueAt } from './json-fields.js'

export const CHAT_PROVIDERS = ['ollama', 'openai'] as const
export type ChatProvider = (typeof CHAT_PROVIDERS)[number]

/** How long a reply may take. */
export const CHAT_TIMEOUT_MS = 120_000

export type ChatRequest = {
  /** The task of the model. */
  readonly system: string
  /** The input of the task: texts of records belong here, fenced. */
  readonly user: string
  /** The JSON schema of the reply; a server may ignore it, so the reply is checked all the same. */
  readonly schema?: object
}

type Environment = Readonly<Record<string, string | undefined>>

export type Protocol = {
  readonly endpoint: Omit<Endpoint, 'timeoutMs'>
  readonly accept: string
  writeRequest(request: ChatRequest, isStream: boolean): object
  /** Reads a whole reply, or one event of a stream. */
  readText(body: unknown): unknown
  readEnd(body: unknown): unknown
  readonly tokenPaths: Record<'prompt' | 'reply', readonly string[]>
}

export const CHAT_BASE = { ollama: 'http://127.0.0.1:11434', openai: 'https://api.openai.com/v1' }
const KEY_VARIABLES = ['CAIRN_LLM_KEY', 'CAIRN_API_KEY', 'OPENAI_API_KEY']
const BASE_URL = {
  name: 'llm.baseUrl',
  example: 'http://127.0.0.1:11434 or https://host/v1',
  keyVariable: 'CAIRN_LLM_KEY',
}

export function describeProtocol(
  config: Readonly<{ provider: ChatProvider; model: string; baseUrl?: string }>,
  env: Environment,
): Protocol {
  const { provider, model } = config
  const base = parseBaseUrl(config.baseUrl ?? CHAT_BASE[provider], BASE_URL)
  return provider === 'ollama' ? describeOllama(model, base) : describeOpenAi(model, base, env)
}

function describeOllama(model: string, base: string): Protocol {
  return {
    endpoint: {
      service: 'Ollama',
      url: `${base}/api/chat`,
      key: null,
      hint: 'Start it with `ollama serve`, or set llm.baseUrl to where it runs.',
      hintByStatus: { 404: `Fetch the model with \`ollama pull ${model}\`.` },
    },
    accept: 'application/x-ndjson',
    writeRequest: (request, stream) => ({
      model,
      messages: writeMessages(request),
      stream,
      options: { temperature: 0, num_ctx: chooseWindow(request) },
      ...(request.schema && { format: request.schema }),
    }),
    readText: (body) => valueAt(body, 'message', 'content'),
    readEnd: (body) =>
      valueAt(body, 'done') === true ? (textAt(body, 'done_reason') ?? 'stop') : null,
    tokenPaths: { prompt: ['prompt_eval_count'], reply: ['eval_count'] },
  }
}

const WINDOW = 4096

/** Ollama silently cuts a prompt that is longer than its window; three characters per token is a careful guess. */
function chooseWindow({ system, user }: ChatRequest): number {
  return WINDOW * Math.ceil((system.length + user.length) / 3 / WINDOW + 0.5)
}

function describeOpenAi(model: string, base: string, env: Environment): Protocol {
  const key = readKey(env, KEY_VARIABLES)
  if (key === null && base === CHAT_BASE.openai) {
    throw new CairnError('llm_unavailable', {
      message: 'The provider "openai" needs a key, and the environment has none.',
      hint: 'Set OPENAI_API_KEY (or CAIRN_LLM_KEY), or set llm.baseUrl to a server of your own.',
    })
  }
  const [prompt, reply] = [
    ['usage', 'prompt_tokens'],
    ['usage', 'completion_tokens'],
  ] as const
  return {
    endpoint: {
      service: 'The OpenAI-compatible server',
      url: `${base}/chat/completions`,
      key,
      hint: 'Check the network and llm.baseUrl.',
      hintByStatus: {
        401: 'Set OPENAI_API_KEY (or CAIRN_LLM_KEY) to a valid key.',
        404: `Check that llm.baseUrl ends in the API's version and that it serves "${model}".`,
      },
    },
    accept: 'text/event-stream',
    writeRequest: (request, stream) => ({
      model,
      messages: writeMessages(request),
      ...(stream && { stream, stream_options: { include_usage: true } }),
      ...(request.schema && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'reply', strict: true, schema: request.schema },
        },
      }),
    }),
    readText: (body) => {
      const [choice] = listAt(body, 'choices')
      return valueAt(choice, 'delta', 'content') ?? valueAt(choice, 'message', 'content')
    },
    readEnd: (body) => valueAt(listAt(body, 'choices')[0], 'finish_reason'),
    tokenPaths: { prompt, reply },
  }
}

function writeMessages({ system, user }: ChatRequest) {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ]
}
