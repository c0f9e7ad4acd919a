/** A test asks a real server on this machine, as any program might: with headers that a browser would not let it set. */

import { type IncomingHttpHeaders, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { type ServerOptions, startServer } from '../../src/http/server.js'
import type { Cairn, RecordInput } from '../../src/index.js'
import { libraryOf } from './library.js'

export type Sent = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
  readonly json: any
}

export type Request = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly body?: string | Uint8Array | object
}

export type Served = {
  readonly cairn: Cairn
  readonly port: number
  readonly url: string
  readonly close: () => Promise<void>
  readonly send: (path: string, request?: Request) => Promise<Sent>
}

export async function serve(
  records: readonly (string | RecordInput)[] = [],
  options: Partial<ServerOptions> = {},
): Promise<Served> {
  const cairn = options.cairn ?? (await libraryOf(records))
  const serving = await startServer({ port: 0, ...options, cairn })
  onTestFinished(() => serving.close())
  const { port, url } = serving
  return { cairn, port, url, close: serving.close, send: (path, asked) => send(port, path, asked) }
}

export function send(port: number, path: string, asked: Request = {}): Promise<Sent> {
  const { body } = asked
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
  const method = asked.method ?? (body === undefined ? 'GET' : 'POST')
  const headers = { ...(isJson && { 'content-type': 'application/json' }), ...asked.headers }
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, text, json: parse(text) })
      })
    })
    sent.on('error', reject)
    sent.end(isJson ? JSON.stringify(body) : body)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
