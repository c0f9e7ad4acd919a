/** Limits what each caller may ask of a server: requests a second, and imports at a time. */

import { performance } from 'node:perf_hooks'
import type { App, AppContext, AppParts } from './api.js'
import { findClient, isApiPath } from './guard.js'
import { RequestError } from './problems.js'

/** Requests a second of each caller, where callers have tokens. */
export const DEFAULT_RATE = 50
export const MOST_IMPORTS = 2
/** A guess: the duration of an import is not known. */
const IMPORT_WAIT_SECONDS = 5
/** How many callers are remembered; the one with the oldest request is forgotten first. */
const MOST_CALLERS = 10_000

/** The name of the token, or the address of a client without one. */
export function nameCaller(context: AppContext, isProxied: boolean): string {
  const { name } = context.get('caller')
  return name === null ? findClient(context.env.incoming, isProxied) : `token ${name}`
}

export function addRateLimit(app: App, { rate, hasToken, isProxied }: AppParts): void {
  const perSecond = rate ?? DEFAULT_RATE
  if (perSecond === 0) return
  const take = createRateLimit(perSecond)
  app.use((context, next) => {
    const isLimited = rate !== undefined || hasToken || context.get('caller').name !== null
    if (!isLimited || !isApiPath(context.req.path)) return next()
    const waitMs = take(nameCaller(context, isProxied))
    if (waitMs === 0) return next()
    throw tooMany(`More than ${perSecond} requests a second came from one caller.`, waitMs / 1000)
  })
}

function tooMany(message: string, waitSeconds: number): RequestError {
  const seconds = Math.max(1, Math.ceil(waitSeconds))
  return new RequestError('too_many_requests', message, {
    hint: `Send it again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  })
}

/**
 * A token bucket for each caller: it holds the requests of one second, and fills again as fast as they may come. Takes one
 * and returns 0, or takes none and returns the milliseconds until there is one.
 */
export function createRateLimit(perSecond: number, timer = () => performance.now()) {
  const capacity = Math.max(1, perSecond)
  const fullAfterMs = (capacity / perSecond) * 1000
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  const forgetFull = (nowMs: number): void => {
    for (const [caller, { atMs }] of buckets) {
      if (nowMs - atMs < fullAfterMs && buckets.size < MOST_CALLERS) break
      buckets.delete(caller)
    }
  }
  return (caller: string): number => {
    const nowMs = timer()
    const { tokens, atMs } = buckets.get(caller) ?? { tokens: capacity, atMs: nowMs }
    const filled = Math.min(capacity, tokens + ((nowMs - atMs) * perSecond) / 1000)
    // Last in the map, so that the first are those who were quiet for longest.
    buckets.delete(caller)
    forgetFull(nowMs)
    buckets.set(caller, { tokens: filled >= 1 ? filled - 1 : filled, atMs: nowMs })
    return filled >= 1 ? 0 : ((1 - filled) / perSecond) * 1000
  }
}

/** Counts the running imports of each caller. The returned function starts one and returns the function that ends it. */
export function createImportLimit() {
  const running = new Map<string, number>()
  return (caller: string): (() => void) => {
    const count = running.get(caller) ?? 0
    if (count >= MOST_IMPORTS) {
      throw tooMany(`${count} imports of one caller are running already.`, IMPORT_WAIT_SECONDS)
    }
    running.set(caller, count + 1)
    return () => {
      const left = (running.get(caller) ?? 1) - 1
      if (left === 0) running.delete(caller)
      else running.set(caller, left)
    }
  }
}
