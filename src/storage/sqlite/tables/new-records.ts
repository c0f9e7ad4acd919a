/** Adds many records at once: each content once per namespace, and the index filled at the end. */

import { Buffer } from 'node:buffer'
import type { RecordId } from '../../../core/ids.js'
import type { AddOutcome, NewRecord } from '../../../core/record.js'
import { InsertText, RowBuffer } from '../row-buffer.js'
import type { Statements, Value } from '../statements.js'
import { columnsOf, hashContent, indexedFormOf } from './records.js'

const INDEX_SQL = {
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
      const first = Number(statements.value(INDEX_SQL.nextRow))
      statements.run(INDEX_SQL.begin, { first })
      const added = add(first)
      statements.run(INDEX_SQL.end)
      statements.run(INDEX_SQL.fillIndex, { first })
      statements.run(INDEX_SQL.fillTags, { first })
      statements.run(INDEX_SQL.fillWaiting, { first })
      return added
    },
  }
}

const INSERT = new InsertText('INSERT INTO records', [
  ...['row', 'id', 'kind', 'namespace', 'title', 'body', 'tags', 'people', 'source', 'metadata'],
  ...['importance', 'sector', 'tier', 'salience', 'session_id', 'created_at', 'updated_at'],
  ...['occurred_at', 'content_hash', 'title_ix', 'body_ix', 'tags_ix', 'people_ix'],
])

const SQL = {
  same: `SELECT asked.value AS hash, (
      SELECT id FROM records WHERE content_hash = unhex(asked.value) AND namespace = :namespace AND present
      ORDER BY id LIMIT 1) AS known
    FROM json_each(:hashes) asked WHERE known IS NOT NULL`,
} as const

/** Where the first of the new records goes: nothing is there, nor behind it. */
export type AddPlace = {
  readonly firstRow: number
  readonly makeId: () => RecordId
  readonly now: number
}

/** What became of a record that was given; `row` is null where it was there already. */
export type AddedRow = { readonly outcome: AddOutcome; readonly row: number | null }

export type NewRecords = ReturnType<typeof createNewRecords>

export function createNewRecords(statements: Statements) {
  /** Those that are there already: for each namespace, ids by the hash of the content. */
  const findSame = (added: readonly NewRecord[], hashes: readonly string[]) => {
    const asked = new Map<string, string[]>()
    for (const [i, { namespace, isDistinct }] of added.entries()) {
      const list = asked.get(namespace) ?? []
      if (list.length === 0) asked.set(namespace, list)
      if (!isDistinct) list.push(hashes[i] as string)
    }
    const known = new Map<string, Map<string, RecordId>>()
    for (const [namespace, list] of asked) {
      const rows = statements.all(SQL.same, { namespace, hashes: JSON.stringify(list) })
      known.set(namespace, new Map(rows.map((row) => [String(row.hash), row.known as RecordId])))
    }
    return known
  }
  return {
    /** What is there already, or comes twice, is added once. */
    addAll(added: readonly NewRecord[], { firstRow, makeId, now }: AddPlace): AddedRow[] {
      const rows = new RowBuffer(statements, INSERT)
      const hashes = added.map(hashContent)
      const known = findSame(added, hashes)
      let row = firstRow
      const kept = added.map((record, i): AddedRow => {
        const id = makeId()
        const hash = hashes[i] as string
        const inNamespace = known.get(record.namespace)
        const same = inNamespace?.get(hash)
        if (same !== undefined && !record.isDistinct) {
          return { outcome: { id: same, created: false, duplicateOf: same }, row: null }
        }
        if (same === undefined) inNamespace?.set(hash, id)
        rows.add(rowOf(record, { row, id, hash, now }))
        return { outcome: { id, created: true, duplicateOf: null }, row: row++ }
      })
      rows.flush()
      return kept
    },
  }
}

type NewRow = {
  readonly row: number
  readonly id: RecordId
  readonly hash: string
  readonly now: number
}

/** In the order of `INSERT`. */
function rowOf(record: NewRecord, { row, id, hash, now }: NewRow): Value[] {
  const own = columnsOf(record)
  const indexed = indexedFormOf(record)
  // A list without others inside it: this runs for every record.
  // biome-ignore format: as the columns stand
  return [
    row, id, own.kind, own.namespace, own.title, own.body, own.tags, own.people, own.source, own.metadata,
    own.importance, own.sector, own.tier, record.salience, record.sessionId, now, now,
    own.occurredAt, Buffer.from(hash, 'hex'), indexed.titleIx, indexed.bodyIx, indexed.tagsIx, indexed.peopleIx,
  ]
}
