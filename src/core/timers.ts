/** Time and chance are things that are handed in, so that a test can own them. */

import { setTimeout as wait } from 'node:timers/promises'

export type Timers = {
  readonly now: () => number
  readonly random: () => number
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>
}

export const REAL_TIMERS: Timers = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (delayMs, signal) => {
    try {
      await wait(delayMs, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      // Node wraps the reason of whoever gave up in an error of its own.
      signal?.throwIfAborted()
      throw error
    }
  },
}
