/** What Node's server receives and sends is what the web calls a request and a response. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { MAX_BODY_BYTES, PATH, type Refusal } from './http-guard.js'

/** Null where the body is larger than is allowed. */
export async function toWebRequest(
  incoming: IncomingMessage,
  signal: AbortSignal,
): Promise<Request | null> {
  const method = incoming.method ?? 'GET'
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? await readBody(incoming) : undefined
  if (body === null) return null
  const url = `http://localhost${incoming.url ?? PATH}`
  return new Request(url, { method, headers, signal, ...(body !== undefined && { body }) })
}

async function readBody(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer> | null> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of incoming as AsyncIterable<Uint8Array>) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

export function sendWebResponse(response: Response, outgoing: ServerResponse): void {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) {
    outgoing.end()
    return
  }
  outgoing.flushHeaders()
  // Whoever hangs up ends the stream; that is no fault.
  pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing, () => {})
}

/** In the words of the protocol, so that a client can show them. */
export function sendRefusal({ status, message, headers = {} }: Refusal, to: ServerResponse): void {
  sendError({ status, code: -32000, message, headers }, to)
}

export function sendError(
  error: {
    readonly status: number
    readonly code: number
    readonly message: string
    readonly headers?: Readonly<Record<string, string>>
  },
  to: ServerResponse,
): void {
  const { status, code, message, headers = {} } = error
  to.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
  to.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))
}
