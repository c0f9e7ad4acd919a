/** Promise: every operation runs on an open file at its path, fails with a sentence, and writes whole or not at all. */

import type { Database } from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import { explainSqliteError } from './errors.js'
import type { Place } from './place.js'

type RunnerParts = {
  readonly db: Database
  readonly file: string
  readonly place: Place
}

export function createRunner({ db, file, place }: RunnerParts) {
  const run = async <T>(operation: () => T): Promise<T> => {
    if (!db.open) throw new CairnError('closed', { message: `${file} was closed already.` })
    place.glance()
    try {
      return operation()
    } catch (error) {
      throw explainSqliteError(error, file)
    }
  }

  /** Takes the write lock at once, so that two writers queue instead of failing half-way. */
  const write = <T>(operation: () => T): Promise<T> =>
    run(() => {
      place.assertKept()
      const outcome = db.transaction(operation).immediate()
      // What was written into a file that is no longer there has not been written.
      place.assertKept()
      return outcome
    })

  return { run, write }
}
