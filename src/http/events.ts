/** Streams the progress and the answer of long work as server-sent events. */

import { stream } from 'hono/streaming'
import type { AppContext, AppParts } from './api.js'
import { describeProblem } from './problems.js'
import { watchClient } from './request.js'

export type SendEvent = (event: string, data: unknown) => void

export function wantsEvents({ req }: AppContext): boolean {
  return /\btext\/event-stream\b/i.test(req.header('accept') ?? '')
}

/** Aborted when the client hangs up or the server stops. */
export function createHangUp({ env }: AppContext, stopping: AbortSignal): AbortSignal {
  return AbortSignal.any([stopping, watchClient(env.outgoing)])
}

/** An error of the work is logged and becomes the last event. */
export function streamEvents(
  context: AppContext,
  { cairn, log }: Pick<AppParts, 'cairn' | 'log'>,
  work: (send: SendEvent) => Promise<void>,
): Response {
  context.header('content-type', 'text/event-stream; charset=utf-8')
  return stream(context, async (body) => {
    const send: SendEvent = (event, data) =>
      void body.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    // Sent at once: until the first bytes arrive, a client does not know that it is being served.
    void body.write(': hello\n\n')
    try {
      await work(send)
    } catch (error) {
      log('warn', 'http.events', { path: context.req.path, reason: String(error) })
      send('error', describeProblem(error, cairn.file).body)
    }
  })
}
