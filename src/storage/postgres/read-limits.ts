/** Limits the time of reads: the server stops a statement when the time is up, or when the caller is gone. */

import { performance } from 'node:perf_hooks'
import { cancelled, type LimitedCall, tooExpensive } from '../../core/call-limits.js'
import { isCancelled } from './errors.js'
import type { Runners, Work } from './runner.js'
import { type Connection, createStatements, type Statements } from './statements.js'

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
        const budget = createBudget(limitMs, connection)
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

/** One of the reads of a snapshot; `ifCut` is null where it may take as long as it needs. */
type Task = {
  readonly work: Work<unknown>
  readonly ifCut: (() => unknown) | null
  readonly share: number
  readonly settle: (outcome: Promise<unknown>) => void
}

/**
 * The time of one snapshot with a limit. Reads that begin together are sent together, and others wait: a statement that the
 * server stops takes those that were sent behind it with it.
 */
function createBudget(limitMs: number, whole: Connection) {
  let endMs = performance.now() + limitMs
  let groupEndMs: number | null = null
  let isCut = false
  const waiting: Task[] = []
  let isRunning = false

  const statements = createStatements({
    ...whole,
    query(sql, values) {
      if (groupEndMs !== null)
        whole.query(SQL.limit(groupEndMs - performance.now()), []).catch(() => {})
      return whole.query(sql, values)
    },
  })

  /** Those that were stopped give what they have, and reads that must be done are done again. */
  const finishCut = async (
    tasks: readonly Task[],
    results: readonly PromiseSettledResult<unknown>[],
  ) => {
    isCut = true
    await whole.query(SQL.undo, [])
    for (const [i, { work, ifCut, settle }] of tasks.entries()) {
      const result = results[i]
      if (result?.status === 'fulfilled') settle(Promise.resolve(result.value))
      else settle(ifCut === null ? work(statements) : Promise.resolve(ifCut()))
    }
  }

  const runLimited = async (tasks: readonly Task[]): Promise<void> => {
    const startMs = performance.now()
    const share = Math.min(...tasks.map((task) => task.share))
    groupEndMs = startMs + (endMs - startMs) * share
    const begun = whole.query(SQL.savepoint, [])
    begun.catch(() => {})
    const works = tasks.map(({ work }) => work(statements))
    const results = await Promise.allSettled(works)
    const isStopped = results.some((one) => one.status === 'rejected' && isCancelled(one.reason))
    const isLate = performance.now() >= Math.min(groupEndMs, endMs)
    groupEndMs = null
    if (isStopped && isLate) return finishCut(tasks, results)
    for (const sql of [SQL.release, SQL.noLimit]) whole.query(sql, []).catch(() => {})
    for (const [i, { settle }] of tasks.entries()) settle(works[i] as Promise<unknown>)
  }

  const runTogether = (tasks: readonly Task[]): Promise<unknown> => {
    const isLate = performance.now() >= endMs
    const late = isLate ? tasks.filter(({ ifCut }) => ifCut !== null) : []
    isCut ||= late.length > 0
    for (const { ifCut, settle } of late) settle(Promise.resolve(ifCut?.()))
    const others = tasks.filter((task) => !late.includes(task))
    if (others.some(({ ifCut }) => ifCut !== null)) return runLimited(others)
    const works = others.map(({ work }) => work(statements))
    for (const [i, { settle }] of others.entries()) settle(works[i] as Promise<unknown>)
    return Promise.allSettled(works)
  }

  const start = async (): Promise<void> => {
    while (waiting.length > 0) await runTogether(waiting.splice(0)).catch(() => {})
    isRunning = false
  }
  const add = <T>(work: Work<T>, ifCut: (() => T) | null, share = 1): Promise<T> =>
    new Promise<T>((resolve) => {
      const settle = (outcome: Promise<unknown>) => resolve(outcome as Promise<T>)
      waiting.push({ work, ifCut, share, settle })
      if (isRunning) return
      isRunning = true
      setImmediate(start)
    })

  return {
    get isCut(): boolean {
      return isCut
    },
    stop(): void {
      endMs = Number.NEGATIVE_INFINITY
      if (groupEndMs !== null) whole.cancel?.().catch(() => {})
    },
    run: <T>(work: Work<T>): Promise<T> => add(work, null),
    search: <T>(work: Work<T>, ifCut: () => T, share = 1): Promise<T> => add(work, ifCut, share),
  }
}
