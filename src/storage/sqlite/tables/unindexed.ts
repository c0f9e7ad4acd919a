/** Records that are added together enter the index, the tags and the queue together, or none of them does. */

import type { Statements } from '../statements.js'

const SQL = {
  nextRow: 'SELECT max(coalesce(max(row), 0) + 1, 1) FROM records',
  begin: 'INSERT INTO unindexed (first_row) VALUES (:first)',
  end: 'DELETE FROM unindexed',
  fillIndex: `INSERT INTO records_ft (rowid, title, body, tags, people, context)
    SELECT row, title, body, tags, people, context FROM records_indexed WHERE row >= :first`,
  fillTags: `INSERT OR IGNORE INTO record_tags (tag, row)
    SELECT j.value, r.row FROM records r CROSS JOIN json_each(r.tags) j WHERE r.row >= :first`,
  fillWaiting: `INSERT OR IGNORE INTO waiting (record) SELECT r.row FROM records r
    WHERE r.row >= :first AND NOT EXISTS (
      SELECT 1 FROM embedded e JOIN models m ON m.row = e.model WHERE e.record = r.row AND m.state = 'active')`,
} as const

export type Unindexed = ReturnType<typeof createUnindexed>

/**
 * The triggers make FTS5 write a piece of index for every record; filled once for all of them it takes a third of the
 * time. Inside a transaction of the caller's: an error undoes it all, and a row left in `unindexed` cannot be committed.
 */
export function createUnindexed(statements: Statements) {
  return {
    /** Runs `add` with the triggers asleep for records from `first` on, then does what they would have done. */
    whileAdding<T>(add: (first: number) => T): T {
      const first = Number(statements.value(SQL.nextRow))
      statements.run(SQL.begin, { first })
      const added = add(first)
      statements.run(SQL.end)
      statements.run(SQL.fillIndex, { first })
      statements.run(SQL.fillTags, { first })
      statements.run(SQL.fillWaiting, { first })
      return added
    },
  }
}
