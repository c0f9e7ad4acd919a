/** Opens the language model, remembers for a minute that it did not answer, and asks it for JSON. */

import {
  adaptChatModel,
  type ChatConfig,
  type ChatOptions,
  type ChatReply,
  createChatModel,
  type OwnChatModel,
  parseReply,
} from '../core/chat-model.js'
import type { ChatRequest } from '../core/chat-protocols.js'
import { CairnError } from '../core/errors.js'
import type { Timers } from '../core/http-client.js'
import { createMarker, fence, fillPrompt } from '../core/prompt.js'
import type { Outages } from '../embedding/outages.js'

/** The language model as the modules of a Cairn see it. */
export type Chat = {
  readonly id: string
  /** Fails with `llm_unavailable`, or with the reason of the signal. */
  readonly complete: (request: ChatRequest, options?: AskOptions) => Promise<ChatReply>
}

export type AskOptions = ChatOptions & {
  /** Fails at once if the model timed out in the last minute. For work that can do without a model. Default: false. */
  readonly isOptional?: boolean
}

export function openChat(
  llm: ChatConfig | OwnChatModel,
  env: Readonly<Record<string, string | undefined>>,
  { timers, outages }: { readonly timers: Timers; readonly outages: Outages },
): Chat {
  const model = 'complete' in llm ? adaptChatModel(llm) : createChatModel(llm, env, timers)
  const key = `llm ${JSON.stringify(llm)}`
  return {
    id: model.id,
    async complete(request, { isOptional = false, ...options } = {}) {
      const leftMs = isOptional ? outages.leftMs(key) : 0
      if (leftMs > 0) {
        throw new CairnError('llm_unavailable', {
          message: `The language model did not answer; it is asked again in ${Math.ceil(leftMs / 1000)} s.`,
          hint: 'Start it, or set llm.timeoutMs to wait longer.',
        })
      }
      try {
        const reply = await model.complete(request, options)
        outages.end(key)
        return reply
      } catch (error) {
        const isTimeout = [error, Object(error).cause].some(
          (one) => Object(one).name === 'TimeoutError',
        )
        if (isTimeout) outages.begin(key)
        throw error
      }
    },
  }
}

type Labelled = { readonly label: string; readonly of: string | readonly string[] }

export type JsonRequest = {
  /** The file in `prompts/`. */
  readonly prompt: string
  readonly values: Readonly<Record<string, string | number>>
  /** Texts that are data, by the name of their value: each is fenced, and those of a list are numbered. */
  readonly texts: Readonly<Record<string, Labelled>>
  readonly schema: object
  /** At most; a shorter time of the model's own holds too. */
  readonly limitMs: number
}

/** `read` gives null for a reply of another form. Fails with `llm_unavailable`. */
export async function completeJson<T>(
  chat: Chat | null,
  asked: JsonRequest,
  read: (reply: unknown) => T | null,
): Promise<T> {
  if (chat === null) throw unavailable('No language model is configured.', SETTINGS)
  const { prompt, schema, limitMs } = asked
  const marker = createMarker()
  const texts = Object.entries(asked.texts).map(([name, { label, of }]) => {
    const fenced =
      typeof of === 'string'
        ? [fence(of, marker, label)]
        : of.map((text, i) => fence(text, marker, `${label} ${i + 1}`))
    return [name, fenced.join('\n')]
  })
  const values = { ...asked.values, ...Object.fromEntries(texts), marker }
  const signal = AbortSignal.timeout(limitMs)
  const request = { ...fillPrompt(prompt, values), schema }
  const reply = await chat.complete(request, { signal, isOptional: true }).catch((error) => {
    if (!signal.aborted) throw error
    throw unavailable(`The language model took longer than ${limitMs} ms.`, undefined, error)
  })
  const answer = read(parseReply(reply))
  if (answer !== null) return answer
  throw unavailable(`The language model "${chat.id}" did not reply as it was asked to.`, JSON_HINT)
}

const SETTINGS = 'Set llm.provider and llm.model.'
const JSON_HINT = 'Choose a model that can reply in JSON.'

function unavailable(message: string, hint?: string, cause?: unknown): CairnError {
  return new CairnError('llm_unavailable', { message, ...(hint && { hint }), cause })
}

/** The message and the hint of an error as one text. */
export function explainFailure(error: unknown): string {
  const hint = error instanceof CairnError && error.hint !== null ? ` ${error.hint}` : ''
  return `${error instanceof Error ? error.message : String(error)}${hint}`
}
