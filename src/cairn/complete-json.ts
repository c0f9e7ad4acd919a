/** Asks the language model for JSON with one of the prompts, and checks the reply. */

import { parseReply } from '../core/chat-model.js'
import { CairnError } from '../core/errors.js'
import { createMarker, fence, fillPrompt } from '../core/prompt.js'
import type { Chat } from './chat.js'

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
