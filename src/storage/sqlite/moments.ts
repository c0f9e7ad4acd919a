/** Promise: several reads see one moment of the file, and whoever reads knows that nothing is being written meanwhile. */

import type { Database } from 'better-sqlite3'

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
    /** May this connection have written something that it has not committed yet? */
    mayBeWriting: (): boolean => db.inTransaction && !isReading,
  }
}
