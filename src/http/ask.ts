/** Answers a question as events: the other wordings, the passages, each sentence once it was checked, the answer. */

import { stream } from 'hono/streaming'
import { operation, perform } from '../operations/operations.js'
import type { AppContext, AppParts } from './api.js'
import { describeProblem } from './problems.js'
import { watchClient } from './request.js'

export function wantsEvents({ req }: AppContext): boolean {
  return /\btext\/event-stream\b/i.test(req.header('accept') ?? '')
}

/** Aborted when the client hangs up or the server stops. */
export function createHangUp({ env }: AppContext, stopping: AbortSignal): AbortSignal {
  return AbortSignal.any([stopping, watchClient(env.outgoing)])
}

export function streamAnswer(context: AppContext, input: unknown, parts: AppParts): Response {
  const { cairn, log, stopping } = parts
  const signal = createHangUp(context, stopping)
  context.header('content-type', 'text/event-stream; charset=utf-8')
  return stream(context, async (body) => {
    const send = (event: string, data: unknown) =>
      void body.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    // At once: until the first bytes a client does not know that it is being served.
    void body.write(': hello\n\n')
    try {
      const answer = await perform(operation('ask'), cairn, input, {
        signal,
        onEvent: ({ kind, ...data }) => send(kind, data),
      })
      send('answer', answer)
    } catch (error) {
      log('warn', 'http.ask', { reason: String(error) })
      send('error', describeProblem(error, cairn.file).body)
    }
  })
}
