/** A failed request is tried again politely: ever later, never all at once, and as the server asked. */

import { CairnError, type ErrorCode } from './errors.js'
import type { Timers } from './timers.js'

/** Why one try brought nothing, as the sentence and the next step that the caller would show. */
export type Failure = {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
  readonly isPassing: boolean
  readonly retryAfterMs: number | null
  readonly cause?: unknown
}

export type Attempt<T> =
  | { readonly kind: 'answer'; readonly answer: T }
  | { readonly kind: 'failure'; readonly failure: Failure }

export type Patience = {
  readonly world: Timers
  /** How often at most, the first try included. */
  readonly attempts: number
  readonly signal?: AbortSignal | undefined
}

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 8_000

/** Throws the last failure as a `CairnError`, or the signal's own reason when the caller gave up. */
export async function tryAgain<T>(
  attempt: () => Promise<Attempt<T>>,
  { world, attempts, signal }: Patience,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal?.throwIfAborted()
    const tried = await attempt()
    if (tried.kind === 'answer') return tried.answer
    const { code, message, hint, isPassing, retryAfterMs, cause } = tried.failure
    if (!isPassing || failures >= attempts) throw new CairnError(code, { message, hint, cause })
    await world.sleep(retryAfterMs ?? backoffMs(failures, world.random()), signal)
  }
}

/** Too many requests, a time-out, or trouble on the other side: worth another try. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

/** What `Retry-After` asks for in milliseconds (it comes as seconds or as a date), or null. */
export function readRetryAfter(
  header: string | null,
  { nowMs, longestMs }: { readonly nowMs: number; readonly longestMs: number },
): number | null {
  if (header === null) return null
  const text = header.trim()
  // A date begins with its weekday; Date.parse would also find a year in "-3".
  const isDate = /^[a-z]/i.test(text)
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  const delayMs = isDate ? Date.parse(text) - nowMs : seconds * 1000
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(delayMs, 0), longestMs)
}

/**
 * Doubling from a quarter of a second, half of it left to chance so that many clients do not return together.
 * By hand: after the second failure and chance .5, 500 · (½ + ½ · .5) = 375 ms.
 */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS)
  return full * (0.5 + random / 2)
}
