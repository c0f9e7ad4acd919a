/** Writes recalls after their answers were returned. A recall never delays an answer, and in a file none is lost at exit. */

import type { SearchAnswer } from '../core/answer.js'
import type { SearchInput } from '../schemas/search-request.js'
import type { Recall } from '../storage/memory.js'
import type { Context } from './scope.js'

export type RecallParts = Pick<Context, 'storage' | 'log' | 'now' | 'decay'> & {
  readonly reinforcement: number
  /** Calls `flush` when the process exits without a close; returns a function that cancels this. */
  readonly onExit: (flush: () => void) => () => void
}

export class Recalls {
  readonly #parts: RecallParts
  readonly #waiting = new Set<Recall>()
  #writing: Promise<void> = Promise.resolve()
  #cancelExit: (() => void) | null = null

  constructor(parts: RecallParts) {
    this.#parts = parts
  }

  add(session: Recall['session'], request: SearchInput, { query, hits }: SearchAnswer): void {
    const { now, reinforcement, decay } = this.#parts
    // A query that is replayed is not a recall.
    const { recallSession: _, ...logged } = request
    const recall: Recall = {
      session,
      atMs: now(),
      query: query.text,
      lens: query.lens,
      request: logged,
      hits: hits.map(({ facts, ...hit }) => {
        return { id: hit.id, score: hit.score, facts: facts.map(({ id }) => id) }
      }),
      reinforcement,
      decay,
    }
    this.#waiting.add(recall)
    this.#cancelExit ??= this.#parts.onExit(() => this.#flush())
    this.#writing = this.#writing.then(
      () => new Promise((done) => setImmediate(() => this.#write(recall).then(done))),
    )
  }

  written(): Promise<void> {
    return this.#writing
  }

  /** At exit nothing asynchronous runs any more, so the snapshot of a search under way must not delay the write. */
  #flush(): void {
    this.#parts.storage.file?.releaseSnapshot()
    for (const recall of this.#waiting) void this.#write(recall)
  }

  async #write(recall: Recall): Promise<void> {
    if (!this.#waiting.delete(recall)) return
    try {
      await this.#parts.storage.memory.logRecall(recall)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#parts.log('warn', 'recall.failed', { session: recall.session.id, reason })
    }
    if (this.#waiting.size > 0) return
    this.#cancelExit?.()
    this.#cancelExit = null
  }
}
