/** Serves several MCP clients of this machine over HTTP, each with a session of its own and none without a token. */

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
import { createToken } from '../cairn/tokens.js'
import type { Caller } from '../core/caller.js'
import { type Log, silentLog } from '../core/log.js'
import * as guard from '../http/guard.js'
import { formatAddress, type HttpServing, listen } from '../http/listen.js'
import { describeProblem, RequestError } from '../http/problems.js'
import type { ServerSettings } from './call-tool.js'
import { Conversation } from './conversation.js'
import { createServer } from './server.js'

const MAX_BODY_BYTES = 4 * 1024 * 1024
const HOST = '127.0.0.1'
/** The only path that is served. */
const PATH = '/mcp'
/** After this time without a request, a client is gone and its session ends. */
const IDLE_MS = 30 * 60_000

export type HttpOptions = ServerSettings & {
  readonly open: () => Promise<Cairn>
  /** 0 takes any that is free. */
  readonly port: number
  /** At least 16 characters. Default: a new one. */
  readonly token?: string | undefined
  readonly log?: Log
}

/** Listens on this machine alone; clients elsewhere connect through an SSH tunnel. */
export async function startHttp(
  options: HttpOptions,
): Promise<HttpServing & { readonly token: string }> {
  const { token = createToken(), log = silentLog } = options
  guard.assertToken(token)
  const authenticate = guard.createAuthenticate(options.open, { token, isOpen: false })
  const callers = new Map<string, Clients>()
  /** No caller can use the sessions of another. */
  const findClients = (caller: Caller, asked: string | undefined): Clients => {
    const namespace = caller.namespaces?.find((one) => one === asked)
    const key = JSON.stringify([caller, namespace])
    const open = async (): Promise<Cairn> => (await options.open()).as(caller, namespace)
    const clients = callers.get(key) ?? new Clients({ ...options, open, log })
    callers.set(key, clients)
    return clients
  }
  const admitted = new WeakMap<object, Clients>()
  const answer = getRequestListener((request, env) => admitted.get(env.incoming)?.answer(request), {
    overrideGlobalObjects: false,
    errorHandler: (error) => {
      const message = error instanceof Error ? error.message : String(error)
      log('error', 'mcp.http', { reason: message })
      return Response.json(jsonRpcError(-32603, message), { status: 500 })
    },
  })
  const server = createHttpServer(async (incoming, outgoing) => {
    const { port } = server.address() as AddressInfo
    try {
      const caller = await admit(incoming, port, authenticate)
      admitted.set(incoming, findClients(caller, guard.readNamespace(incoming.headers)))
    } catch (error) {
      const { status, headers, body } = describeProblem(error)
      log('warn', 'mcp.http.refused', { status })
      const { message, hint } = body.error
      const type = { 'content-type': 'application/json', connection: 'close' }
      outgoing.writeHead(status, { ...headers, ...type })
      outgoing.end(JSON.stringify(jsonRpcError(-32000, `${message} ${hint ?? ''}`.trim())))
      return
    }
    void answer(incoming, outgoing)
  })
  const port = await listen(server, options.port, HOST)
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  const sweep = setInterval(() => {
    for (const clients of callers.values()) void clients.endIdle()
  }, 60_000)
  sweep.unref()
  const close = async (): Promise<void> => {
    clearInterval(sweep)
    server.close()
    await Promise.all([...callers.values()].map((clients) => clients.endAll()))
    server.closeAllConnections()
    await closed
  }
  return { url: `${formatAddress(HOST, port)}${PATH}`, port, token, closed, close }
}

/** Throws a `RequestError` if the request is refused. Its body is not read. */
async function admit(
  incoming: IncomingMessage,
  port: number,
  authenticate: guard.Authenticate,
): Promise<Caller> {
  const { headers } = incoming
  guard.assertHost(headers, { host: HOST, port })
  guard.assertLocalOrigin(headers)
  if (guard.readTarget(incoming).path !== PATH) {
    throw new RequestError('not_found', `There is nothing here; the server is at ${PATH}.`)
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    throw new RequestError('too_large', `A request has at most ${MAX_BODY_BYTES} bytes.`)
  }
  const caller = await authenticate(guard.readBearer(headers))
  if (caller === null) throw guard.unauthorized('Send "Authorization: Bearer TOKEN".')
  return caller
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

/** The connected clients: by session id, or by name if the protocol has no sessions. */
class Clients {
  readonly #clients = new Map<string, Client>()
  readonly #options: HttpOptions & { readonly log: Log }
  readonly #modern = createMcpHandler(() => this.#createServer((name) => this.#findByName(name)), {
    legacy: 'reject',
    maxRequestBodySize: MAX_BODY_BYTES,
  })

  constructor(options: HttpOptions & { readonly log: Log }) {
    this.#options = options
  }

  async answer(request: Request): Promise<Response> {
    const limit = { maxRequestBodySize: MAX_BODY_BYTES }
    const isLegacy = await isLegacyRequest(request, undefined, limit)
    return isLegacy ? this.#answerInSession(request) : this.#modern.fetch(request)
  }

  async endIdle(): Promise<void> {
    const before = Date.now() - IDLE_MS
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
    const conversation = new Conversation(this.#options.open, this.#options.log)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized: (id) =>
        void this.#clients.set(id, { conversation, transport, lastMs: Date.now() }),
      onsessionclosed: (id) => this.#end(id),
    })
    await this.#createServer((name) => conversation.withAuthor(name)).connect(transport)
    return transport.handleRequest(request)
  }

  #createServer(conversationFor: (client: string | null) => Conversation) {
    return createServer({ ...this.#options, conversationFor })
  }

  /** From 2026 on every request stands alone: those of one program are one conversation until it is idle. */
  #findByName(name: string | null): Conversation {
    const key = `client ${name ?? ''}`
    const { open, log } = this.#options
    const conversation = this.#clients.get(key)?.conversation ?? new Conversation(open, log, name)
    this.#clients.set(key, { conversation, transport: null, lastMs: Date.now() })
    return conversation
  }

  async #end(id: string): Promise<void> {
    const client = this.#clients.get(id)
    if (client === undefined) return
    this.#clients.delete(id)
    await client.conversation.end()
    await client.transport?.close()
  }
}
