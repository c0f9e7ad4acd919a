/** Everything about archives of one SQLite file; the door of this folder. */

import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { ArchiveEntry, ArchiveStorage } from '../../archive.js'
import type { ConnectOptions } from '../connect.js'
import { explainSqliteError } from '../errors.js'
import { createStatements } from '../statements.js'
import { createUnindexed } from '../tables/new-records.js'
import { createCitationsTable } from '../works.js'
import { createRecordLines, type RecordLineParts } from './record-lines.js'
import { Restore, type RestoreParts } from './restore.js'
import { openSnapshot } from './snapshot.js'
import { createStoredEntries } from './stored.js'

/** After so many entries others get their turn. */
const AT_ONCE = 200

export type ArchiveParts = RecordLineParts &
  ConnectOptions & {
    readonly db: Database
    readonly makeId: () => string
  } & Pick<RestoreParts, 'run' | 'write'>

export function createArchive(parts: ArchiveParts): ArchiveStorage {
  const { db, statements, run, makeId } = parts
  return {
    async *read(): AsyncGenerator<ArchiveEntry, void> {
      const snapshot = await run(() => openSnapshot(db, parts))
      try {
        let count = 0
        for (const entry of createStoredEntries(createStatements(snapshot)).all()) {
          yield entry
          if (++count % AT_ONCE === 0) await setImmediate()
        }
      } catch (error) {
        throw explainSqliteError(error, parts.file)
      } finally {
        snapshot.close()
      }
    },
    restore: ({ dryRun }) =>
      new Restore(
        {
          ...parts,
          stored: createStoredEntries(statements),
          recordLines: createRecordLines(parts),
          unindexed: createUnindexed(statements),
          citations: createCitationsTable(statements, makeId),
        },
        dryRun,
      ),
  }
}
