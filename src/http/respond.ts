/** Sends answers: JSON, compressed for clients that accept it, or server-sent events while long work goes on. */

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { stream } from 'hono/streaming'
import type { AppContext, AppParts } from './api.js'
import { describeProblem } from './problems.js'
import { watchClient } from './request.js'

/** A smaller answer fits into one packet anyway. */
const MIN_BYTES = 1400

/** Quick settings: an answer is compressed once for each request. */
const COMPRESSORS = {
  br: (text: string) =>
    promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => promisify(gzip)(text, { level: 5 }),
}

/** The encodings that a request accepts, of these; the best first. */
export function acceptedEncodings<Name extends string>(
  header: string | undefined,
  known: readonly Name[],
): Name[] {
  const accepted = (header ?? '')
    .split(',')
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => one.replace(/;.*/, '').trim())
  return known.filter((name) => accepted.includes(name))
}

/** Answers with JSON, compressed if it is long and the client accepts it. */
export async function sendJson(context: AppContext, value: unknown): Promise<Response> {
  const text = JSON.stringify(value)
  const known = text.length < MIN_BYTES ? [] : (['br', 'gzip'] as const)
  const [encoding] = acceptedEncodings(context.req.header('accept-encoding'), known)
  const type = { 'content-type': 'application/json' }
  if (encoding === undefined) return context.body(text, 200, type)
  const body = new Uint8Array(await COMPRESSORS[encoding](text))
  return context.body(body, 200, { ...type, 'content-encoding': encoding })
}

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
