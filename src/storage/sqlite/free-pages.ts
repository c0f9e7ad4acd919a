/** A bulk addition leaves what it frees as it is, which is quicker, and a purge overwrites all that was left so. */

import type { Database } from 'better-sqlite3'
import { MANY_RECORDS } from './log-thread.js'

const SQL = {
  fill: 'INSERT INTO meta (key, value) VALUES (:key, zeroblob(:bytes))',
  empty: `DELETE FROM meta WHERE key LIKE 'zeros %'`,
} as const

/** Pages that are overwritten at once: SQLite makes so many zeros in memory first. */
const PAGES_AT_ONCE = 2048

/**
 * FTS5 merges pieces of its index while records are added, and frees the pages of the old ones. To overwrite these doubles what a merge
 * writes, and most are used again soon. What they hold is of records that are there, so only a purge has to look after them.
 */
export function createFreePages(db: Database) {
  const countFree = (): number => Number(db.pragma('freelist_count', { simple: true }))

  /** `FAST` overwrites what lies in a page that is written anyway. */
  const whileFast = <T>(work: () => T): T => {
    db.pragma('secure_delete = FAST')
    try {
      return work()
    } finally {
      db.pragma('secure_delete = ON')
    }
  }

  return {
    whileAdding: <T>(records: number, add: () => T): T =>
      records < MANY_RECORDS ? add() : whileFast(add),

    /** Inside a transaction: zeros that SQLite puts into every free page, and takes out again. */
    overwrite(): void {
      const pageBytes = Number(db.pragma('page_size', { simple: true }))
      const fill = db.prepare(SQL.fill)
      for (let free = countFree(), i = 0; free > 0; free = countFree(), i++) {
        fill.run({ key: `zeros ${i}`, bytes: Math.min(free, PAGES_AT_ONCE) * pageBytes })
      }
      whileFast(() => db.prepare(SQL.empty).run())
    },
  }
}
