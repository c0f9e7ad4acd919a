/** Opens the language model, and remembers for a minute that it did not answer. */

import type { ChatConfig, ChatModel, ChatOptions, ChatReply } from '../core/chat-model.js'
import type { ChatRequest } from '../core/chat-protocols.js'
import { CairnError } from '../core/errors.js'
import type { Timers } from '../core/http-client.js'
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

export async function openChat(
  llm: ChatConfig | ChatModel,
  env: Readonly<Record<string, string | undefined>>,
  { timers, outages }: { readonly timers: Timers; readonly outages: Outages },
): Promise<Chat> {
  const { adaptChatModel, createChatModel } = await import('../core/chat-model.js')
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
