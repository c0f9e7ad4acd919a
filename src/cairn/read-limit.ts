/** Limits the time for reading a source. Time for storing does not count, and stored entries stay. */

import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'

/** The longest time that a synchronous parser may block other work of this process. */
const TURN_EVERY_MS = 50

export const TOO_SLOW = {
  degraded: {
    reason: 'too_expensive',
    message: 'Reading took too long and was stopped; what was read up to then is stored.',
  },
  hint: 'Import it in smaller parts, or where it is, with `cairn import`.',
} as const

export class ReadLimit {
  /** Aborted when the time is up, or when the caller aborts. */
  readonly signal: AbortSignal
  readonly #end = new AbortController()
  #leftMs: number

  /** Null or 0: no limit. */
  constructor(limitMs: number | null, given: AbortSignal | undefined) {
    this.#leftMs = limitMs || Number.POSITIVE_INFINITY
    this.signal =
      given === undefined ? this.#end.signal : AbortSignal.any([given, this.#end.signal])
  }

  get isSpent(): boolean {
    return this.#end.signal.aborted
  }

  async *within<T>(entries: AsyncIterable<T>): AsyncGenerator<T, void> {
    const iterator = entries[Symbol.asyncIterator]()
    let turnMs = performance.now()
    try {
      for (;;) {
        const next = await this.#readNext(iterator)
        if (next === null || next.done) return
        yield next.value
        if (performance.now() - turnMs < TURN_EVERY_MS) continue
        await setImmediate()
        turnMs = performance.now()
      }
    } finally {
      await iterator.return?.()
    }
  }

  /** Null if the time is up. */
  async #readNext<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T> | null> {
    if (this.#leftMs === Number.POSITIVE_INFINITY) return iterator.next()
    if (this.#leftMs <= 0) this.#end.abort()
    if (this.isSpent) return null
    const startMs = performance.now()
    const timer = setTimeout(() => this.#end.abort(), this.#leftMs)
    try {
      return await iterator.next()
    } catch (error) {
      if (this.isSpent) return null
      throw error
    } finally {
      clearTimeout(timer)
      this.#leftMs -= performance.now() - startMs
    }
  }
}
