/** Runs every operation: on the file that was opened, with errors explained, and each write in one transaction. */

import { type BigIntStats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Database } from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import { explainSqliteError } from './errors.js'

export type Place = {
  /** False once another file stands at the path, or none. */
  isKept(): boolean
  /** Throws once it is not kept: for writing, before and after a commit. */
  assertKept(): void
  /** The same for reading, where a look every tenth of a second is enough. */
  glance(): void
}

/** A look takes three microseconds, and a search reads twenty times. */
const LOOK_EVERY_MS = 100

/**
 * SQLite goes on with an open file that was deleted or replaced, into which nobody else can look. While it is open the
 * system gives its number to no other file, so the number at the path tells.
 * @param isCopy The file was read whole, so that even a change of it is news.
 */
export function notePlace(file: string, { isCopy }: { readonly isCopy: boolean }): Place {
  // As it was opened: the folder of the process may change.
  const path = resolve(file)
  const look = (): string => (isCopy ? `${stateOf(path)} ${stateOf(`${path}-wal`)}` : idOf(path))
  const opened = look()
  const isKept = (): boolean => opened !== '' && look() === opened
  let looked = performance.now()
  const assertKept = (): void => {
    looked = performance.now()
    if (!isKept()) throw noLongerThere(file)
  }
  return {
    isKept,
    assertKept,
    glance() {
      if (performance.now() - looked >= LOOK_EVERY_MS) assertKept()
    },
  }
}

/** What is only in memory has no place that it could lose. */
export const NO_PLACE: Place = {
  isKept: () => true,
  assertKept: () => {},
  glance: () => {},
}

function idOf(file: string): string {
  const found = statsOf(file)
  return found === undefined ? '' : `${found.dev}.${found.ino}`
}

function stateOf(file: string): string {
  const found = statsOf(file)
  return found === undefined ? '' : `${found.dev}.${found.ino}.${found.size}.${found.mtimeNs}`
}

function statsOf(file: string): BigIntStats | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })
}

function noLongerThere(file: string): CairnError {
  return new CairnError('file_changed', {
    message:
      statsOf(file) === undefined
        ? `${file} was deleted or moved away while it was open; what was to be written now is not in it.`
        : `Another file stands at ${file} than the one that was opened; what was to be written now is not in it.`,
    hint: 'Open it again.',
  })
}

export type Moments = ReturnType<typeof createMoments>

export function createMoments(db: Database) {
  let isReading = false
  const atOnce = db.transaction(<T>(read: () => T): T => read())

  return {
    /** What others commit is not seen until it is done. Inside a moment, or a transaction that writes, it is part of that. */
    read<T>(read: () => T): T {
      if (db.inTransaction) return read()
      isReading = true
      try {
        return atOnce.deferred(read) as T
      } finally {
        isReading = false
      }
    },
    /** The same over several turns of the program; whoever begins it keeps everybody else from writing until it ends. */
    begin(): void {
      db.exec('BEGIN')
      isReading = true
    },
    end(): void {
      isReading = false
      // Closed meanwhile, or ended by SQLite itself after a failure.
      if (db.open && db.inTransaction) db.exec('COMMIT')
    },
    /** May this connection have written something that it has not committed yet? */
    mayBeWriting: (): boolean => db.inTransaction && !isReading,
  }
}

type RunnerParts = {
  readonly db: Database
  readonly file: string
  readonly place: Place
  readonly moments: Moments
}

/** Runs an operation with errors explained. */
export type Runner = <T>(operation: () => T) => Promise<T>

/** How one asker reaches the file; a `write` is a transaction of its own. */
export type Runners = { readonly run: Runner; readonly write: Runner }

export function createRunner({ db, file, place, moments }: RunnerParts) {
  /** Settled once nobody holds a moment any more. */
  let held: Promise<void> | null = null

  const runNow = <T>(operation: () => T): T => {
    if (!db.open) throw new CairnError('closed', { message: `${file} was closed already.` })
    place.glance()
    try {
      return operation()
    } catch (error) {
      throw explainSqliteError(error, file)
    }
  }

  /** What was asked for after a moment began may not be answered from before: others may have committed meanwhile. */
  const run: Runner = async (operation) => {
    while (held !== null) await held
    return runNow(operation)
  }

  /** Takes the write lock at once, so that two writers queue instead of failing half-way. */
  const write: Runner = (operation) =>
    run(() => {
      place.assertKept()
      const outcome = db.transaction(operation).immediate()
      // What was written into a file that is no longer there has not been written.
      place.assertKept()
      return outcome
    })

  const within: Runners = {
    run: async (operation) => runNow(operation),
    write: () => Promise.reject(new Error('Nothing can be written into a moment that is read.')),
  }

  return {
    run,
    write,
    within,
    /** All that `work` reads through the runners `within` is of one moment of the file. Others wait, so it may wait for nothing else. */
    async atOneMoment<T>(work: () => Promise<T>): Promise<T> {
      while (held !== null) await held
      let letGo = (): void => {}
      held = new Promise((resolve) => {
        letGo = resolve
      })
      try {
        runNow(moments.begin)
        return await work()
      } finally {
        held = null
        letGo()
        // Before anyone who waited can run, and last: whatever it throws, nobody waits for ever.
        moments.end()
      }
    },
    /** For the exit of the process, where nothing that was awaited goes on. */
    releaseSnapshot(): void {
      if (held === null) return
      held = null
      moments.end()
    },
  }
}
