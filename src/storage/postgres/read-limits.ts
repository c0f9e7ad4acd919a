/** Limits the time of reads: the server stops a statement when the time is up, or when the caller is gone. */

import { performance } from 'node:perf_hooks'
import { cancelled, type LimitedCall, tooExpensive } from '../../core/call-limits.js'
import { isCancelled } from './errors.js'
import type { Runners, Work } from './runner.js'
import type { Connection, Statements } from './statements.js'

const SQL = {
  savepoint: 'SAVEPOINT search',
  release: 'RELEASE SAVEPOINT search',
  undo: 'ROLLBACK TO SAVEPOINT search',
  limit: (ms: number) => `SET LOCAL statement_timeout = ${Math.max(1, Math.ceil(ms))}`,
  noLimit: 'SET LOCAL statement_timeout = 0',
} as const

export type SnapshotWork<T> = (runners: Runners, isCut: () => boolean) => Promise<T>

export function createSnapshots() {
  const budgets = new Set<Budget>()
  let isStopped = false
  const refuse = () => Promise.reject(new Error('Nothing can be written in a snapshot.'))
  const refusals = { write: refuse, amend: refuse, runAlone: refuse }
  return {
    read:
      <T>(timeLimitMs: number | null, call: LimitedCall | null, work: SnapshotWork<T>) =>
      async (statements: Statements, connection: Connection): Promise<T> => {
        const startMs = performance.now()
        const mostMs = timeLimitMs || Number.POSITIVE_INFINITY
        const limitMs = call === null ? mostMs : Math.min(mostMs, call.leftMs)
        if (limitMs === Number.POSITIVE_INFINITY) {
          const run = <R>(read: Work<R>): Promise<R> => read(statements)
          return work({ run, search: run, ...refusals }, () => false)
        }
        const budget = createBudget(limitMs, statements, connection)
        if (isStopped || call?.signal.aborted) budget.stop()
        budgets.add(budget)
        call?.signal.addEventListener('abort', budget.stop)
        try {
          const { run, search } = budget
          return await work({ run, search, ...refusals }, () => budget.isCut)
        } finally {
          budgets.delete(budget)
          call?.signal.removeEventListener('abort', budget.stop)
          if (call !== null) call.leftMs -= performance.now() - startMs
        }
      },
    /** Leaves no time to searches with a time limit, running ones and later ones. */
    stop(): void {
      isStopped = true
      for (const budget of budgets) budget.stop()
    },
  }
}

/** The server stops a statement that takes longer than the call has left, or whose caller is gone. */
export function limitRead<T>(call: LimitedCall | null, work: Work<T>) {
  if (call === null) return work
  const { signal } = call
  return async (statements: Statements, connection: Connection): Promise<T> => {
    if (signal.aborted) throw cancelled()
    if (call.leftMs <= 0) throw tooExpensive()
    const stop = (): void => void connection.cancel?.().catch(() => {})
    signal.addEventListener('abort', stop)
    const startMs = performance.now()
    if (call.leftMs < Number.POSITIVE_INFINITY) {
      statements.run(SQL.limit(call.leftMs)).catch(() => {})
    }
    try {
      return await work(statements)
    } catch (error) {
      if (!isCancelled(error)) throw error
      throw signal.aborted ? cancelled(error) : tooExpensive(error)
    } finally {
      signal.removeEventListener('abort', stop)
      call.leftMs -= performance.now() - startMs
    }
  }
}

type Budget = ReturnType<typeof createBudget>

/**
 * The time of one snapshot with a limit. Its reads run one after the other: a statement that the server stops takes those
 * that were sent behind it with it.
 */
function createBudget(limitMs: number, statements: Statements, connection: Connection) {
  let endMs = performance.now() + limitMs
  let isCut = false
  let isSearching = false
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
  return {
    get isCut(): boolean {
      return isCut
    },
    stop(): void {
      endMs = Number.NEGATIVE_INFINITY
      if (isSearching) connection.cancel?.().catch(() => {})
    },
    run: <T>(work: Work<T>): Promise<T> => inTurn(() => work(statements)),
    search: <T>(work: Work<T>, ifCut: T): Promise<T> =>
      inTurn(async () => {
        const leftMs = endMs - performance.now()
        if (leftMs <= 0) {
          isCut = true
          return ifCut
        }
        isSearching = true
        const begun = [SQL.savepoint, SQL.limit(leftMs)].map((sql) => statements.run(sql))
        try {
          const [outcome] = await Promise.all([work(statements), ...begun])
          for (const sql of [SQL.release, SQL.noLimit]) statements.run(sql).catch(() => {})
          return outcome
        } catch (error) {
          if (!isCancelled(error) || performance.now() < endMs) throw error
          isCut = true
          await statements.run(SQL.undo)
          return ifCut
        } finally {
          isSearching = false
        }
      }),
  }
}
