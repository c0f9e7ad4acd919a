/** A batch of an import is written with what it was imported as, in the transaction of its records. */

import type { RecordId } from '../../core/ids.js'
import type { NewRecord } from '../../core/record.js'
import type {
  Imported,
  ImportedLink,
  ImportOutcome,
  ImportStorage,
  ImportWrite,
} from '../imports.js'
import type { EmbeddedRecords } from '../vectors.js'
import type { SqliteMemory } from './memory/open-memory.js'
import type { RecordWrites } from './record-writes.js'
import type { Runner } from './runner.js'
import type { Row, Statements } from './statements.js'

const SHOWN = `i.key, i.hash, i.made, r.row AS row, r.id, r.deleted_at, r.superseded_at`

const SQL = {
  known: `SELECT ${SHOWN} FROM imports i LEFT JOIN records r ON r.row = i.record
    WHERE i.source = :source AND i.key IN (SELECT value FROM json_each(:keys))`,
  page: `SELECT ${SHOWN} FROM imports i LEFT JOIN records r ON r.row = i.record
    WHERE i.source = :source AND i.key > :after ORDER BY i.key LIMIT :limit`,
  /** How many other items stand for a record, and whether an import made it. */
  others: `SELECT count(*) FILTER (WHERE hash IS NOT NULL AND NOT (source = :source AND key = :key)) AS others,
      max(made) AS made FROM imports WHERE record = :row`,
  write: `INSERT INTO imports (source, key, hash, record, made, seen_at)
    VALUES (:source, :key, :hash, (SELECT row FROM records WHERE id = :id), :made, :now)
    ON CONFLICT (source, key) DO UPDATE SET
      hash = excluded.hash, record = excluded.record, made = excluded.made, seen_at = excluded.seen_at`,
  gone: 'UPDATE imports SET hash = NULL, seen_at = :now WHERE source = :source AND key = :key',
  inherit: 'UPDATE imports SET made = 1 WHERE record = :row',
  links: `SELECT DISTINCT l.id, l.type, l.author, a.id AS source, b.id AS target, i.key
    FROM imports i JOIN links l ON l.source = i.record JOIN records a ON a.row = l.source
    JOIN records b ON b.row = l.target WHERE i.source = :source`,
} as const

export type ImportParts = {
  readonly statements: Statements
  readonly writes: RecordWrites
  readonly memory: SqliteMemory
  readonly now: () => number
}

/** With what only this room needs: the number of the record, and whether an import made it. */
type Known = Imported & { readonly row: number | null; readonly made: boolean }

/** What is kept of an item. */
type Remembered = Pick<ImportWrite, 'key' | 'hash'> & {
  readonly id: RecordId | null
  readonly made: boolean
}

export function createImports({ statements, writes, memory, now }: ImportParts) {
  const known = (source: string, keys: readonly string[]): Map<string, Known> => {
    const rows = statements.all(SQL.known, { source, keys: JSON.stringify(keys) })
    return new Map(rows.map((row) => [String(row.key), toImported(row)]))
  }
  /** Whether the record stands for this item alone, so that what happens to the item may happen to it. */
  const isOwn = (source: string, { key, row }: Known): boolean => {
    if (row === null) return false
    const [found] = statements.all(SQL.others, { source, key, row })
    return Number(found?.others) === 0 && Number(found?.made) === 1
  }
  const remember = (source: string, items: readonly Remembered[]): void => {
    for (const { key, hash, id, made } of items) {
      statements.run(SQL.write, { source, key, hash, id, made: made ? 1 : 0, now: now() })
    }
  }

  const change = (
    before: Known,
    write: ImportWrite,
    own: EmbeddedRecords | undefined,
  ): ImportOutcome => {
    const id = before.id as RecordId
    if (before.isSuperseded) return { id, kind: 'superseded' }
    if (before.isDeleted) writes.restore([id])
    writes.update(id, changeOf(write), own)
    return { id, kind: before.isDeleted ? 'restored' : 'updated' }
  }

  const keep = (
    source: string,
    batch: readonly ImportWrite[],
    vectors: EmbeddedRecords | undefined,
  ): ImportOutcome[] => {
    const before = known(
      source,
      batch.map(({ key }) => key),
    )
    const remembered: Remembered[] = []
    /** What items leave to others is theirs from now on. */
    const left: number[] = []
    const outcomes: (ImportOutcome | null)[] = batch.map((write, i) => {
      const { key, hash } = write
      const old = before.get(key)
      if (old === undefined || !isOwn(source, old)) return null
      const outcome = change(old, write, vectorsAt(vectors, [i]))
      remembered.push({ key, hash, id: old.id, made: old.made })
      return outcome
    })
    const added = batch.flatMap(({ record }, i) => (outcomes[i] === null ? [{ record, i }] : []))
    const answers = writes.add(
      added.map(({ record }) => record),
      vectorsAt(
        vectors,
        added.map(({ i }) => i),
      ),
    )
    for (const [at, { i }] of added.entries()) {
      const [write, answer] = [batch[i], answers[at]]
      if (write === undefined || answer === undefined) continue
      const { key, hash } = write
      const old = before.get(key)
      if (old?.made && old.row !== null) left.push(old.row)
      remembered.push({ key, hash, id: answer.id, made: answer.created })
      outcomes[i] = { id: answer.id, kind: answer.created ? 'created' : 'known' }
    }
    remember(source, remembered)
    for (const row of left) statements.run(SQL.inherit, { row })
    return outcomes.filter((outcome) => outcome !== null)
  }

  const forget = (source: string, keys: readonly string[]): number => {
    const gone = [...known(source, keys).values()].filter(({ hash }) => hash !== null)
    const deleted = gone.flatMap((one) =>
      one.id !== null && !one.isDeleted && isOwn(source, one) ? [one.id] : [],
    )
    for (const { key } of gone) statements.run(SQL.gone, { source, key, now: now() })
    return deleted.length === 0 ? 0 : writes.softDelete(deleted).length
  }

  const storage = (run: Runner, write: Runner): ImportStorage => ({
    known: (source, keys) => run(() => known(source, keys)),
    keep: (source, batch, vectors) => write(() => keep(source, batch, vectors)),
    note: (source, notes) =>
      write(() =>
        remember(
          source,
          notes.map(({ key, hash, id }) => ({ key, hash, id, made: false })),
        ),
      ),
    page: (source, after, limit) =>
      run(() =>
        statements
          .all(SQL.page, { source, after: after ?? '', limit })
          .map((row) => toImported(row)),
      ),
    forget: (source, keys) => write(() => forget(source, keys)),
    keepSessions: async (sessions) => {
      const changed = await run(() => sessions.filter(memory.isNewsOf))
      if (changed.length > 0) await write(() => changed.forEach(memory.importSession))
      return changed.length
    },
    links: (source) => run(() => statements.all(SQL.links, { source }).map(toLink)),
    relink: (added, removed) => write(() => memory.relink(added, removed)),
  })
  return { storage }
}

/** A turn whose time is not known keeps the one it was given when it came. */
function changeOf({ record, hasOwnTime }: ImportWrite): Partial<NewRecord> {
  const { sessionId: _, salience: __, facts: ___, createdIn: ____, occurredAtMs, ...rest } = record
  return hasOwnTime || record.sessionId === null ? { ...rest, occurredAtMs } : rest
}

function vectorsAt(
  all: EmbeddedRecords | undefined,
  places: readonly number[],
): EmbeddedRecords | undefined {
  return all && { ...all, vectors: places.map((place) => all.vectors[place] ?? null) }
}

function toImported(row: Row): Known {
  return {
    key: String(row.key),
    hash: row.hash as string | null,
    id: row.id as RecordId | null,
    isDeleted: row.deleted_at !== null,
    isSuperseded: row.superseded_at !== null,
    row: row.row as number | null,
    made: row.made === 1,
  }
}

function toLink(row: Row): ImportedLink {
  return {
    id: String(row.id),
    type: String(row.type),
    source: row.source as RecordId,
    target: row.target as RecordId,
    author: row.author as string | null,
    key: String(row.key),
  }
}
