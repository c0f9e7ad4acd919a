/** Reads everything from one snapshot of the file for an archive, and writes an archive back in batches. */

import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { RecordId } from '../../../core/ids.js'
import type { Kind } from '../../../core/record.js'
import type {
  ArchiveEntry,
  ArchiveLine,
  ArchiveOutcome,
  ArchiveRestore,
  ArchiveStorage,
  ArchiveValue,
} from '../../archive.js'
import {
  ANYTHING_SQL,
  COPY_KEY,
  decideOutcome,
  listCitationKeys,
  listReferences,
  unknownReference,
} from '../../archive-rules.js'
import { hashContent } from '../../content-hash.js'
import { toIndexedForm } from '../../indexed-form.js'
import type { TurnPosition } from '../../turn-context.js'
import { type ConnectOptions, connect } from '../connect.js'
import { explainSqliteError } from '../errors.js'
import type { Runners } from '../runner.js'
import { createStatements, type Statements } from '../statements.js'
import type { Context } from '../tables/context.js'
import { indexAtOnce, type RecordsTable, SET_INDEXED } from '../tables/records.js'
import { resolveCitations } from '../works.js'
import { createEntryReader, getArchiveTable, rowOf, toColumns } from './archive-tables.js'
import { salvageEntries } from './salvage.js'

const SQL = {
  anyRecord: 'SELECT EXISTS (SELECT 1 FROM records)',
  copySource: `SELECT value FROM meta WHERE key = '${COPY_KEY}'`,
  endCopy: `DELETE FROM meta WHERE key = '${COPY_KEY}'`,
  beginCopy: `INSERT INTO meta (key, value) VALUES ('${COPY_KEY}', :source)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  forget: ['revisions', 'works', 'work_identities'].map(
    (table) => `DELETE FROM ${table} WHERE record = ${rowOf('records', 'id')}`,
  ),
  addResult: `INSERT INTO recalls (query, record, fact, rank, score) VALUES (
    (SELECT row FROM recalled_queries WHERE id = :query), ${rowOf('records', 'record')}, ${rowOf('facts', 'fact')},
    :rank, :score)`,
} as const

/** After this number of entries the event loop gets a turn. */
const ENTRIES_AT_ONCE = 200

type ArchiveParts = ConnectOptions &
  Runners & {
    readonly db: Database.Database
    readonly statements: Statements
    readonly records: RecordsTable
    readonly context: Context
  }

export function createArchive(parts: ArchiveParts): ArchiveStorage {
  return {
    async *read(onLost): AsyncGenerator<ArchiveEntry, void> {
      const snapshot = await parts.run(() => openSnapshot(parts.db, parts))
      try {
        let count = 0
        const statements = createStatements(snapshot)
        const entries = parts.salvage
          ? salvageEntries(statements, onLost)
          : createEntryReader(statements).all()
        for (const entry of entries) {
          yield entry
          if (++count % ENTRIES_AT_ONCE === 0) await setImmediate()
        }
      } catch (error) {
        throw explainSqliteError(error, parts.file)
      } finally {
        snapshot.close()
      }
    },
    restore: ({ dryRun }) => createRestore(parts, dryRun),
    isFreeFor: (source) =>
      parts.run(() => {
        const isEmpty = parts.statements.value(ANYTHING_SQL) === 0
        return isEmpty || parts.statements.value(SQL.copySource) === source
      }),
    noteCopy: (source) =>
      parts.write(() => {
        if (source === null) parts.statements.run(SQL.endCopy)
        else parts.statements.run(SQL.beginCopy, { source })
      }),
  }
}

/** Opens a connection with its own read transaction, which does not see later writes. A database in memory is copied. */
export function openSnapshot(db: Database.Database, options: ConnectOptions): Database.Database {
  if (db.memory) return new Database(db.serialize())
  const snapshot = connect({ ...options, create: false, readOnly: true })
  // A transaction begins with the first read.
  snapshot.exec('BEGIN')
  snapshot.pragma('user_version')
  return snapshot
}

function createRestore(parts: ArchiveParts, dryRun: boolean): ArchiveRestore {
  const { statements, records, context } = parts
  const entries = createEntryReader(statements)
  /** Records whose stored version won: their revisions in the archive are not used. */
  const kept = new Set<string>()
  /** The ids that a dry run would have added. */
  const announced = new Set<string>()
  let isMerging: boolean | null = null

  const describe = (value: ArchiveValue<'record'>): void => {
    const id = value.id as RecordId
    if (value.work !== null) records.describe(id, value.work as never)
    if (value.identities.length > 0) records.identify(id, value.identities)
  }

  const add = ({ kind, value }: ArchiveEntry): ArchiveOutcome => {
    if (dryRun) {
      if ('id' in value) announced.add(value.id)
    } else if (kind === 'record') {
      statements.run(getArchiveTable('record').insert, toRecordColumns(value))
      describe(value)
    } else {
      const indexed = kind === 'revision' && toIndexedForm(value)
      const columns = { ...toColumns(kind, value), ...indexed }
      // An equal link under another id.
      if (statements.run(getArchiveTable(kind).insert, columns).changes === 0)
        return { kind: 'same' }
      for (const result of kind === 'recall' ? value.results : []) {
        statements.run(SQL.addResult, { query: (value as ArchiveValue<'recall'>).id, ...result })
      }
    }
    return { kind: 'added' }
  }

  /** Removes the stored revisions too: those of the archive follow. Returns its former position as a turn. */
  const replaceRecord = (value: ArchiveValue<'record'>): readonly TurnPosition[] => {
    const { id } = value
    const before = context.turnsOf([id])
    statements.run(getArchiveTable('record').update, toRecordColumns(value))
    // If the new text has the same indexed form as the old one, the trigger took the form for stale and removed it.
    statements.run(SET_INDEXED, { id, ...toIndexedForm(value) })
    context.forget([id])
    for (const sql of SQL.forget) statements.run(sql, { id })
    describe(value)
    return before
  }

  /** Adds the former positions of turns to `moved`. */
  const place = ({ line, entry }: ArchiveLine, moved: TurnPosition[]): ArchiveOutcome => {
    assertKnown(statements, { line, entry }, announced)
    const outcome = decideOutcome(entry, entries.find(entry), kept)
    if (outcome.kind === 'added') return add(entry)
    if (outcome.kind !== 'updated' || dryRun) return outcome
    if (entry.kind === 'record') moved.push(...replaceRecord(entry.value))
    else statements.run(getArchiveTable(entry.kind).update, toColumns(entry.kind, entry.value))
    return outcome
  }

  const writeAll = (batch: readonly ArchiveLine[]): ArchiveOutcome[] => {
    isMerging ??= statements.value(SQL.anyRecord) === 1
    return indexAtOnce(statements, () => {
      const moved: TurnPosition[] = []
      const outcomes = batch.map((line) => place(line, moved))
      const written = batch.flatMap(({ entry }, i) =>
        /added|updated/.test(outcomes[i]?.kind ?? '') ? [entry] : [],
      )
      const ids = written.flatMap(({ kind, value }) => (kind === 'record' ? [value.id] : []))
      context.refresh([...moved, ...context.turnsOf(ids)])
      // In an empty file every citation is already resolved; beside other works it may lead to one of them.
      if (isMerging) resolveCitations(statements, listCitationKeys(written))
      return outcomes
    })
  }

  return (batch) =>
    dryRun
      ? parts.run(() => batch.map((line) => place(line, [])))
      : parts.write(() => writeAll(batch))
}

function assertKnown(
  statements: Statements,
  { line, entry }: ArchiveLine,
  announced: ReadonlySet<string>,
): void {
  for (const reference of listReferences(entry)) {
    const { table, id, namespace } = reference
    if (announced.has(id)) continue
    const values = { id, ...(namespace !== null && { namespace }) }
    const row = statements.value(`SELECT ${rowOf(table, 'id')}`, values)
    if (row === null) throw unknownReference(line, reference)
  }
}

function toRecordColumns(value: ArchiveValue<'record'>) {
  const occurredAtMs = value.occurredAt === null ? null : Date.parse(value.occurredAt)
  const contentHash = hashContent({ ...value, kind: value.kind as Kind, occurredAtMs })
  return { ...toColumns('record', value), ...toIndexedForm(value), contentHash }
}
