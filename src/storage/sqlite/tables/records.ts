/** The records table: columns, indexed forms and hashes; add, read, update, hide and remove records. */

import type { Buffer } from 'node:buffer'
import { noRecord, revisionChanged } from '../../../core/errors.js'
import type { RecordId } from '../../../core/ids.js'
import type { AddOutcome, CairnRecord, NewRecord, RecordChange } from '../../../core/record.js'
import { effectiveSalience } from '../../../core/salience.js'
import type { WorkDetails } from '../../../core/work.js'
import { COLUMN_WEIGHTS } from '../../bm25.js'
import { toColumnName } from '../../column-name.js'
import { type Content, hashContent, isSameContent } from '../../content-hash.js'
import { toIndexedForm } from '../../indexed-form.js'
import { noteRecords } from '../log.js'
import {
  convertRow,
  insertRows,
  type Parts,
  type Row,
  type Statements,
  type Value,
} from '../statements.js'
import type { RevisionEnding, RevisionsTable } from './revisions.js'

/** What a record and its revisions have in common, by the names of their fields. */
export const CONTENT = [
  ...(['kind', 'namespace', 'title', 'body', 'tags', 'people', 'source', 'metadata'] as const),
  ...(['importance', 'sector', 'tier', 'occurredAt'] as const),
]
/** What `toIndexedForm` computes. */
export const INDEXED = ['titleIx', 'bodyIx', 'tagsIx', 'peopleIx', 'citationIx'] as const

const INSERTED = `records (${[
  ...['row', 'id', ...CONTENT, 'salience', 'sessionId', 'createdAt', 'updatedAt'],
  ...['contentHash', ...INDEXED, 'author'],
]
  .map(toColumnName)
  .join(', ')})`
const UPDATED = [...CONTENT, 'updatedAt', 'contentHash', ...INDEXED]

const assign = (fields: readonly string[]): string =>
  fields.map((field) => `${toColumnName(field)} = :${field}`).join(', ')

/** The columns of these fields, named as the fields. */
export function selectFields(alias: string, fields: readonly string[]): string {
  return fields.map((field) => `${alias}.${toColumnName(field)} AS ${field}`).join(', ')
}

/** The columns that `RowReader` reads, with the names of the fields of a record. */
export function selectRecord(
  r: string,
  {
    supersededAt = `${r}.superseded_at`,
    deletedAt = `${r}.deleted_at`,
    work = `(SELECT w.details FROM works w WHERE w.record = ${r}.row)`,
    revision = `(SELECT 1 + coalesce(max(n.number), 0) FROM revisions n WHERE n.record = ${r}.row)`,
  } = {},
): string {
  const own = ['id', ...CONTENT, 'salience', 'sessionId', 'createdAt', 'updatedAt', 'author']
  return `${selectFields(r, own)}, ${r}.salience AS effectiveSalience, ${work} AS work, ${revision} AS revision,
  coalesce(${r}.accessed_at, ${r}.created_at) AS accessedAt, ${supersededAt} AS supersededAt, ${deletedAt} AS deletedAt`
}

const RECORDS = `SELECT ${selectRecord('r')} FROM records r`
const INDEX_COLUMNS = Object.keys(COLUMN_WEIGHTS).join(', ')
const WANTED = 'id IN (SELECT value FROM json_each(:ids))'

export const SET_INDEXED = `UPDATE records SET ${assign(INDEXED)}
  WHERE id = :id AND (${INDEXED.map((field) => `${toColumnName(field)} IS NOT :${field}`).join(' OR ')})`

const SQL = {
  nextRow: 'SELECT max(coalesce(max(row), 0) + 1, 1) FROM records',
  begin: 'INSERT INTO unindexed (first_row) VALUES (:first)',
  end: 'DELETE FROM unindexed',
  fill: [
    `INSERT INTO records_ft (rowid, ${INDEX_COLUMNS})
      SELECT row, ${INDEX_COLUMNS} FROM records_indexed WHERE row >= :first`,
    `INSERT OR IGNORE INTO record_tags (tag, row)
      SELECT j.value, r.row FROM records r CROSS JOIN json_each(r.tags) j WHERE r.row >= :first`,
    `INSERT OR IGNORE INTO waiting (record) SELECT r.row FROM records r
      WHERE r.row >= :first AND NOT EXISTS (
        SELECT 1 FROM embedded e JOIN models m ON m.row = e.model WHERE e.record = r.row AND m.state = 'active')`,
  ],
  hasHash: 'SELECT 1 FROM records WHERE content_hash = ?',
  /** Compares the text too: another program may have changed the text and left the hash. */
  same: `SELECT id FROM records WHERE content_hash = :contentHash AND namespace = :namespace AND present
      AND kind = :kind AND title IS :title AND body = :body AND session_id IS :sessionId
      AND (session_id IS NULL OR occurred_at IS :occurredAtMs)
    ORDER BY id LIMIT 1`,
  hashed: `SELECT row, content_hash AS stored, kind, title, body, session_id AS sessionId, occurred_at AS occurredAtMs
    FROM records`,
  setHash: 'UPDATE records SET content_hash = :hash WHERE row = :row',
  update: `UPDATE records SET ${assign(UPDATED)} WHERE id = :id`,
  row: 'SELECT row FROM records WHERE id = :id AND deleted_at IS NULL',
  setSalience: 'UPDATE records SET salience = :salience, accessed_at = :now WHERE id = :id',
  live: `${RECORDS} WHERE r.${WANTED} AND r.deleted_at IS NULL`,
  any: `${RECORDS} WHERE r.${WANTED}`,
  batch: `SELECT r.row, ${selectRecord('r')} FROM records r WHERE r.row > :after ORDER BY r.row LIMIT 1000`,
  softDelete: `UPDATE records SET deleted_at = :now WHERE ${WANTED} AND deleted_at IS NULL RETURNING id`,
  restore: `UPDATE records SET deleted_at = NULL WHERE ${WANTED} AND deleted_at IS NOT NULL RETURNING id`,
  supersede: `UPDATE records SET superseded_at = :now WHERE ${WANTED} AND present RETURNING id`,
  reinstate: `UPDATE records SET superseded_at = NULL
    WHERE ${WANTED} AND superseded_at IS NOT NULL RETURNING id`,
  describe: `INSERT INTO works (record, details) SELECT row, :details FROM records WHERE id = :id
    ON CONFLICT (record) DO UPDATE SET details = excluded.details`,
  identify: `INSERT INTO work_identities (identity, record)
    SELECT i.value, r.row FROM json_each(:identities) i CROSS JOIN records r ON r.id = :id
    WHERE true ON CONFLICT DO NOTHING`,
  purge: `DELETE FROM records WHERE ${WANTED} RETURNING id`,
} as const

/** In the order of `CONTENT`. */
function toColumns(record: NewRecord) {
  return {
    kind: record.kind,
    namespace: record.namespace,
    title: record.title,
    body: record.body,
    tags: JSON.stringify(record.tags),
    people: JSON.stringify(record.people),
    source: record.source,
    metadata: JSON.stringify(record.metadata),
    importance: record.importance,
    sector: record.sector,
    tier: record.tier,
    occurredAt: record.occurredAtMs,
  } satisfies Record<(typeof CONTENT)[number], Value>
}

/** Records whose hash is not that of their text. `hadHash` is false for rows of programs that write no hash. */
export function findStaleHashes(statements: Statements) {
  const stale: { readonly row: number; readonly hash: Buffer; readonly hadHash: boolean }[] = []
  for (const { row, stored, ...content } of statements.each(SQL.hashed)) {
    const hash = hashContent(content as Content)
    if (stored instanceof Uint8Array && hash.equals(stored)) continue
    stale.push({ row: Number(row), hash, hadHash: stored !== null })
  }
  return stale
}

export function renewHashes(statements: Statements): void {
  for (const { row, hash } of findStaleHashes(statements)) {
    statements.run(SQL.setHash, { row, hash })
  }
}

/**
 * Runs `add` with the triggers disabled for new records, then fills the indexes for all of them. With triggers, FTS5 would
 * write a segment for every record, which takes three times as long. Must run inside a transaction: an error undoes
 * everything, and a row left in `unindexed` cannot be committed.
 */
export function indexAtOnce<T>(statements: Statements, add: () => T): T {
  const first = Number(statements.value(SQL.nextRow))
  statements.run(SQL.begin, { first })
  const added = add()
  statements.run(SQL.end)
  for (const sql of SQL.fill) statements.run(sql, { first })
  return added
}

/** The row of a record that is not deleted. */
export function getRow(statements: Statements, id: RecordId): number {
  const row = statements.value(SQL.row, { id })
  if (typeof row !== 'number') throw noRecord(id)
  return row
}

/** `row` is null if the content existed already. */
export type AddedRow = { readonly outcome: AddOutcome; readonly row: number | null }

/** Must run inside `indexAtOnce`. */
export function addRecords(
  { statements, now, makeId }: Parts,
  records: readonly NewRecord[],
): AddedRow[] {
  let next = Number(statements.value(SQL.nextRow))
  const [updatedAt, author] = [now(), statements.author()]
  const rows: Value[][] = []
  const added = new Map<string, (Content & { readonly id: RecordId })[]>()
  const outcomes = records.map((record): AddedRow => {
    const { kind, namespace, title, body, sessionId, occurredAtMs, salience } = record
    const contentHash = hashContent(record)
    const key = `${contentHash.toString('latin1')}${namespace}`
    // Nearly every record is new, and looking up its hash alone does not copy the text.
    const isKnown = !record.isDistinct && statements.value(SQL.hasHash, [contentHash]) !== undefined
    const stored =
      isKnown &&
      statements.value(SQL.same, {
        contentHash,
        kind,
        namespace,
        title,
        body,
        sessionId,
        occurredAtMs,
      })
    const inBatch = added.get(key)?.find((one) => isSameContent(one, record))?.id
    const same = record.isDistinct ? undefined : stored || inBatch
    if (same !== undefined) {
      const known = same as RecordId
      return { outcome: { id: known, created: false, duplicateOf: known }, row: null }
    }
    const id = record.id ?? makeId()
    const row = next++
    added.set(key, [...(added.get(key) ?? []), { ...record, id }])
    const content = Object.values(toColumns(record))
    const indexed = Object.values(toIndexedForm(record))
    const times = [record.createdAtMs ?? updatedAt, updatedAt]
    // In the order of `INSERTED`. Lists, because objects of these columns make an addition a fifth slower.
    const values = [row, id, ...content, salience, sessionId, ...times, contentHash]
    rows.push([...values, ...indexed, author])
    return { outcome: { id, created: true, duplicateOf: null }, row }
  })
  insertRows(statements, INSERTED, rows)
  return outcomes
}

export type RecordsTable = ReturnType<typeof createRecordsTable>

export function createRecordsTable(parts: Parts, toRecord: RowReader, revisions: RevisionsTable) {
  const { statements, now } = parts
  const read = (ids: readonly RecordId[], deleted: boolean): CairnRecord[] => {
    const rows = statements.all(deleted ? SQL.any : SQL.live, { ids })
    const found = new Map(rows.map((row) => [String(row.id), toRecord(row)]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }
  /** Stores a revision first; returns the ids that changed. */
  const hide = (sql: string, ids: readonly RecordId[], end: RevisionEnding) => {
    if (end.endedBy === 'delete') revisions.mark(ids, 'delete')
    revisions.keep(ids, end)
    return statements.column<RecordId>(sql, { ids, now: now() })
  }
  const show = (action: 'restore' | 'reinstate', ids: readonly RecordId[]) => {
    const shown = statements.column<RecordId>(SQL[action], { ids })
    revisions.begin(shown)
    noteRecords(parts, action, shown)
    return shown
  }
  const describe = (id: RecordId, details: WorkDetails): void =>
    void statements.run(SQL.describe, { id, details })
  const identify = (id: RecordId, identities: readonly string[]): void =>
    void statements.run(SQL.identify, { id, identities })

  return {
    read,
    describe,
    identify,

    readAsOf(ids: readonly RecordId[], asOfMs: number): CairnRecord[] {
      const changed = revisions.asOf(ids, asOfMs)
      return read(ids, true).map((record) => changed.get(record.id) ?? record)
    },

    /** `atMs` orders two edits of one transaction. */
    update(id: RecordId, change: RecordChange, atMs = now()): CairnRecord | null {
      const [before] = read([id], false)
      if (before === undefined) return null
      const { salience, work, identities, editedIn: _, expectedRevision, ...rest } = change
      if (expectedRevision !== undefined && expectedRevision !== before.revision) {
        throw revisionChanged(before, expectedRevision)
      }
      if (salience !== undefined) statements.run(SQL.setSalience, { id, salience, now: atMs })
      const occurredAtMs = before.occurredAt === null ? null : Date.parse(before.occurredAt)
      const { work: workBefore, ...content } = before
      const known: NewRecord = { ...content, occurredAtMs }
      const after: NewRecord = { ...known, ...rest }
      const isNewWork = work !== undefined && JSON.stringify(work) !== JSON.stringify(workBefore)
      const columns = toColumns(after)
      if (isNewWork || JSON.stringify(toColumns(known)) !== JSON.stringify(columns)) {
        revisions.keep([id], { endedBy: 'edit' }, atMs)
        const indexed = { id, ...toIndexedForm({ ...after, work: work ?? workBefore }) }
        const contentHash = hashContent(after)
        statements.run(SQL.update, { ...columns, ...indexed, contentHash, updatedAt: atMs })
        // If the new text has the same indexed form as the old one, the trigger took the form for stale and removed it.
        statements.run(SET_INDEXED, indexed)
        if (isNewWork) describe(id, work)
        revisions.begin([id], atMs)
      }
      if (identities !== undefined) identify(id, identities)
      return read([id], false)[0] ?? null
    },

    softDelete: (ids: readonly RecordId[]) => hide(SQL.softDelete, ids, { endedBy: 'delete' }),

    restore(ids: readonly RecordId[]): RecordId[] {
      const shown = show('restore', ids)
      revisions.mark(shown, 'supersede')
      return shown
    },

    supersede: (id: RecordId, successor: RecordId) =>
      hide(SQL.supersede, [id], { endedBy: 'supersede', successor }),

    reinstate: (id: RecordId) => show('reinstate', [id]),

    purge: (ids: readonly RecordId[]) => statements.column<RecordId>(SQL.purge, { ids }),

    /** Computes the indexed form of every record again, and writes those that differ. */
    segmentAll(): void {
      for (let after = -1; ; ) {
        const rows = statements.all(SQL.batch, { after })
        for (const { row, ...columns } of rows) {
          const record = toRecord(columns)
          statements.run(SET_INDEXED, { ...toIndexedForm(record), id: record.id })
          after = Number(row)
        }
        if (rows.length === 0) return
      }
    },
  }
}

export type RowReader = (row: Row) => CairnRecord

/** Converts rows of `selectRecord`, with their current salience. */
export function createRowReader(now: () => number, decay: number): RowReader {
  const times = ['createdAt', 'updatedAt', 'accessedAt', 'occurredAt', 'supersededAt', 'deletedAt']
  const json = { texts: ['tags', 'people'], objects: ['metadata'], works: ['work'] }
  return (row) => {
    const record = convertRow<CairnRecord & { effectiveSalience: number }>(row, { times, ...json })
    const stored = { ...record, accessedAtMs: Number(row.accessedAt) }
    record.effectiveSalience = effectiveSalience(stored, now(), decay)
    return record
  }
}
