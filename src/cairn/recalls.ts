/** A recall is written after its answer was given, never delays it, and is never lost at exit. */

import type { SearchAnswer } from '../core/answer.js'
import type { Log } from '../core/log.js'
import type { SearchInput } from '../schemas/search-request.js'
import type { Recall } from '../storage/memory.js'
import type { Storage } from '../storage/storage.js'

export type RecallParts = {
  readonly storage: Storage
  readonly log: Log
  readonly now: () => number
  readonly reinforcement: number
  readonly decay: number
  /** Runs this when the process ends on its own; gives what takes that back. */
  readonly onExit: (finish: () => void) => () => void
}

/** Holds what is still to be written. */
export class Recalls {
  readonly #parts: RecallParts
  readonly #waiting = new Set<Recall>()
  #writing: Promise<void> = Promise.resolve()
  #forgetExit: (() => void) | null = null

  constructor(parts: RecallParts) {
    this.#parts = parts
  }

  /** Notes what a search gave; it is written once whoever asked has had the answer. */
  add(sessionId: string, request: SearchInput, { query, hits }: SearchAnswer): void {
    const { now, reinforcement, decay } = this.#parts
    const recall: Recall = {
      sessionId,
      atMs: now(),
      query: query.text,
      lens: query.lens,
      request: { ...request },
      hits: hits.map(({ id, score, facts }) => ({
        id,
        score,
        facts: facts.map((fact) => fact.id),
      })),
      reinforcement,
      decay,
    }
    this.#waiting.add(recall)
    this.#forgetExit ??= this.#parts.onExit(() => this.#flush())
    this.#writing = this.#writing.then(
      () => new Promise((done) => setImmediate(() => this.#write(recall).then(done))),
    )
  }

  /** Resolves when everything is written. */
  async settled(): Promise<void> {
    await this.#writing
  }

  /** For a process that ends at once: a write to SQLite is done by the time it has been asked for. */
  #flush(): void {
    for (const recall of this.#waiting) void this.#write(recall)
  }

  async #write(recall: Recall): Promise<void> {
    if (!this.#waiting.delete(recall)) return
    try {
      await this.#parts.storage.memory.keepRecall(recall)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#parts.log('warn', 'recall.failed', { session: recall.sessionId, reason })
    }
    if (this.#waiting.size > 0) return
    this.#forgetExit?.()
    this.#forgetExit = null
  }
}
