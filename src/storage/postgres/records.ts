/** The records table: its columns, and reading and adding records. */

import { Buffer } from 'node:buffer'
import { noRecord } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import type { AddOutcome, CairnRecord, NewRecord } from '../../core/record.js'
import { effectiveSalience } from '../../core/salience.js'
import { type Content, hashContent, isSameContent } from '../content-hash.js'
import { foldSql } from './filter.js'
import type { Parts } from './open-postgres.js'
import { convertTimes, type Row, type Statements, toJson, toStorableText } from './statements.js'

/** The columns that `toRecord` reads, with the names of the fields of a record. */
export function selectRecord(
  r: string,
  {
    supersededAt = `${r}.superseded_at`,
    deletedAt = `${r}.deleted_at`,
    work = `(SELECT w.details FROM works w WHERE w.namespace = ${r}.namespace AND w.record = ${r}.row)`,
    revision = `(SELECT 1 + coalesce(max(n.number), 0) FROM revisions n
    WHERE n.namespace = ${r}.namespace AND n.record = ${r}.row)`,
  } = {},
): string {
  return `${r}.id, ${r}.kind, ${r}.namespace, ${r}.title, ${r}.body, ${r}.tags, ${r}.people, ${r}.source,
  ${r}.metadata, ${work} AS work, ${r}.importance, ${r}.sector, ${r}.tier, ${r}.salience,
  ${r}.salience AS "effectiveSalience", ${revision} AS revision, ${r}.session_id AS "sessionId",
  ${r}.created_at AS "createdAt", ${r}.updated_at AS "updatedAt",
  coalesce(${r}.accessed_at, ${r}.created_at) AS "accessedAt", ${r}.occurred_at AS "occurredAt",
  ${supersededAt} AS "supersededAt", ${deletedAt} AS "deletedAt", ${r}.author`
}

const RECORDS = `SELECT ${selectRecord('r')} FROM records r`

/** The type of each column that is written from a record. */
const CONTENT = {
  kind: 'text',
  namespace: 'text',
  title: 'text',
  body: 'text',
  tags: 'text[]',
  people: 'text[]',
  source: 'text',
  metadata: 'json',
  importance: 'float8',
  sector: 'text',
  tier: 'text',
  occurred_at: 'bigint',
} as const
const HASHED = { ...CONTENT, content_hash: 'bytea' } as const
const NEW = {
  ...HASHED,
  id: 'text',
  salience: 'float8',
  session_id: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
} as const

const NEW_COLUMNS = Object.keys(NEW).join(', ')
const NEW_ROWS = `json_to_recordset(:records::json) AS added (${listTypes(NEW)}, work json, n integer)`

function listTypes(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')
}

const SQL = {
  live: `${RECORDS} WHERE r.id = ANY (:ids::text[]) AND r.deleted_at IS NULL`,
  any: `${RECORDS} WHERE r.id = ANY (:ids::text[])`,
  row: 'SELECT row FROM records WHERE id = :id AND deleted_at IS NULL',
  rows: 'SELECT row FROM records WHERE id = ANY (:ids::text[])',
  lock: 'SELECT id, row FROM records WHERE id = ANY (:ids::text[]) ORDER BY row FOR UPDATE',
  same: `SELECT r.content_hash AS hash, r.namespace, r.id, r.kind, r.title, r.body, r.session_id AS "sessionId",
      r.occurred_at AS "occurredAtMs"
    FROM unnest(:hashes::bytea[]) wanted JOIN records r ON r.content_hash = wanted AND r.present
    WHERE r.namespace = ANY (:namespaces::text[]) ORDER BY r.id`,
  /** With the details of works, so that the index finds them. */
  insert: `WITH added AS MATERIALIZED (SELECT nextval('rows') AS row, one.* FROM (
        SELECT * FROM ${NEW_ROWS} ORDER BY n) one),
      stored AS (INSERT INTO records (row, ${NEW_COLUMNS}, author)
        SELECT row, ${NEW_COLUMNS}, :author FROM added ORDER BY row),
      described AS (INSERT INTO works (namespace, record, details)
        SELECT namespace, row, work FROM added WHERE work IS NOT NULL),
      tagged AS (INSERT INTO record_tags (namespace, tag, record)
        SELECT DISTINCT namespace, ${foldSql('tag')}, row FROM added, unnest(tags) tag)
    SELECT row FROM added ORDER BY n`,
  update: `UPDATE records r SET ${Object.keys(HASHED)
    .map((name) => `${name} = changed.${name}`)
    .join(', ')}, updated_at = :now
    FROM json_to_recordset(:contents::json) AS changed (${listTypes(HASHED)}, row bigint) WHERE r.row = changed.row`,
  untag: 'DELETE FROM record_tags WHERE record = ANY (:rows::bigint[])',
  tag: `INSERT INTO record_tags (namespace, tag, record)
    SELECT DISTINCT r.namespace, ${foldSql('tag')}, r.row FROM records r, unnest(r.tags) tag
    WHERE r.row = ANY (:rows::bigint[])`,
} as const

type RowReader = (row: Row) => CairnRecord

/** Converts rows of `selectRecord`, with the salience that is left now. */
export function createRowReader({ now, decay }: Pick<Parts, 'now' | 'decay'>): RowReader {
  const times = ['createdAt', 'updatedAt', 'accessedAt', 'occurredAt', 'supersededAt', 'deletedAt']
  return (row) => {
    const record = convertTimes<CairnRecord & { effectiveSalience: number }>(row, times)
    const stored = { ...record, accessedAtMs: Number(row.accessedAt) }
    record.effectiveSalience = effectiveSalience(stored, now(), decay)
    return record
  }
}

/** In the order asked. */
export async function readRecords(
  statements: Statements,
  parts: Parts,
  { ids, deleted }: { readonly ids: readonly RecordId[]; readonly deleted: boolean },
): Promise<CairnRecord[]> {
  const rows = await statements.all(deleted ? SQL.any : SQL.live, { ids })
  const toRecord = createRowReader(parts)
  const found = new Map(rows.map((row) => [String(row.id), toRecord(row)]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** The row of a record that is not deleted. */
export async function getRow(statements: Statements, id: RecordId): Promise<number> {
  const row = await statements.value(SQL.row, { id })
  if (typeof row !== 'number') throw noRecord(id)
  return row
}

/** Of records in any state, in no order. */
export async function getRows(statements: Statements, ids: readonly RecordId[]): Promise<number[]> {
  return (await statements.column(SQL.rows, { ids })) as number[]
}

/** So that nobody changes them until the transaction ends; returns their rows. */
export async function lockRecords(
  statements: Statements,
  ids: readonly RecordId[],
): Promise<ReadonlyMap<RecordId, number>> {
  const rows = await statements.all(SQL.lock, { ids })
  return new Map(rows.map(({ id, row }) => [id as RecordId, Number(row)]))
}

/** `row` is null where the content existed already. */
export type AddedRow = { readonly outcome: AddOutcome; readonly row: number | null }

export async function addRecords(
  statements: Statements,
  records: readonly NewRecord[],
  { makeId, now }: { readonly makeId: () => RecordId; readonly now: number },
): Promise<AddedRow[]> {
  const hashes = records.map(hashStored)
  const known = await findSame(statements, records, hashes)
  const added: object[] = []
  const outcomes = records.map((record, i): AddOutcome => {
    const hash = hashes[i] as Buffer
    const key = toKey(hash, record.namespace)
    const same = record.isDistinct
      ? undefined
      : known.get(key)?.find((one) => isSameContent(one, { ...record, ...toTexts(record) }))
    if (same !== undefined) return { id: same.id, created: false, duplicateOf: same.id }
    const id = record.id ?? makeId()
    known.set(key, [...(known.get(key) ?? []), { ...record, ...toTexts(record), id }])
    added.push({
      ...toColumns(record),
      content_hash: toHex(hash),
      id,
      salience: record.salience,
      session_id: record.sessionId,
      created_at: record.createdAtMs ?? now,
      updated_at: now,
      work: record.work ?? null,
      n: added.length,
    })
    return { id, created: true, duplicateOf: null }
  })
  const values = { records: toJson(added), author: statements.author }
  const rows = added.length === 0 ? [] : await statements.column(SQL.insert, values)
  let next = 0
  return outcomes.map((outcome) => ({
    outcome,
    row: outcome.created ? (rows[next++] as number) : null,
  }))
}

type Stored = Content & { readonly id: RecordId }

function toKey(hash: Uint8Array, namespace: string): string {
  return `${(hash as Buffer).toString('latin1')}${namespace}`
}

async function findSame(
  statements: Statements,
  records: readonly NewRecord[],
  hashes: readonly Buffer[],
): Promise<Map<string, Stored[]>> {
  const sought = hashes.filter((_, i) => !records[i]?.isDistinct)
  const namespaces = [...new Set(records.map(({ namespace }) => namespace))]
  const found = new Map<string, Stored[]>()
  if (sought.length === 0) return found
  for (const row of await statements.all(SQL.same, { hashes: sought, namespaces })) {
    const key = toKey(Buffer.from(row.hash as Uint8Array), String(row.namespace))
    found.set(key, [...(found.get(key) ?? []), row as unknown as Stored])
  }
  return found
}

function toTexts({ title, body }: Pick<Content, 'title' | 'body'>) {
  return { title: title === null ? null : toStorableText(title), body: toStorableText(body) }
}

/** Of the text as it is stored. */
function hashStored(record: NewRecord): Buffer {
  return hashContent({ ...record, ...toTexts(record) })
}

export function toColumns(record: NewRecord): Record<keyof typeof CONTENT, unknown> {
  const { kind, namespace, title, body, tags, people, source, metadata } = record
  const { importance, sector, tier, occurredAtMs } = record
  const texts = { kind, namespace, title, body, tags, people, source, metadata }
  return { ...texts, importance, sector, tier, occurred_at: occurredAtMs }
}

/** As JSON holds bytes for PostgreSQL. */
function toHex(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}

/** Writes the content of records again, with their tags. */
export async function writeContents(
  statements: Statements,
  changed: readonly { readonly row: number; readonly record: NewRecord }[],
  now: number,
): Promise<void> {
  const rows = changed.map(({ row }) => row)
  const contents = changed.map(({ row, record }) => {
    return { row, ...toColumns(record), content_hash: toHex(hashStored(record)) }
  })
  await Promise.all([
    statements.run(SQL.update, { contents: toJson(contents), now }),
    statements.run(SQL.untag, { rows }),
    statements.run(SQL.tag, { rows }),
  ])
}
