/** Several reads see one moment of the file, and whoever reads knows that nothing is being written meanwhile. */

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
