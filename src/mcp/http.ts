/** Several clients of this machine, each with a session of its own, and none without the token. */

import { randomUUID } from 'node:crypto'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Cairn } from '../cairn/cairn.js'
import { type Log, silentLog } from '../core/log.js'
import { addressOf, listen } from '../http/listen.js'
import { Conversation } from './conversation.js'
import { assertSafe, MAX_BODY_BYTES, PATH, refusalOf, tooLarge } from './http-guard.js'
import { sendError, sendRefusal, sendWebResponse, toWebRequest } from './node-http.js'
import { createServer } from './server.js'
import type { Serving } from './stdio.js'

/** A client that is silent for this long is gone; its session ends. */
const IDLE_MS = 30 * 60_000

export type HttpOptions = {
  /** An open library, or what opens one at the first call. */
  readonly cairn: Cairn | (() => Promise<Cairn>)
  /** 0 takes any that is free. */
  readonly port: number
  /** At least 16 characters; see `createToken`. */
  readonly token: string
  /** A name of this machine. Default: 127.0.0.1. */
  readonly host?: string
  readonly log?: Log
  readonly budget?: number | undefined
  readonly idleMs?: number
}

export type HttpServing = Serving & { readonly url: string; readonly port: number }

export async function startHttp(options: HttpOptions): Promise<HttpServing> {
  const { token, host = '127.0.0.1', log = silentLog } = options
  assertSafe(host, token)
  const clients = new Clients(options)
  const server = createHttpServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const refusal = refusalOf(request, port, token)
    if (refusal !== null) {
      log('warn', 'mcp.http.refused', { status: refusal.status })
      sendRefusal(refusal, response)
      return
    }
    clients.answer(request, response).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      log('error', 'mcp.http', { reason })
      if (!response.headersSent) sendError({ status: 500, code: -32603, message: reason }, response)
      else response.destroy()
    })
  })
  const port = await listen(server, options.port, host)
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  const sweep = setInterval(() => void clients.endIdle(), 60_000)
  sweep.unref()
  return {
    url: `${addressOf(host, port)}${PATH}`,
    port,
    closed,
    close: async () => {
      clearInterval(sweep)
      server.close()
      await clients.endAll()
      server.closeAllConnections()
      await closed
    },
  }
}

type Client = {
  readonly conversation: Conversation
  readonly transport: WebStandardStreamableHTTPServerTransport | null
  lastMs: number
}

/** Those who are connected: by session id, or by name where the protocol has no sessions. */
class Clients {
  readonly #open: () => Promise<Cairn>
  readonly #log: Log
  readonly #budget: number | undefined
  readonly #idleMs: number
  readonly #clients = new Map<string, Client>()
  readonly #modern

  constructor({ cairn, budget, log = silentLog, idleMs = IDLE_MS }: HttpOptions) {
    this.#open = typeof cairn === 'function' ? cairn : async () => cairn
    this.#log = log
    this.#budget = budget
    this.#idleMs = idleMs
    this.#modern = createMcpHandler(
      () => createServer({ conversationOf: (name) => this.#named(name), budget, log }),
      { legacy: 'reject', maxRequestBodySize: MAX_BODY_BYTES },
    )
  }

  async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const hangUp = new AbortController()
    outgoing.once('close', () => hangUp.abort())
    const request = await toWebRequest(incoming, hangUp.signal)
    if (request === null) {
      sendRefusal(tooLarge(), outgoing)
      return
    }
    const response = (await isLegacyRequest(request))
      ? await this.#inSession(request)
      : await this.#modern.fetch(request)
    sendWebResponse(response, outgoing)
  }

  async endIdle(): Promise<void> {
    const before = Date.now() - this.#idleMs
    const idle = [...this.#clients].filter(([, { lastMs }]) => lastMs < before)
    for (const [id] of idle) await this.#end(id)
  }

  async endAll(): Promise<void> {
    await this.#modern.close()
    for (const id of [...this.#clients.keys()]) await this.#end(id)
  }

  /** The protocol up to 2025: a session begins with `initialize`. */
  async #inSession(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : this.#clients.get(id)
    if (known?.transport) {
      known.lastMs = Date.now()
      return known.transport.handleRequest(request)
    }
    if (id !== null) {
      const error = { code: -32001, message: 'This session has ended: initialize again.' }
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 })
    }
    return (await this.#begin()).handleRequest(request)
  }

  async #begin(): Promise<WebStandardStreamableHTTPServerTransport> {
    let name: string | null = null
    const conversation = this.#converse(() => name)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized: (id) =>
        void this.#clients.set(id, { conversation, transport, lastMs: Date.now() }),
      onsessionclosed: (id) => this.#end(id),
    })
    const conversationOf = (client: string | null): Conversation => {
      name ??= client
      return conversation
    }
    await createServer({ conversationOf, budget: this.#budget, log: this.#log }).connect(transport)
    return transport
  }

  /** From 2026 on every request stands alone: those of one program are one conversation until it falls silent. */
  #named(name: string | null): Conversation {
    const key = `client ${name ?? ''}`
    const known = this.#clients.get(key)
    const client = known ?? {
      conversation: this.#converse(() => name),
      transport: null,
      lastMs: 0,
    }
    client.lastMs = Date.now()
    this.#clients.set(key, client)
    return client.conversation
  }

  #converse(client: () => string | null): Conversation {
    return new Conversation({ open: this.#open, client, log: this.#log })
  }

  async #end(id: string): Promise<void> {
    const client = this.#clients.get(id)
    if (client === undefined) return
    this.#clients.delete(id)
    await client.conversation.end()
    await client.transport?.close()
  }
}
