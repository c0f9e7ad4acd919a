/** However many ask at once, everything else in the process, such as an import, gets its turn in between. */

/** So many operations begin in one turn of the event loop; the others wait for the next ones, in their order. */
const PER_TURN = 25

export class Turns {
  readonly #waiting: (() => void)[] = []
  #begun = 0
  #isTicking = false

  /** Resolves when it is one's turn. */
  async take(): Promise<void> {
    this.#tick()
    if (this.#begun < PER_TURN && this.#waiting.length === 0) {
      this.#begun++
      return
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #tick(): void {
    if (this.#isTicking) return
    this.#isTicking = true
    setImmediate(() => {
      this.#isTicking = false
      const next = this.#waiting.splice(0, PER_TURN)
      this.#begun = next.length
      if (next.length > 0) this.#tick()
      for (const begin of next) begin()
    })
  }
}
