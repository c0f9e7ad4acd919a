/** Limits the time of a search: its loops ask whether time is left, and the answer says if one of them had to stop. */

export class TimeBudget {
  readonly #timer: () => number
  #endMs = Number.POSITIVE_INFINITY
  #isCut = false

  constructor(timer: () => number) {
    this.#timer = timer
  }

  /** Null or 0: no limit. */
  start(limitMs: number | null): void {
    this.#endMs = limitMs ? this.#timer() + limitMs : Number.POSITIVE_INFINITY
    this.#isCut = false
  }

  get hasLimit(): boolean {
    return this.#endMs < Number.POSITIVE_INFINITY
  }

  /** A loop that gets true stops with what it has. */
  isSpent(): boolean {
    if (this.#timer() < this.#endMs) return false
    this.#isCut = true
    return true
  }

  /** Whether a loop has stopped since the start. */
  get isCut(): boolean {
    return this.#isCut
  }
}
