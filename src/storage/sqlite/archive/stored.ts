/** What a file holds is read as lines of an archive, one by one or by its key. */

import type { ArchiveEntry, ArchiveKind, ArchiveValue, RecalledResult } from '../../archive.js'
import { ARCHIVE_FIELDS, ARCHIVE_KINDS } from '../../archive.js'
import type { Row, Statements } from '../statements.js'
import { toColumns, toValue } from './columns.js'
import { PARTS } from './parts.js'

const RESULTS = `SELECT r.id AS record, (SELECT f.id FROM facts f WHERE f.row = c.fact) AS fact, c.rank, c.score
  FROM recalls c CROSS JOIN records r ON r.row = c.record WHERE c.query = :query ORDER BY c.row`

export type StoredEntries = ReturnType<typeof createStoredEntries>

export function createStoredEntries(statements: Statements) {
  const read = <K extends ArchiveKind>(kind: K, row: Row): ArchiveValue<K> => {
    const value = toValue(ARCHIVE_FIELDS[kind], row)
    if (kind !== 'recall') return value as ArchiveValue<K>
    const results = statements.all(RESULTS, { query: Number(row.row) }) as RecalledResult[]
    return { ...value, results } as ArchiveValue<K>
  }
  return {
    /** In the order of an archive. */
    *all(): Generator<ArchiveEntry, void> {
      for (const kind of ARCHIVE_KINDS) {
        for (const row of statements.each(PARTS[kind].all)) {
          yield { kind, value: read(kind, row) } as ArchiveEntry
        }
      }
    },
    /** The one with the key of this value. */
    find<K extends ArchiveKind>(kind: K, value: ArchiveValue<K>): ArchiveValue<K> | null {
      const [row] = statements.all(PARTS[kind].one, toColumns(ARCHIVE_FIELDS[kind], value))
      return row === undefined ? null : read(kind, row)
    },
  }
}
