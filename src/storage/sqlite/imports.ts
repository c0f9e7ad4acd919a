/** Writes a batch of an import: the records, and the item of the source that each one came from. */

import { joinTexts, splitTexts } from '../../core/full-text.js'
import type { RecordId } from '../../core/ids.js'
import {
  bindSource,
  type ImportedLink,
  type ImportOutcome,
  type ImportSource,
  type ImportStorage,
  type ImportWrite,
  mergeEdits,
  pickVectors,
  type StoredItem,
  toChange,
} from '../imports.js'
import type { EmbeddedRecords } from '../vectors.js'
import type { RecordWrites, WriteParts } from './record-writes.js'
import { type Runners, runEach } from './runner.js'
import { convertRow, type Row } from './statements.js'

/** The fields that people edit. */
const MERGED =
  'title, body, tags, people, source, metadata, importance, sector, tier, kind, occurred_at AS occurredAtMs'

const ITEMS = `SELECT i.key, i.hash, r.id, r.deleted_at IS NOT NULL AS isDeleted,
    r.superseded_at IS NOT NULL AS isSuperseded, r.row, i.made, i.seen_at AS seenAt, r.updated_at > i.seen_at IS TRUE AS isEdited
  FROM imports i LEFT JOIN records r ON r.row = i.record AND i.namespace IN ('', r.namespace)
  WHERE i.namespace = :namespace AND i.source = :source`

const SQL = {
  known: `${ITEMS} AND i.key IN (SELECT value FROM json_each(:keys))`,
  sources: `SELECT i.source FROM records r JOIN imports i ON i.record = r.row
    WHERE r.id = :id AND i.hash IS NOT NULL ORDER BY i.seen_at DESC`,
  page: `${ITEMS} AND i.key > :after ORDER BY i.key LIMIT :limit`,
  /** The number of other items with this record, and whether an import created it. */
  others: `SELECT count(*) FILTER (
        WHERE hash IS NOT NULL AND NOT (namespace = :namespace AND source = :source AND key = :key)) AS others,
      max(made) AS made FROM imports WHERE record = :row`,
  write: `INSERT INTO imports (namespace, source, key, hash, record, made, seen_at)
    VALUES (:namespace, :source, :key, :hash, (SELECT row FROM records WHERE id = :id), :made, :now)
    ON CONFLICT (namespace, source, key) DO UPDATE SET
      hash = excluded.hash, record = excluded.record, made = excluded.made, seen_at = excluded.seen_at`,
  gone: `UPDATE imports SET hash = NULL, seen_at = :now
    WHERE namespace = :namespace AND source = :source AND key = :key`,
  /** The state that the last import wrote, if the record was edited since. */
  imported: `SELECT ${MERGED} FROM revisions
    WHERE record = :row AND valid_from <= :seenAt AND valid_until > :seenAt ORDER BY number DESC LIMIT 1`,
  current: `SELECT ${MERGED} FROM records WHERE row = :row`,
  /** Makes the next import read the other files of the record again: one of them may hold the same text. */
  readAgain: `UPDATE imports SET hash = '' WHERE record = :row AND key <> :key AND hash IS NOT NULL`,
  inherit: 'UPDATE imports SET made = 1 WHERE record = :row',
  links: `SELECT DISTINCT l.id, l.type, a.id AS source, b.id AS target, l.author, i.key
    FROM imports i JOIN links l ON l.source = i.record JOIN records a ON a.row = l.source
    JOIN records b ON b.row = l.target WHERE i.namespace = :namespace AND i.source = :source`,
} as const

type Remembered = Pick<StoredItem, 'key' | 'hash' | 'id' | 'made'>

export function createImports(
  { statements, records, memory, now }: Omit<WriteParts, 'context' | 'sqliteVectors'>,
  writes: RecordWrites,
  { run, write: transact }: Runners,
): ImportStorage {
  const known = (from: ImportSource, keys: readonly string[]): Map<string, StoredItem> => {
    const rows = statements.all(SQL.known, { ...bindSource(from), keys })
    return new Map(rows.map((row) => [String(row.key), toItem(row)]))
  }
  /** Whether the record belongs to this item only, so that the item may change it. */
  const isOwn = (from: ImportSource, { key, row }: StoredItem): boolean => {
    if (row === null) return false
    const [found] = statements.all(SQL.others, { ...bindSource(from), key, row })
    return Number(found?.others) === 0 && Number(found?.made) === 1
  }
  const remember = (from: ImportSource, { key, hash, id, made }: Remembered): void => {
    const values = { key, hash, id, made: made ? 1 : 0, now: now() }
    statements.run(SQL.write, { ...bindSource(from), ...values })
  }

  const change = (
    from: ImportSource,
    { before, write }: { readonly before: StoredItem; readonly write: ImportWrite },
    vectors?: EmbeddedRecords,
  ): ImportOutcome => {
    const id = before.id as RecordId
    const { row, isEdited, isDeleted, seenAt, made } = before
    const incoming = toChange(write)
    const merged = isEdited
      ? mergeEdits(incoming, {
          stored: statements.all(SQL.current, { row }).map(parseFields)[0] ?? {},
          imported: statements.all(SQL.imported, { row, seenAt }).map(parseFields)[0] ?? null,
        })
      : null
    if (!before.isSuperseded) {
      if (isDeleted) writes.restore([id])
      writes.update(id, incoming, { vectors })
    }
    remember(from, { ...write, id, made })
    if (before.isSuperseded) return { id, kind: 'superseded' }
    // The edit is written again after the import, so that the next import finds both states.
    if (merged !== null) writes.update(id, merged.kept, { atMs: now() + 1 })
    const kind = isDeleted ? 'restored' : 'updated'
    return { id, kind, ...(merged !== null && { conflicts: merged.conflicts }) }
  }

  /** Changes the records that belong to their items, then adds the others at once. */
  const writeBatch = (
    from: ImportSource,
    batch: readonly ImportWrite[],
    vectors?: EmbeddedRecords,
  ): ImportOutcome[] => {
    const keys = batch.map(({ key }) => key)
    const before = known(from, keys)
    const items = batch.map((write, i) => {
      const old = before.get(write.key)
      if (old === undefined || !isOwn(from, old)) return { write, i, old, outcome: null }
      const outcome = change(from, { before: old, write }, pickVectors(vectors, [i]))
      return { write, i, old, outcome }
    })
    const added = items.filter(({ outcome }) => outcome === null)
    const positions = added.map(({ i }) => i)
    const records = added.map(({ write }) => write.record)
    const answers = writes.add(records, pickVectors(vectors, positions))
    const outcomes = items.map(({ outcome }) => outcome)
    /** Records that belong to other items from now on. */
    const left: number[] = []
    for (const [at, { write, i, old }] of added.entries()) {
      const answer = answers[at]
      if (answer === undefined) continue
      remember(from, { ...write, id: answer.id, made: answer.created })
      if (old?.made && old.row !== null) left.push(old.row)
      outcomes[i] = { id: answer.id, kind: answer.created ? 'created' : 'known' }
    }
    for (const row of left) statements.run(SQL.inherit, { row })
    return outcomes.filter((outcome) => outcome !== null)
  }

  /** Removes the text of a deleted file from its work; returns whether there was one. */
  const detach = ({ id, row, key }: StoredItem): boolean => {
    const [record] = id === null ? [] : records.read([id], false)
    if (record === undefined || record.kind !== 'work') return false
    const { abstract, texts, metadata } = splitTexts(record)
    const left = texts.filter(({ path }) => path !== key)
    if (left.length === texts.length) return false
    writes.update(record.id, joinTexts(abstract, left, metadata))
    statements.run(SQL.readAgain, { row, key })
    return true
  }

  const forget = (from: ImportSource, keys: readonly string[]): number => {
    const gone = [...known(from, keys).values()].filter(({ hash }) => hash !== null)
    const deleted = gone.flatMap((one) =>
      one.id !== null && !one.isDeleted && isOwn(from, one) ? [one.id] : [],
    )
    const detached = gone.filter(detach).length
    for (const { key } of gone) statements.run(SQL.gone, { ...bindSource(from), key, now: now() })
    return detached + (deleted.length === 0 ? 0 : writes.softDelete(deleted).length)
  }

  return {
    ...runEach(run, {
      known,
      sources: (id: RecordId) => statements.column<string>(SQL.sources, { id }),
      page: (from: ImportSource, after: string | null, limit: number) =>
        statements.all(SQL.page, { ...bindSource(from), after: after ?? '', limit }).map(toItem),
      links: (from: ImportSource) => statements.all<ImportedLink>(SQL.links, bindSource(from)),
    }),
    ...runEach(transact, {
      write: writeBatch,
      forget,
      relink: memory.links.relink,
      note(from: ImportSource, notes: readonly Omit<Remembered, 'made'>[]): void {
        for (const note of notes) remember(from, { ...note, made: false })
      },
    }),
    writeSessions: async (sessions) =>
      sessions.length === 0 ? 0 : transact(() => sessions.filter(memory.sessions.import).length),
  }
}

function parseFields(row: Row): Row {
  const json = ['tags', 'people', 'metadata'].map((name) => [name, JSON.parse(String(row[name]))])
  return { ...row, ...Object.fromEntries(json) }
}

function toItem(row: Row): StoredItem {
  return convertRow(row, { flags: ['isDeleted', 'isSuperseded', 'made', 'isEdited'] })
}
