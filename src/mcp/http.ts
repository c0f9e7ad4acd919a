/** Serves several MCP clients of this machine over HTTP, each with a session of its own and none without the token. */

import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Cairn } from '../cairn/cairn.js'
import { badInput } from '../core/errors.js'
import { type Log, silentLog } from '../core/log.js'
import {
  assertHost,
  assertLocalOrigin,
  assertToken,
  hasBearer,
  isLoopback,
  type ListeningHost,
  splitUrl,
} from '../http/guard.js'
import { formatAddress, type HttpServing, listen } from '../http/listen.js'
import { describeProblem, RequestError } from '../http/problems.js'
import { Conversation } from './conversation.js'
import { createServer } from './server.js'

const MAX_BODY_BYTES = 4 * 1024 * 1024
/** The only path that is served. */
const PATH = '/mcp'
/** After so long without a request a client is gone, and its session ends. */
const IDLE_MS = 30 * 60_000

export type HttpOptions = {
  /** An open library, or a function that opens one at the first call. */
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

export async function startHttp(options: HttpOptions): Promise<HttpServing> {
  const { token, host = '127.0.0.1', log = silentLog } = options
  if (!isLoopback(host)) {
    throw badInput(
      `The server listens on this machine alone, and not on "${host}".`,
      'Leave the host out; reach it from elsewhere through an SSH tunnel.',
    )
  }
  assertToken(token)
  const clients = new Clients(options)
  const answer = getRequestListener((request) => clients.answer(request), {
    overrideGlobalObjects: false,
    errorHandler: (error) => {
      const message = error instanceof Error ? error.message : String(error)
      log('error', 'mcp.http', { reason: message })
      return Response.json(jsonRpcError(-32603, message), { status: 500 })
    },
  })
  const server = createHttpServer((incoming, outgoing) => {
    const { port } = server.address() as AddressInfo
    try {
      admit(incoming, { host, port }, token)
    } catch (error) {
      const { status, headers, body } = describeProblem(error, '')
      log('warn', 'mcp.http.refused', { status })
      const { message, hint } = body.error
      const type = { 'content-type': 'application/json', connection: 'close' }
      outgoing.writeHead(status, { ...headers, ...type })
      outgoing.end(JSON.stringify(jsonRpcError(-32000, [message, hint ?? ''].join(' ').trim())))
      return
    }
    void answer(incoming, outgoing)
  })
  const port = await listen(server, options.port, host)
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  const sweep = setInterval(() => void clients.endIdle(), 60_000)
  sweep.unref()
  return {
    url: `${formatAddress(host, port)}${PATH}`,
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

/** Throws a `RequestError` where the request is refused before anything of its body is read. */
function admit({ headers, url = '' }: IncomingMessage, at: ListeningHost, token: string): void {
  assertHost(headers, at)
  assertLocalOrigin(headers)
  if (splitUrl(url).path !== PATH) {
    throw new RequestError('not_found', `There is nothing here; the server is at ${PATH}.`)
  }
  if (!hasBearer(headers, token)) {
    throw new RequestError('unauthorized', 'The token is missing or wrong.', {
      hint: 'Send "Authorization: Bearer TOKEN".',
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    throw new RequestError('too_large', `A request has at most ${MAX_BODY_BYTES} bytes.`)
  }
}

/** An error in the form of the protocol, so that a client can show it. */
function jsonRpcError(code: number, message: string) {
  return { jsonrpc: '2.0', id: null, error: { code, message } }
}

type Client = {
  readonly conversation: Conversation
  readonly transport: WebStandardStreamableHTTPServerTransport | null
  lastMs: number
}

/** The connected clients: by session id, or by name where the protocol has no sessions. */
class Clients {
  readonly #options: HttpOptions
  readonly #clients = new Map<string, Client>()
  readonly #modern

  constructor(options: HttpOptions) {
    this.#options = options
    this.#modern = createMcpHandler(() => this.#createServer((name) => this.#findByName(name)), {
      legacy: 'reject',
      maxRequestBodySize: MAX_BODY_BYTES,
    })
  }

  async answer(request: Request): Promise<Response> {
    const limit = { maxRequestBodySize: MAX_BODY_BYTES }
    const isLegacy = await isLegacyRequest(request, undefined, limit)
    return isLegacy ? this.#answerInSession(request) : this.#modern.fetch(request)
  }

  async endIdle(): Promise<void> {
    const before = Date.now() - (this.#options.idleMs ?? IDLE_MS)
    const idle = [...this.#clients].filter(([, { lastMs }]) => lastMs < before)
    for (const [id] of idle) await this.#end(id)
  }

  async endAll(): Promise<void> {
    await this.#modern.close()
    for (const id of [...this.#clients.keys()]) await this.#end(id)
  }

  /** The protocol up to 2025: a session starts with `initialize`. */
  async #answerInSession(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : this.#clients.get(id)
    if (known?.transport) {
      known.lastMs = Date.now()
      return known.transport.handleRequest(request)
    }
    if (id !== null) {
      const message = 'This session has ended: initialize again.'
      return Response.json(jsonRpcError(-32001, message), { status: 404 })
    }
    return (await this.#startSession()).handleRequest(request)
  }

  async #startSession(): Promise<WebStandardStreamableHTTPServerTransport> {
    let name: string | null = null
    const conversation = this.#createConversation(() => name)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized: (id) =>
        void this.#clients.set(id, { conversation, transport, lastMs: Date.now() }),
      onsessionclosed: (id) => this.#end(id),
    })
    const conversationFor = (client: string | null): Conversation => {
      name ??= client
      return conversation
    }
    await this.#createServer(conversationFor).connect(transport)
    return transport
  }

  /** From 2026 on every request stands alone: those of one program are one conversation until it is idle. */
  #findByName(name: string | null): Conversation {
    const key = `client ${name ?? ''}`
    const { conversation } = this.#clients.get(key) ?? {
      conversation: this.#createConversation(() => name),
    }
    this.#clients.set(key, { conversation, transport: null, lastMs: Date.now() })
    return conversation
  }

  #createServer(conversationFor: (client: string | null) => Conversation) {
    const { budget, log = silentLog } = this.#options
    return createServer({ conversationFor, budget, log })
  }

  #createConversation(client: () => string | null): Conversation {
    const { cairn, log = silentLog } = this.#options
    const open = typeof cairn === 'function' ? cairn : async () => cairn
    return new Conversation({ open, client, log })
  }

  async #end(id: string): Promise<void> {
    const client = this.#clients.get(id)
    if (client === undefined) return
    this.#clients.delete(id)
    await client.conversation.end()
    await client.transport?.close()
  }
}
