/** Asks a question and reports the answer as it is made. */

import type { AskEvent } from '../../../src/core/answer.js'
import type { AskInput } from '../../../src/schemas/search-request.js'
import type { Answer } from './client.js'
import { readEvents } from './events.js'
import { RequestFailure, readFailure, send } from './request.js'

export async function askQuestion(
  input: AskInput,
  onEvent: (event: AskEvent) => void,
  signal: AbortSignal,
): Promise<Answer<'ask'>> {
  const sending = { method: 'POST', body: input, signal, wantsEvents: true } as const
  const { body } = await send('/api/ask', sending)
  for await (const { name, data } of body === null ? [] : readEvents(body)) {
    const sent = JSON.parse(data)
    if (name === 'answer') return sent
    if (name === 'error') throw readFailure(sent)
    onEvent({ kind: name, ...sent })
  }
  throw new RequestFailure('gone', 'The connection ended before the answer.')
}
