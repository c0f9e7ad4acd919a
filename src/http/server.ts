/** One process answers programs and the page, refuses who may not ask, and ends what it began before it ends. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import { getRequestListener } from '@hono/node-server'
import type { Cairn } from '../cairn/cairn.js'
import { badInput } from '../core/errors.js'
import { type Log, silentLog } from '../core/log.js'
import { createApp } from './app.js'
import { createGuard, isForPrograms, splitUrl } from './guard.js'
import { NO_STORE, SAFETY_HEADERS } from './headers.js'
import { isLoopback } from './hosts.js'
import { sweepUploads } from './import.js'
import { addressOf, listen } from './listen.js'
import { findPageFiles } from './page.js'
import { type Problem, problemOf } from './problems.js'
import { assertToken } from './token.js'

const MB = 1024 * 1024
/** Longer than any stretch in which a busy process does not get to read what has come. */
const KEEP_ALIVE_MS = 60_000

export type ServerOptions = {
  readonly cairn: Cairn
  /** 0 takes any that is free. */
  readonly port: number
  /** Default: 127.0.0.1. Beyond this machine a token is needed. */
  readonly host?: string
  readonly token?: string | undefined
  /** The folder of the built page. */
  readonly page?: string
  readonly log?: Log
  readonly limits?: Partial<Limits>
}

export type Limits = {
  readonly bodyBytes: number
  readonly uploadBytes: number
  readonly uploadFiles: number
  /** For a whole body of JSON, and for how long an upload may stall. */
  readonly bodyMs: number
  readonly headersMs: number
  /** For a whole request, uploads among them. */
  readonly requestMs: number
  /** How long what was accepted may take once the server is told to end. */
  readonly graceMs: number
}

const LIMITS: Limits = {
  bodyBytes: 16 * MB,
  uploadBytes: 200 * MB,
  uploadFiles: 10_000,
  bodyMs: 30_000,
  headersMs: 10_000,
  requestMs: 30 * 60_000,
  graceMs: 15_000,
}

export type Serving = {
  readonly url: string
  readonly port: number
  /** Accepts nothing more, finishes what was accepted, and ends. */
  close(): Promise<void>
  readonly closed: Promise<void>
}

export async function startServer(options: ServerOptions): Promise<Serving> {
  const { cairn, host = '127.0.0.1', token, log = silentLog } = options
  const limits = { ...LIMITS, ...options.limits }
  assertSafe(host, token)
  const stopping = new AbortController()
  const app = createApp({
    cairn,
    log,
    page: await findPageFiles(options.page ?? ''),
    body: { maxBytes: limits.bodyBytes, timeoutMs: limits.bodyMs },
    upload: {
      maxBytes: limits.uploadBytes,
      maxFiles: limits.uploadFiles,
      stallMs: limits.bodyMs,
    },
    hasToken: token !== undefined,
    stopping: stopping.signal,
  })
  const admit = createGuard({ host, names: [hostname()], token: token ?? null })
  const answer = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: () =>
      Response.json(problemOf(badInput('The request cannot be read.'), '').body, { status: 400 }),
  })
  const underWay = new UnderWay()
  let port = options.port
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(5000, limits.headersMs),
    },
    (incoming, outgoing) => {
      underWay.add(outgoing)
      prepare(incoming, outgoing, stopping.signal.aborted)
      try {
        const admission = admit(incoming, port)
        if (admission.kind === 'enter') return void answer(incoming, outgoing)
        outgoing.writeHead(303, { location: admission.to, 'set-cookie': admission.cookie }).end()
      } catch (error) {
        const problem = problemOf(error, cairn.file)
        log('warn', 'http.refused', { status: problem.status })
        refuse(problem, incoming, outgoing)
      }
    },
  )
  port = await listen(server, options.port, host)
  await sweepUploads(isAlive)
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  const close = async (): Promise<void> => {
    if (!stopping.signal.aborted) {
      stopping.abort()
      await end(server, underWay, limits.graceMs)
    }
    await closed
  }
  return { url: addressOf(host, port), port, closed, close }
}

function assertSafe(host: string, token: string | undefined): void {
  if (token !== undefined) assertToken(token)
  else if (!isLoopback(host)) {
    throw badInput(
      `A server that listens on "${host}" needs a token.`,
      'Give one with --token, or leave the host out to listen on this machine alone.',
    )
  }
}

function prepare(incoming: IncomingMessage, outgoing: ServerResponse, isStopping: boolean): void {
  for (const [name, value] of Object.entries(SAFETY_HEADERS)) outgoing.setHeader(name, value)
  const { path } = splitUrl(incoming.url ?? '/')
  if (isForPrograms(path)) {
    for (const [name, value] of Object.entries(NO_STORE)) outgoing.setHeader(name, value)
  }
  if (isStopping) outgoing.setHeader('connection', 'close')
}

/** A person at a browser gets a sentence, a program the usual shape. */
function refuse(
  { status, body, headers }: Problem,
  incoming: IncomingMessage,
  to: ServerResponse,
): void {
  const isPerson = /\btext\/html\b/.test(incoming.headers.accept ?? '')
  const { message, hint } = body.error
  const text = isPerson ? `${message} ${hint ?? ''}\n` : JSON.stringify(body)
  const type = isPerson ? 'text/plain; charset=utf-8' : 'application/json'
  // The body is not read, so nothing else can come over this connection.
  to.writeHead(status, { ...headers, 'content-type': type, connection: 'close' }).end(text)
}

/** What was accepted and has no whole answer yet. */
class UnderWay {
  readonly #answers = new Set<ServerResponse>()
  #whenNone: (() => void) | null = null

  add(answer: ServerResponse): void {
    this.#answers.add(answer)
    answer.once('close', () => {
      this.#answers.delete(answer)
      if (this.#answers.size === 0) this.#whenNone?.()
    })
  }

  async none(): Promise<void> {
    if (this.#answers.size === 0) return
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve
    })
  }
}

async function end(server: Server, underWay: UnderWay, graceMs: number): Promise<void> {
  server.close()
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([underWay.none(), patience])
  clearTimeout(timer)
  server.closeAllConnections()
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
