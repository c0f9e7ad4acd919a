/** Adds health checks, metrics, and a line in the log for every request. */

import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import type { Cairn } from '../cairn/cairn.js'
import { assertRole } from '../core/caller.js'
import type { App, AppContext, AppParts } from './api.js'
import { findClient } from './guard.js'
import { RequestError } from './problems.js'

const WATCHING_PATHS = ['/healthz', '/readyz', '/metrics'] as const

/** These need no token: they reveal nothing about the stored records. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

export function isOpenPath(path: string): boolean {
  return OPEN_PATHS.has(path)
}

const GIVEN_ID = /^[\w.:-]{1,100}$/

/** Before all other routes. A line names the path without its query, which may hold the text of a search. */
export function addRequestLog(app: App, { log, metrics, isProxied }: AppParts): void {
  app.use(async (context, next) => {
    const startMs = performance.now()
    const given = context.req.header('x-request-id') ?? ''
    const id = GIVEN_ID.test(given) ? given : randomUUID()
    await next()
    context.header('x-request-id', id)
    const ms = performance.now() - startMs
    const { method, path } = context.req
    const { status } = context.res
    const operation = findOperation(context)
    metrics.countRequest(operation, status, ms / 1000)
    const client = findClient(context.env.incoming, isProxied)
    const times = { operation, status, ms: Math.round(ms) }
    log('info', 'http.request', { id, client, method, path, ...times })
  })
}

/** `search`, or the kind of the path if it is no operation. */
function findOperation(context: AppContext): string {
  const { path } = context.req
  const known = WATCHING_PATHS.find((one) => one === path)
  return context.get('operation') ?? known ?? (path.startsWith('/api/') ? 'unknown' : 'page')
}

export function addWatching(app: App, { cairn, metrics, stopping }: AppParts): void {
  app.get('/healthz', (context) => context.json({ alive: true }))
  app.get('/readyz', async (context) => {
    const checks = await checkParts(cairn)
    const isReady = checks.database === 'ok' && !stopping.aborted
    return context.json({ ready: isReady, checks }, isReady ? 200 : 503)
  })
  app.get('/metrics', async (context) => {
    const caller = context.get('caller')
    assertRole(caller, 'admin')
    if (caller.namespaces !== null) {
      throw new RequestError('forbidden', 'The figures are of every namespace, and yours are some.')
    }
    const { records, vectors, waiting, bytes, walBytes, connections } = await cairn.figures()
    const text = metrics.print({
      cairn_records: records,
      cairn_vectors: vectors,
      cairn_vectors_waiting: waiting,
      cairn_database_bytes: bytes,
      ...(walBytes !== null && { cairn_wal_bytes: walBytes }),
      ...(connections !== null && {
        cairn_connections: connections.open,
        cairn_connections_idle: connections.idle,
        cairn_connections_awaited: connections.waiting,
      }),
      cairn_process_resident_bytes: process.memoryUsage.rss(),
    })
    return context.body(text, 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
  })
}

/**
 * A database that opens has the tables of this version. Without its model a server still answers by keywords, so it is
 * ready. Problems are not explained, because anyone may ask.
 */
async function checkParts(cairn: Cairn) {
  try {
    const { degraded } = await cairn.search({ query: 'ready', limit: 1, rerank: 'off' })
    const isWithout = degraded?.reason === 'embedder_unavailable'
    return { database: 'ok', migrations: 'ok', model: isWithout ? 'unavailable' : 'ok' }
  } catch {
    return { database: 'unavailable', migrations: 'unknown', model: 'unknown' }
  }
}
