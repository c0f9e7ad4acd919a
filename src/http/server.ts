/** Runs the web server: checks each request, answers it with the API or the page, and stops in order. */

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import type { Cairn } from '../cairn/cairn.js'
import { createToken, deriveKey } from '../cairn/tokens.js'
import type { Caller } from '../core/caller.js'
import { badInput, CairnError } from '../core/errors.js'
import { type Log, silentLog } from '../core/log.js'
import { createApp } from './api.js'
import * as guard from './guard.js'
import { sweepLeftovers } from './import.js'
import { formatAddress, type HttpServing, listen, untilClosed } from './listen.js'
import { createMetrics, type Metrics } from './metrics.js'
import { findPageFiles } from './page.js'
import { describeProblem } from './problems.js'
import { LIMITS, type Limits } from './request.js'
import { isOpenPath } from './watching.js'

export { createMetrics }

const DEFAULT_HOST = '127.0.0.1'
/** Longer than a busy process may take to read what has come. */
const KEEP_ALIVE_MS = 60_000

/** Of a request to a path that needs no token: no namespace has this name. */
const NOBODY: Caller = { name: null, namespaces: [''], role: 'read' }

export type ServerOptions = {
  readonly cairn: Cairn
  /** 0 takes any that is free. */
  readonly port: number
  /** Default: 127.0.0.1. Any host beyond this machine needs a token. */
  readonly host?: string
  readonly token?: string | undefined
  /** Certificate and key, in PEM: then it speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** The name under which a reverse proxy on this machine serves it. Needs a token. */
  readonly trustProxy?: string | undefined
  readonly page?: string
  readonly log?: Log
  /** Requests a second of one caller; 0: no limit. Default: none without tokens, else 50. */
  readonly rate?: number | undefined
  readonly limits?: Partial<Limits>
  /** Counts requests; it may also count events from the log of the library. */
  readonly metrics?: Metrics
}

export type ServeOptions = Omit<ServerOptions, 'page'> & {
  /** Called once the server listens; with a token, the address holds it. */
  readonly onListening?: (at: { readonly url: string; readonly token: string | null }) => void
}

export async function runServe({ onListening, ...options }: ServeOptions): Promise<void> {
  const { host = DEFAULT_HOST, trustProxy } = options
  const isPrivate = guard.isLoopback(host) && trustProxy === undefined
  const isOpen = isPrivate && !(await options.cairn.tokens.any())
  const token = options.token ?? (isOpen ? undefined : createToken())
  const serving = await startServer({ ...options, token, page: findPage() })
  const closed = untilClosed(serving)
  const url = trustProxy === undefined ? serving.url : `https://${trustProxy}`
  onListening?.({
    url: token === undefined ? url : `${url}/?token=${encodeURIComponent(token)}`,
    token: token ?? null,
  })
  await closed
}

/** Beside the bundle, or in dist/ when the sources run by themselves. */
function findPage(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  const paths = ['page', '../page', '../../dist/page'].map((path) => join(here, path))
  return paths.find((path) => existsSync(path)) ?? ''
}

export async function startServer(options: ServerOptions): Promise<HttpServing> {
  const { cairn, host = DEFAULT_HOST, token, tls, trustProxy, log = silentLog } = options
  const limits = { ...LIMITS, ...options.limits }
  if (token !== undefined) guard.assertToken(token)
  else if (!guard.isLoopback(host) || trustProxy !== undefined) {
    throw badInput(
      `A server that others reach as "${trustProxy ?? host}" needs a token.`,
      'Give one with --token, or leave the host out to listen on this machine alone.',
    )
  }
  if (trustProxy !== undefined && !isHost(trustProxy)) {
    throw badInput(
      `"${trustProxy}" is not a name under which a proxy can serve it.`,
      'Give the host that people type, such as notes.example.org, without https:// and without a path.',
    )
  }
  const ownToken = token ?? createToken()
  const isOpen = token === undefined
  const authenticate = guard.createAuthenticate(async () => cairn, { token: ownToken, isOpen })
  const callers = new WeakMap<IncomingMessage, Caller>()
  if (options.rate !== undefined && !(options.rate >= 0)) {
    throw badInput('The rate is a number of requests a second.', 'Give 0 for no limit.')
  }
  const stopping = new AbortController()
  const metrics = options.metrics ?? createMetrics()
  const app = createApp({
    cairn,
    log,
    page: await findPageFiles(options.page ?? ''),
    limits,
    hasToken: token !== undefined,
    isProxied: trustProxy !== undefined,
    ownerCookie: () => guard.printCookie({ port, isSecure }, deriveKey(ownToken)),
    findCaller: (incoming) => callers.get(incoming) ?? NOBODY,
    rate: options.rate,
    metrics,
    stopping: stopping.signal,
  })
  const unreadable = describeProblem(badInput('The request cannot be read.'))
  const answer = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: () => Response.json(unreadable.body, { status: unreadable.status }),
  })
  const names = [hostname()]
  const isSecure = tls !== undefined || trustProxy !== undefined
  const active = new Set<ServerResponse>()
  let port = options.port
  const timeouts = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(5000, limits.headersMs),
  }
  const receive = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    active.add(outgoing)
    outgoing.once('close', () => active.delete(outgoing))
    const safety = guard.safetyHeaders(incoming.headers)
    for (const [name, value] of Object.entries(safety)) outgoing.setHeader(name, value)
    try {
      const { path } = guard.readTarget(incoming)
      if (stopping.signal.aborted && !isOpenPath(path)) throw stoppingNow()
      if (guard.isApiPath(path)) outgoing.setHeader('cache-control', 'no-store')
      if (!isOpenPath(path)) {
        const at = { host, port, names, proxied: trustProxy, isSecure }
        const admitted = await guard.admit(incoming, at, authenticate)
        if ('redirect' in admitted) {
          outgoing.writeHead(303, admitted.redirect).end()
          return
        }
        callers.set(incoming, admitted.caller)
      }
      void answer(incoming, outgoing)
    } catch (error) {
      const problem = describeProblem(error, cairn.file)
      const client = guard.findClient(incoming, trustProxy !== undefined)
      log('warn', 'http.refused', { status: problem.status, client })
      metrics.countRequest('refused', problem.status, 0)
      refuse(problem, incoming, outgoing)
    }
  }
  const server =
    tls === undefined
      ? createServer(timeouts, receive)
      : createSecure({ ...timeouts, ...tls }, receive)
  port = await listen(server, options.port, host)
  await sweepLeftovers()
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  const close = async (): Promise<void> => {
    if (!stopping.signal.aborted) {
      stopping.abort()
      cairn.stopSearches()
      server.close()
      const finish = async (): Promise<void> => {
        while (active.size > 0) {
          await Promise.allSettled([...active].map((response) => once(response, 'close')))
        }
      }
      await Promise.race([finish(), setTimeout(limits.graceMs, undefined, { ref: false })])
      server.closeAllConnections()
    }
    await closed
  }
  const url = formatAddress(host, port, tls === undefined ? 'http' : 'https')
  return { url, port, closed, close }
}

function isHost(name: string): boolean {
  const url = `https://${name}`
  return URL.canParse(url) && new URL(url).href === `${url.toLowerCase()}/`
}

function createSecure(...given: Parameters<typeof createSecureServer>) {
  try {
    return createSecureServer(...given)
  } catch (cause) {
    throw new CairnError('bad_input', {
      message: 'The certificate and the key cannot be used for TLS.',
      hint: 'Both are files in PEM form, and the key belongs to the certificate.',
      cause,
    })
  }
}

function stoppingNow(): CairnError {
  return new CairnError('closed', {
    message: 'The server is stopping.',
    hint: 'Try again when it has started again.',
  })
}

/** A person at a browser gets a sentence, a program the usual shape. */
function refuse(
  { status, body, headers }: ReturnType<typeof describeProblem>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const isPerson = /\btext\/html\b/.test(incoming.headers.accept ?? '')
  const { message, hint } = body.error
  const text = isPerson ? `${message} ${hint ?? ''}\n` : JSON.stringify(body)
  const type = isPerson ? 'text/plain; charset=utf-8' : 'application/json'
  // The body is not read, so nothing else can come over this connection.
  outgoing.writeHead(status, { ...headers, 'content-type': type, connection: 'close' }).end(text)
}
