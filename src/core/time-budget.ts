/**
 * Limits the time of a search: its loops ask whether time is left, and `isCut` tells if one of them had to stop. A long
 * search pauses, so that a server can read requests and signals.
 */

/** The time between two pauses of a search with a limit. It grows with each pause, because each one repeats a little work. */
const FIRST_SLICE_MS = 100
const LONGEST_SLICE_MS = 300

/** Thrown by an operation that has to be repeated after a turn of the event loop. */
export class Paused extends Error {}

/** Thrown by an operation without a partial result when its time is up. */
export class OutOfTime extends Error {}

export class TimeBudget {
  readonly #timer: () => number
  #endMs = Number.POSITIVE_INFINITY
  #sliceMs = FIRST_SLICE_MS
  #sliceEndMs = 0
  #hasWorked = false
  #isStopped = false
  #isStrict = false
  #isCut = false

  constructor(timer: () => number) {
    this.#timer = timer
  }

  /** Null or 0: no limit. */
  start(limitMs: number | null): void {
    this.#endMs = limitMs ? this.#timer() + limitMs : Number.POSITIVE_INFINITY
    if (this.#isStopped) this.cancel()
    this.#isCut = false
    this.#sliceMs = FIRST_SLICE_MS / 2
    this.startSlice()
  }

  startSlice(): void {
    this.#sliceMs = Math.min(2 * this.#sliceMs, LONGEST_SLICE_MS)
    this.#sliceEndMs = this.#timer() + this.#sliceMs
    this.#hasWorked = false
  }

  /** Stops this search and later ones, if they have a limit. */
  stop(): void {
    this.#isStopped = true
    this.cancel()
  }

  /** Stops only this search. */
  cancel(): void {
    if (this.hasLimit) this.#endMs = Number.NEGATIVE_INFINITY
  }

  /** Gives `work` a limit of its own: it finishes in time or throws `OutOfTime`. */
  within<T>(limitMs: number, work: () => T): T {
    this.#endMs = this.#timer() + limitMs
    try {
      return this.strictly(work)
    } finally {
      this.start(null)
    }
  }

  /** In `work`, a check of the time throws `OutOfTime` if none is left. `work` does not pause. */
  strictly<T>(work: () => T): T {
    const before = this.#isStrict
    this.#isStrict = true
    try {
      return work()
    } finally {
      this.#isStrict = before
    }
  }

  /** Null if the time is up. */
  finishOrNull<T>(work: () => T): T | null {
    try {
      return this.strictly(work)
    } catch (error) {
      if (error instanceof OutOfTime) return null
      throw error
    }
  }

  /** Whether statements that return their first row late must check the clock. */
  get isStrict(): boolean {
    return this.#isStrict && this.hasLimit
  }

  get hasLimit(): boolean {
    return this.#endMs < Number.POSITIVE_INFINITY
  }

  get isPauseDue(): boolean {
    return this.hasLimit && this.#timer() >= this.#sliceEndMs
  }

  /** A loop that gets true stops with what it has. */
  isSpent(): boolean {
    return this.#isSpentAt(this.#timer())
  }

  /** The same after work whose result is cached. Throws `Paused` if a pause is due: each repetition gets further than the last. */
  isSpentAfterWork(): boolean {
    const nowMs = this.#timer()
    if (this.#isSpentAt(nowMs)) return true
    if (nowMs < this.#sliceEndMs || !this.hasLimit || this.#isStrict) return false
    if (this.#hasWorked) throw new Paused()
    // So far the time may have been spent on repeating.
    this.#hasWorked = true
    this.#sliceEndMs = nowMs + this.#sliceMs / 2
    return false
  }

  #isSpentAt(nowMs: number): boolean {
    if (nowMs < this.#endMs) return false
    this.#isCut = true
    if (this.#isStrict) throw new OutOfTime()
    return true
  }

  get isCut(): boolean {
    return this.#isCut
  }
}
