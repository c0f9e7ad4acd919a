/** Limits the reads of one call: by time, and while its caller still waits for the answer. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { CairnError } from './errors.js'

export type CallLimit = {
  /** The total time of the reads, without the time spent waiting for others; null or 0: no limit. */
  readonly timeLimitMs: number | null
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal
}

export type LimitedCall = {
  leftMs: number
  readonly signal: AbortSignal
}

export function createCallLimits() {
  const calls = new AsyncLocalStorage<LimitedCall & { isOver: boolean }>()
  return {
    async run<T>({ timeLimitMs, signal }: CallLimit, work: () => Promise<T>): Promise<T> {
      const call = { leftMs: timeLimitMs || Number.POSITIVE_INFINITY, signal, isOver: false }
      try {
        return await calls.run(call, work)
      } finally {
        call.isOver = true
      }
    },
    /** The running call. Null for work after its answer, such as logging a recall, which has no limit. */
    current(): LimitedCall | null {
      const call = calls.getStore()
      if (call === undefined || call.isOver) return null
      if (call.signal.aborted) throw cancelled()
      return call
    },
  }
}

export type CallLimits = ReturnType<typeof createCallLimits>

export function tooExpensive(cause?: unknown): CairnError {
  return new CairnError('too_expensive', {
    message: 'This took longer than the server allows and was stopped.',
    hint: 'Ask for less: a smaller limit, a filter, or a shorter period.',
    ...(cause !== undefined && { cause }),
  })
}

export function cancelled(cause?: unknown): CairnError {
  return new CairnError('cancelled', {
    message: 'The caller is gone, so this was stopped.',
    ...(cause !== undefined && { cause }),
  })
}
