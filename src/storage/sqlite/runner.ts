/** Every operation runs on an open file at its path, fails with a sentence, and writes whole or not at all. */

import type { Database } from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import { explainSqliteError } from './errors.js'
import type { Place } from './file-identity.js'
import type { Moments } from './snapshots.js'

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
