/** However many ask at once, requests leave one after the other and no faster than agreed. */

import type { Timers } from './timers.js'

export type Pace = {
  /** Resolves when the next request may leave. */
  readonly turn: (signal?: AbortSignal) => Promise<void>
  /** Nothing leaves for this long: a server that asks one caller to wait means all of them. */
  readonly hold: (delayMs: number) => void
}

/** Each turn is reserved at once and slept for after, so callers that ask together get different moments. */
export function createPace(perSecond: number, { now, sleep }: Pick<Timers, 'now' | 'sleep'>): Pace {
  const spacingMs = 1000 / perSecond
  let freeAtMs = Number.NEGATIVE_INFINITY

  return {
    turn: async (signal) => {
      const nowMs = now()
      const atMs = Math.max(nowMs, freeAtMs)
      freeAtMs = atMs + spacingMs
      if (atMs > nowMs) await sleep(atMs - nowMs, signal)
    },
    hold: (delayMs) => {
      freeAtMs = Math.max(freeAtMs, now() + delayMs)
    },
  }
}
