/** One client for chat models: Ollama, and OpenAI with every server that has the same API. */

import {
  CHAT_PROVIDERS,
  CHAT_TIMEOUT_MS,
  type ChatProvider,
  type ChatRequest,
  describeProtocol,
  type Protocol,
} from './chat-protocols.js'
import { badInput, CairnError } from './errors.js'
import * as http from './http-client.js'
import { isFields, textAt, valueAt } from './json-fields.js'

export type ChatConfig = {
  readonly provider: ChatProvider
  readonly model: string
  readonly baseUrl?: string
  /** How long a reply may take, with all attempts. Default: 120000. */
  readonly timeoutMs?: number
}

export type ChatOptions = {
  readonly signal?: AbortSignal | undefined
  /** Used if it is shorter than the configured time. */
  readonly timeoutMs?: number | undefined
  /** Gets the reply piece by piece, as it arrives. Without it, the reply is requested whole. */
  readonly onText?: ((text: string) => void) | undefined
}

export type ChatReply = {
  readonly text: string
  /** False: the reply ends in the middle, because of its length, a lost connection or the time limit. */
  readonly isWhole: boolean
  /** As counted by the server; null if it does not say. */
  readonly tokens: { readonly prompt: number | null; readonly reply: number | null }
  readonly tookMs: number
}

/**
 * A chat model. Fails with `llm_unavailable`, or with the
 * reason of the signal.
 */
export type ChatModel = {
  /** `provider/name`. */
  readonly id: string
  readonly complete: (request: ChatRequest, options?: ChatOptions) => Promise<ChatReply>
}

/** A chat model of the program itself, as it is given to `openCairn`. Of its reply, only the text is needed. */
export type OwnChatModel = {
  readonly id: string
  readonly complete: (
    request: ChatRequest,
    options: ChatOptions,
  ) => Promise<Partial<ChatReply> & Pick<ChatReply, 'text'>>
}

const ATTEMPTS = 3
const LONGEST_RETRY_AFTER_MS = 10_000
/** An event of one token has some 250 bytes. */
const MAX_REPLY_BYTES = 4_000_000
const MAX_REFUSAL_BYTES = 100_000

const CODE = 'llm_unavailable'

/**
 * Reads the key and asks the server only with the first request.
 * @example
 * const model = createChatModel({ provider: 'ollama', model: 'qwen3' }, process.env, REAL_TIMERS)
 * const { text } = await model.complete({ system: 'Answer in one word.', user: 'What is 2 + 2?' })
 */
export function createChatModel(
  config: ChatConfig,
  env: Readonly<Record<string, string | undefined>>,
  timers: http.Timers,
): ChatModel {
  const { provider, model } = config
  return {
    id: `${provider}/${model}`,
    complete: async (request, options = {}) => {
      const configured = config.timeoutMs ?? CHAT_TIMEOUT_MS
      const timeoutMs = Math.min(options.timeoutMs ?? configured, configured)
      return complete(describeProtocol(config, env), request, { ...options, timeoutMs, timers })
    },
  }
}

/** Refuses a value that is no language model, so that the mistake shows when the file is opened. */
export function checkChat(llm: ChatConfig | OwnChatModel): void {
  if (typeof llm === 'object' && llm !== null && 'complete' in llm) {
    if (typeof llm.id === 'string' && typeof llm.complete === 'function') return
    throw badInput('llm is no language model.', 'Give { id, complete(request, options) }.')
  }
  const { provider, model, timeoutMs } = Object(llm) as ChatConfig
  if (!CHAT_PROVIDERS.includes(provider)) {
    throw badInput(
      `There is no provider "${String(provider)}" of language models.`,
      `Set llm.provider to one of ${CHAT_PROVIDERS.join(', ')}.`,
    )
  }
  if (typeof model !== 'string' || model.trim() === '') {
    throw badInput('llm.model is missing.', `Set it to a model that ${provider} serves.`)
  }
  if (timeoutMs !== undefined && (!Number.isInteger(timeoutMs) || timeoutMs < 1)) {
    throw badInput(`llm.timeoutMs is ${timeoutMs}; it must be a whole number from 1 up.`)
  }
}

type Limits = Omit<ChatOptions, 'timeoutMs'> & {
  readonly timeoutMs: number
  readonly timers: http.Timers
}

async function complete(
  protocol: Protocol,
  request: ChatRequest,
  options: Limits,
): Promise<ChatReply> {
  const { timeoutMs, timers, signal } = options
  const startMs = performance.now()
  const endpoint = { ...protocol.endpoint, timeoutMs }
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  let last: http.Failure | null = null
  const attempt = async () => {
    const tried = await ask({ ...protocol, endpoint }, request, { ...options, signal: either })
    if (tried.kind === 'failure') last = tried.failure
    return tried
  }
  try {
    const answer = await http.retry(attempt, { timers, attempts: ATTEMPTS, signal: either })
    signal?.throwIfAborted()
    return { ...answer, tookMs: performance.now() - startMs }
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof CairnError) throw error
    // The time ran out between two attempts: the last failure of the server tells more.
    const { message, hint, cause } = last ?? http.describeSilence(endpoint, error, timeout.aborted)
    throw new CairnError(CODE, { message, hint, cause })
  }
}

async function ask(
  protocol: Protocol & { readonly endpoint: http.Endpoint },
  request: ChatRequest,
  { signal, timers, onText }: Limits & { readonly signal: AbortSignal },
): Promise<http.Attempt<Omit<ChatReply, 'tookMs'>>> {
  const { endpoint, accept, writeRequest } = protocol
  const reply = createReply(protocol, onText)
  const isStream = onText !== undefined
  const fail = (problem: string) => {
    const message = `${endpoint.service} ${problem}.`
    const hint = 'Check that the model is a chat model and that the server is up to date.'
    const failure = { code: CODE, message, hint, isTransient: false, retryAfterMs: null } as const
    return { kind: 'failure', failure } as const
  }
  try {
    const response = await http.postJson(endpoint, writeRequest(request, isStream), {
      signal,
      ...(isStream && { accept }),
    })
    if (!response.ok) {
      const refusal = http.describeStatus(endpoint, response, {
        body: await http.readBody(response, MAX_REFUSAL_BYTES),
        reasonPaths: http.MODEL_REASON_PATHS,
        nowMs: timers.now(),
        longestMs: LONGEST_RETRY_AFTER_MS,
      })
      return { kind: 'failure', failure: { code: CODE, ...refusal } }
    }
    if (isStream)
      for await (const line of http.readLines(response, MAX_REPLY_BYTES)) reply.addLine(line)
    else reply.add(JSON.parse(await http.readBody(response, MAX_REPLY_BYTES)))
  } catch (cause) {
    // Text that has arrived was shown already: it is kept, and the request is not repeated.
    if (reply.isEmpty()) {
      if (cause instanceof http.TooLargeError) return fail('sent a reply that is too long')
      const silence = http.describeSilence(endpoint, cause, signal.aborted)
      return { kind: 'failure', failure: { code: CODE, ...silence, isTransient: !signal.aborted } }
    }
  }
  if (!reply.isEmpty()) return { kind: 'answer', answer: reply.finish() }
  return fail(`sent a reply without a text${reply.describeError()}`)
}

/** Collects a reply from its events; a whole reply is one event. */
function createReply(protocol: Protocol, onText: ChatOptions['onText']) {
  let text = ''
  let end: unknown = null
  const dropThoughts = createThoughtFilter()
  let error: string | null = null
  const tokens: { prompt: number | null; reply: number | null } = { prompt: null, reply: null }

  const add = (body: unknown): void => {
    const piece = protocol.readText(body)
    const shown = typeof piece === 'string' ? dropThoughts(piece) : ''
    text += shown
    if (shown !== '') onText?.(shown)
    end = protocol.readEnd(body) ?? end
    for (const side of ['prompt', 'reply'] as const) {
      const count = valueAt(body, ...protocol.tokenPaths[side])
      if (Number.isInteger(count)) tokens[side] = count as number
    }
    error ??= textAt(body, 'error', 'message') ?? textAt(body, 'error')
  }

  return {
    add,
    /** A line of JSON, or of an event stream. */
    addLine(line: string): void {
      const data = line.startsWith('data:') ? line.slice(5).trim() : line
      const isEvent = line.startsWith('data:') || line.startsWith('{')
      if (isEvent && data !== '' && data !== '[DONE]') add(JSON.parse(data))
    },
    isEmpty: () => text.trim() === '',
    describeError: () => (error === null ? '' : `: ${error.slice(0, 200)}`),
    finish: () => ({
      text: text.toWellFormed(),
      isWhole: end === 'stop' && error === null,
      tokens,
    }),
  }
}

/** Some models write `<think>…</think>` before their reply. Returns the part of each piece that is shown. */
function createThoughtFilter(): (piece: string) => string {
  const [open, close] = ['<think>', '</think>']
  let state: 'start' | 'thinking' | 'reply' = 'start'
  let held = ''
  return (piece) => {
    if (state === 'reply') return piece
    held += piece
    const start = held.trimStart()
    if (state === 'start' && start.length < open.length && open.startsWith(start)) return ''
    if (state === 'start') state = start.startsWith(open) ? 'thinking' : 'reply'
    const end = state === 'thinking' ? held.indexOf(close) : -close.length
    if (end === -1) {
      held = held.slice(1 - close.length)
      return ''
    }
    state = 'reply'
    return held.slice(end + close.length)
  }
}

/** Adds the time limit and Cairn's errors to a program's own model. */
export function adaptChatModel(own: OwnChatModel): ChatModel {
  return {
    id: `own/${own.id}`,
    async complete(request, options = {}) {
      const startMs = performance.now()
      const timeout = AbortSignal.timeout(options.timeoutMs ?? CHAT_TIMEOUT_MS)
      const signal = AbortSignal.any([timeout, ...(options.signal ? [options.signal] : [])])
      try {
        const asked = own.complete(request, { ...options, signal })
        const reply: unknown = await Promise.race([asked, http.rejectOnAbort(signal)])
        if (!isFields(reply) || typeof reply.text !== 'string') throw new Error('It sent no text')
        const { isWhole = true, tokens = { prompt: null, reply: null } } = reply
        const tookMs = performance.now() - startMs
        return { text: reply.text, isWhole, tokens, tookMs } as ChatReply
      } catch (cause) {
        options.signal?.throwIfAborted()
        const reason = cause instanceof Error ? `: ${cause.message.replace(/\.$/, '')}` : ''
        throw new CairnError(CODE, {
          message: `The language model "${own.id}" failed${reason}.`,
          hint: 'Check its function complete(request, options), which returns { text }.',
          cause,
        })
      }
    },
  }
}

/** The JSON of a reply, also from inside a Markdown fence; undefined if there is none. */
export function parseReply({ text, isWhole }: Pick<ChatReply, 'text' | 'isWhole'>): unknown {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)
  try {
    return isWhole ? JSON.parse(fenced?.[1] ?? text) : undefined
  } catch {
    return undefined
  }
}
