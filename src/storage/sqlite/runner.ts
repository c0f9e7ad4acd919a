/** Runs every operation: checks that the file is still the same, explains errors, and runs each write in one transaction. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Database } from 'better-sqlite3'
import { type CallLimits, type LimitedCall, tooExpensive } from '../../core/call-limits.js'
import { CairnError } from '../../core/errors.js'
import { OutOfTime, Paused, type TimeBudget } from '../../core/time-budget.js'
import { damagedFile, explainSqliteError, sqliteCode } from './errors.js'

export type FileIdentity = ReturnType<typeof identifyFile>

/** A check takes three microseconds, and a search makes twenty reads. */
const CHECK_EVERY_MS = 100

/** After a longer snapshot the event loop gets a turn, so that a server reads requests. */
const LONG_MS = 50

export const NO_FILE: FileIdentity = {
  isSame: () => true,
  assertSame: () => {},
  checkOccasionally: () => {},
}

/**
 * SQLite keeps using an open file after it was deleted or replaced, although nobody else can see it. The inode number at the
 * path reveals that: while a file is open, the system gives its number to no other file.
 * @param isCopy The file was read into memory, so any change of it counts.
 */
export function identifyFile(file: string, { isCopy }: { readonly isCopy: boolean }) {
  // Resolved once: the working directory may change.
  const path = resolve(file)
  const describe = (name: string): string => {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false })
    if (found === undefined) return ''
    const { dev, ino, size, mtimeNs } = found
    return isCopy ? `${dev}.${ino}.${size}.${mtimeNs}` : `${dev}.${ino}`
  }
  const read = (): string =>
    isCopy ? `${describe(path)} ${describe(`${path}-wal`)}` : describe(path)
  const opened = read()
  const isSame = (): boolean => opened !== '' && read() === opened
  let checkedAt = performance.now()
  const assertSame = (): void => {
    checkedAt = performance.now()
    if (isSame()) return
    throw new CairnError('file_changed', {
      message:
        describe(path) === ''
          ? `${file} was deleted or moved away while it was open; what was to be written now is not in it.`
          : `Another file stands at ${file} than the one that was opened; what was to be written now is not in it.`,
      hint: 'Open it again.',
    })
  }
  return {
    isSame,
    /** Throws if it is another file. To be called before and after a commit. */
    assertSame,
    /** The same for reads, at most every tenth of a second. */
    checkOccasionally(): void {
      if (performance.now() - checkedAt >= CHECK_EVERY_MS) assertSame()
    },
  }
}

export type Snapshots = ReturnType<typeof createSnapshots>

export function createSnapshots(db: Database) {
  let isReading = false
  const transact = db.transaction(<T>(read: () => T): T => read())

  return {
    /** Reads one snapshot of the file. Inside another snapshot or a write, it uses that transaction. */
    read<T>(read: () => T): T {
      if (db.inTransaction) return read()
      isReading = true
      try {
        return transact.deferred(read) as T
      } finally {
        isReading = false
      }
    },
    /** Begins a snapshot that lasts until `end`; the caller must prevent writes until then. */
    begin(): void {
      db.exec('BEGIN')
      isReading = true
    },
    end(): void {
      isReading = false
      // The file may be closed by now, or SQLite may have ended the transaction after a failure. Nothing was written, so this
      // is a ROLLBACK: on a damaged file a COMMIT may fail.
      if (db.open && db.inTransaction) db.exec('ROLLBACK')
    },
    /** Whether this connection may have uncommitted changes. */
    mayBeWriting: (): boolean => db.inTransaction && !isReading,
  }
}

/** Input is checked before it becomes SQL. If a constraint fails nevertheless, damaged rows may be the cause. */
function isSound(db: Database): boolean {
  try {
    const broken = db.pragma('foreign_key_check') as unknown[]
    return broken.length === 0 && db.pragma('quick_check(1)', { simple: true }) === 'ok'
  } catch {
    return false
  }
}

export type Runner = <T>(operation: () => T) => Promise<T>

/** A `write` is a transaction of its own. */
export type Runners = { readonly run: Runner; readonly write: Runner }

type Functions = Readonly<Record<string, (...given: never[]) => unknown>>
type Operations<F extends Functions> = {
  readonly [Name in keyof F]: (...given: Parameters<F[Name]>) => Promise<ReturnType<F[Name]>>
}

/** Some functions of an interface, as they are before `runEach`. */
export type SomeOf<S> = {
  readonly [Name in keyof S]?: S[Name] extends (...given: infer Given) => Promise<infer T>
    ? (...given: Given) => T
    : never
}

/** Makes each of these functions an operation. */
export function runEach<F extends Functions>(run: Runner, functions: F): Operations<F> {
  const operations = Object.entries(functions).map(([name, work]) => [
    name,
    (...given: never[]) => run(() => work(...given)),
  ])
  return Object.fromEntries(operations) as Operations<F>
}

export type TransactionClock = ReturnType<typeof createTransactionClock>

/** Everything in one transaction has the time at which it began. */
export function createTransactionClock(now: () => number) {
  let heldMs: number | null = null
  return {
    now: (): number => heldMs ?? now(),
    hold<T>(work: () => T): T {
      heldMs = now()
      try {
        return work()
      } finally {
        heldMs = null
      }
    },
  }
}

type RunnerParts = Readonly<{
  db: Database
  file: string
  identity: FileIdentity
  clock: TransactionClock
  snapshots: Snapshots
  budget: TimeBudget
  limits: CallLimits
}>

export function createRunner(parts: RunnerParts) {
  const { db, file, identity, clock, snapshots, budget, limits } = parts
  let isHeld = false
  const waiting: (() => void)[] = []

  /** First come, first served: the next in the queue gets the connection before anyone new can ask. */
  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) isHeld = false
    else next()
  }
  const queue = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))

  const runNow = <T>(operation: () => T): T => {
    if (!db.open) throw new CairnError('closed', { message: `${file} was closed already.` })
    identity.checkOccasionally()
    try {
      return operation()
    } catch (error) {
      const explained = explainSqliteError(error, file)
      const isUnexpected = explained === error && sqliteCode(error) !== null
      throw isUnexpected && !isSound(db) ? damagedFile(file, error) : explained
    }
  }

  const runWithin = <T>(call: LimitedCall, operation: () => T): T => {
    const startMs = performance.now()
    try {
      return budget.within(call.leftMs, () => runNow(operation))
    } catch (error) {
      throw error instanceof OutOfTime ? tooExpensive(error) : error
    } finally {
      call.leftMs -= performance.now() - startMs
    }
  }

  /** Waits until no snapshot is open: inside one, an operation would not see later commits. */
  const runInTurn: Runner = async (operation) => {
    if (isHeld) await queue()
    isHeld = true
    try {
      return operation()
    } finally {
      release()
    }
  }

  const run: Runner = (operation) =>
    runInTurn(() => {
      const call = limits.current()
      return call === null ? runNow(operation) : runWithin(call, operation)
    })

  /** Takes the write lock at once, so that two writers queue instead of failing half-way. */
  const write: Runner = (operation) =>
    runInTurn(() =>
      runNow(() => {
        identity.assertSame()
        const outcome = db.transaction(() => clock.hold(operation)).immediate()
        // A write to a file that was deleted or replaced is lost.
        identity.assertSame()
        return outcome
      }),
    )

  /** Gives the event loop a turn before an operation and within it. A paused operation is repeated and continues from its caches. */
  const runInSlices: Runner = async (operation) => {
    for (;;) {
      if (budget.isPauseDue) {
        await new Promise((resolve) => setImmediate(resolve))
        budget.startSlice()
      }
      try {
        return runNow(operation)
      } catch (error) {
        if (!(error instanceof Paused)) throw error
      }
    }
  }

  const inSnapshot: Runners = {
    run: runInSlices,
    write: () => Promise.reject(new Error('Nothing can be written in a snapshot.')),
  }

  return {
    run,
    write,
    inSnapshot,
    /** Everything that `work` reads through `inSnapshot` is from one snapshot. Other operations wait, so `work` may await nothing else. */
    async withSnapshot<T>(timeLimitMs: number | null, work: () => Promise<T>): Promise<T> {
      if (isHeld) await queue()
      isHeld = true
      const cancel = (): void => budget.cancel()
      const startMs = performance.now()
      let call: LimitedCall | null = null
      try {
        call = limits.current()
        runNow(snapshots.begin)
        call?.signal.addEventListener('abort', cancel)
        const mostMs = timeLimitMs || Number.POSITIVE_INFINITY
        budget.start(call === null ? mostMs : Math.min(mostMs, Math.max(1, call.leftMs)))
        return await work()
      } finally {
        const tookMs = performance.now() - startMs
        call?.signal.removeEventListener('abort', cancel)
        if (call !== null) call.leftMs -= tookMs
        budget.start(null)
        // After a long snapshot the event loop gets a turn: a server reads requests and signals between two searches.
        if (tookMs > LONG_MS) setImmediate(release)
        else release()
        // Runs before any waiting operation can, and last: even if it throws, nobody waits forever.
        snapshots.end()
      }
    },
    /** For the exit of the process, when no awaited work continues. */
    releaseSnapshot(): void {
      if (!isHeld) return
      isHeld = false
      snapshots.end()
    },
  }
}
