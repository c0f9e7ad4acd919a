/** Adds many records at once: each content once per namespace, and the index filled at the end. */

import type { RecordId } from '../../../core/ids.js'
import type { AddOutcome, NewRecord } from '../../../core/record.js'
import type { Statements } from '../statements.js'
import { hashContent, toColumns, toIndexedForm } from './records.js'

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
  same: `SELECT id FROM records WHERE content_hash = :hash AND namespace = :namespace AND present
    ORDER BY id LIMIT 1`,
  insert: `INSERT INTO records (
      id, kind, namespace, title, body, tags, people, source, metadata, importance, sector, tier, salience,
      session_id, created_at, updated_at, occurred_at, content_hash, title_ix, body_ix, tags_ix, people_ix)
    VALUES (
      :id, :kind, :namespace, :title, :body, :tags, :people, :source, :metadata, :importance, :sector, :tier, :salience,
      :sessionId, :now, :now, :occurredAt, :hash, :titleIx, :bodyIx, :tagsIx, :peopleIx)`,
} as const

export type Unindexed = ReturnType<typeof createUnindexed>

/**
 * Through its triggers FTS5 writes a segment for every record; filling the index once for all of them takes a third of
 * the time. To be used inside a transaction: an error undoes everything, and a row left in `unindexed` cannot be committed.
 */
export function createUnindexed(statements: Statements) {
  return {
    /** Runs `add` with the triggers disabled for new records, then does their work at once. */
    whileAdding<T>(add: () => T): T {
      const first = Number(statements.value(SQL.nextRow))
      statements.run(SQL.begin, { first })
      const added = add()
      statements.run(SQL.end)
      statements.run(SQL.fillIndex, { first })
      statements.run(SQL.fillTags, { first })
      statements.run(SQL.fillWaiting, { first })
      return added
    },
  }
}

/** `row` is null where the content existed already. */
export type AddedRow = { readonly outcome: AddOutcome; readonly row: number | null }

export function addRecord(
  statements: Statements,
  record: NewRecord,
  { id, now }: { readonly id: RecordId; readonly now: number },
): AddedRow {
  const hash = hashContent(record)
  const same = record.isDistinct
    ? undefined
    : statements.value(SQL.same, { hash, namespace: record.namespace })
  if (same !== undefined) {
    const known = same as RecordId
    return { outcome: { id: known, created: false, duplicateOf: known }, row: null }
  }
  const { salience, sessionId } = record
  const values = {
    ...toColumns(record),
    ...toIndexedForm(record),
    id,
    hash,
    salience,
    sessionId,
    now,
  }
  const { lastRow } = statements.run(SQL.insert, values)
  return { outcome: { id, created: true, duplicateOf: null }, row: lastRow }
}
