/** Promise: a failed request is tried again politely: ever later, never all at once, and as the server asked. */

import { setTimeout as wait } from 'node:timers/promises'

/** Time and chance, so that a test can own them. */
export type World = {
  readonly now: () => number
  readonly random: () => number
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>
}

export const REAL_WORLD: World = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (delayMs, signal) => {
    await wait(delayMs, undefined, signal === undefined ? {} : { signal })
  },
}

export const ATTEMPTS = 4
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 8_000
/** A server may ask for an hour; a person waiting for an answer will not give it one. */
export const LONGEST_RETRY_AFTER_MS = 30_000

/** Too many requests, a time-out, or trouble on the other side: worth another try. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

/** What `Retry-After` asks for in milliseconds (it comes as seconds or as a date), or null. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  const delayMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(delayMs, 0), LONGEST_RETRY_AFTER_MS)
}

/**
 * Doubling from a quarter of a second, half of it left to chance so that many clients do not return together.
 * By hand: after the second failure and chance .5, 500 · (½ + ½ · .5) = 375 ms.
 */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS)
  return full * (0.5 + random / 2)
}
