/** Runs the web server: checks each request, answers it with the API or the page, and stops in order. */

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import type { Cairn } from '../cairn/cairn.js'
import { badInput } from '../core/errors.js'
import { type Log, silentLog } from '../core/log.js'
import { createApp } from './api.js'
import {
  admit,
  assertToken,
  createToken,
  isApiPath,
  isLoopback,
  readTarget,
  safetyHeaders,
} from './guard.js'
import { sweepUploads } from './import.js'
import { formatAddress, type HttpServing, listen, untilClosed } from './listen.js'
import { createMetrics, type Metrics } from './metrics.js'
import { findPageFiles } from './page.js'
import { describeProblem } from './problems.js'
import { LIMITS, type Limits } from './request.js'
import { isOpenPath } from './watching.js'

export { createMetrics }

const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 4747
/** Longer than a busy process may take to read what has come. */
const KEEP_ALIVE_MS = 60_000

export type ServerOptions = {
  readonly cairn: Cairn
  /** 0 takes any that is free. */
  readonly port: number
  /** Default: 127.0.0.1. Any host beyond this machine needs a token. */
  readonly host?: string
  readonly token?: string | undefined
  readonly page?: string
  readonly log?: Log
  readonly limits?: Partial<Limits>
  /** Where requests are counted; what the library tells its log may be counted there too. */
  readonly metrics?: Metrics
}

export type ServeOptions = Omit<ServerOptions, 'port' | 'page'> & {
  /** Default: 4747; 0 takes any that is free. */
  readonly port?: number | undefined
  /** Called once the server listens; with a token, the address holds it. */
  readonly onListening?: (at: { readonly url: string; readonly token: string | null }) => void
}

export async function runServe({ onListening, ...options }: ServeOptions): Promise<void> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = options
  const token = options.token ?? (isLoopback(host) ? undefined : createToken())
  const serving = await startServer({ ...options, port, token, page: findPage() })
  const closed = untilClosed(serving)
  onListening?.({
    url: token === undefined ? serving.url : `${serving.url}/?token=${encodeURIComponent(token)}`,
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
  const { cairn, host = DEFAULT_HOST, token, log = silentLog } = options
  const limits = { ...LIMITS, ...options.limits }
  if (token !== undefined) assertToken(token)
  else if (!isLoopback(host)) {
    throw badInput(
      `A server that listens on "${host}" needs a token.`,
      'Give one with --token, or leave the host out to listen on this machine alone.',
    )
  }
  const stopping = new AbortController()
  const app = createApp({
    cairn,
    log,
    page: await findPageFiles(options.page ?? ''),
    limits,
    hasToken: token !== undefined,
    metrics: options.metrics ?? createMetrics(),
    stopping: stopping.signal,
  })
  const unreadable = describeProblem(badInput('The request cannot be read.'), '')
  const answer = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: () => Response.json(unreadable.body, { status: unreadable.status }),
  })
  const names = [hostname()]
  const active = new Set<ServerResponse>()
  let port = options.port
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(5000, limits.headersMs),
    },
    (incoming, outgoing) => {
      active.add(outgoing)
      outgoing.once('close', () => active.delete(outgoing))
      const safety = safetyHeaders(incoming.headers)
      for (const [name, value] of Object.entries(safety)) outgoing.setHeader(name, value)
      if (stopping.signal.aborted) outgoing.setHeader('connection', 'close')
      try {
        const { path } = readTarget(incoming)
        if (isApiPath(path)) outgoing.setHeader('cache-control', 'no-store')
        const redirect = isOpenPath(path)
          ? null
          : admit(incoming, { host, port, names }, token ?? null)
        if (redirect === null) void answer(incoming, outgoing)
        else outgoing.writeHead(303, redirect).end()
      } catch (error) {
        const problem = describeProblem(error, cairn.file)
        log('warn', 'http.refused', { status: problem.status })
        refuse(problem, incoming, outgoing)
      }
    },
  )
  port = await listen(server, options.port, host)
  await sweepUploads()
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
  return { url: formatAddress(host, port), port, closed, close }
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
