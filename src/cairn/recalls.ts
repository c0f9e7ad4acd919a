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

export type Recalls = ReturnType<typeof createRecalls>

export function createRecalls(parts: RecallParts) {
  const { storage, log, now, reinforcement, decay, onExit } = parts
  const waiting = new Set<Recall>()
  let writing: Promise<void> = Promise.resolve()
  let cancelExit: (() => void) | null = null

  const write = async (recall: Recall): Promise<void> => {
    if (!waiting.delete(recall)) return
    try {
      await storage.memory.logRecall(recall)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log('warn', 'recall.failed', { session: recall.session.id, reason })
    }
    if (waiting.size > 0) return
    cancelExit?.()
    cancelExit = null
  }

  /** At exit nothing asynchronous runs any more, so the snapshot of a search under way must not delay the write. */
  const flush = (): void => {
    storage.file?.releaseSnapshot()
    for (const recall of waiting) void write(recall)
  }

  return {
    written: (): Promise<void> => writing,

    add(session: Recall['session'], request: SearchInput, { query, hits }: SearchAnswer): void {
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
      waiting.add(recall)
      cancelExit ??= onExit(flush)
      writing = writing.then(
        () => new Promise((done) => setImmediate(() => write(recall).then(done))),
      )
    },
  }
}
