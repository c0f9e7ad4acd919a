/** Reads everything from one snapshot of the file for an archive, and writes an archive back in batches. */

import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { RecordId } from '../../../core/ids.js'
import type { Kind } from '../../../core/record.js'
import { quantiseVector, viewFineBytes } from '../../../vectors/quantise.js'
import {
  type ArchiveEntry,
  type ArchiveKind,
  type ArchiveOutcome,
  type ArchiveRestore,
  type ArchiveStorage,
  type ArchiveValue,
  type ArchiveWritten,
  findChangeTime,
  needsVectors,
} from '../../archive.js'
import type { EmbeddedRecords, ModelInfo, RecordVectors } from '../../vectors.js'
import { type ConnectOptions, connect } from '../connect.js'
import { explainSqliteError } from '../errors.js'
import type { Runners } from '../runner.js'
import { createStatements, type Statements } from '../statements.js'
import type { Context, Turn } from '../tables/context.js'
import { hashContent, indexAtOnce, type RecordsTable, toIndexedForm } from '../tables/records.js'
import { checksumFine } from '../vectors/checksums.js'
import type { SqliteVectors } from '../vectors/vector-storage.js'
import { resolveCitations } from '../works.js'
import {
  ARCHIVE_TABLES,
  createEntryReader,
  type Referred,
  rowOf,
  toColumns,
} from './archive-tables.js'
import { salvageEntries } from './salvage.js'

const SQL = {
  anyRecord: 'SELECT EXISTS (SELECT 1 FROM records)',
  setIndexed: `UPDATE records SET title_ix = :titleIx, body_ix = :bodyIx, tags_ix = :tagsIx, people_ix = :peopleIx,
      citation_ix = :citationIx
    WHERE id = :id`,
  forget: ['revisions', 'works', 'work_identities'].map(
    (table) => `DELETE FROM ${table} WHERE record = ${rowOf('records', 'id')}`,
  ),
  addResult: `INSERT INTO recalls (query, record, fact, rank, score) VALUES (
    (SELECT row FROM recalled_queries WHERE id = :query), ${rowOf('records', 'record')}, ${rowOf('facts', 'fact')},
    :rank, :score)`,
} as const

/** After so many entries other work gets its turn. */
const ENTRIES_AT_ONCE = 200

export type ArchiveParts = ConnectOptions &
  Runners & {
    readonly db: Database.Database
    readonly statements: Statements
    readonly records: RecordsTable
    readonly context: Context
    readonly sqliteVectors: SqliteVectors
    readonly makeId: () => string
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
    restore: ({ dryRun }) => new Restore(parts, dryRun),
  }
}

/** A connection with its own read transaction: it does not see what others write. A file in memory is copied. */
export function openSnapshot(db: Database.Database, options: ConnectOptions): Database.Database {
  if (db.memory) return new Database(db.serialize())
  const snapshot = connect({ ...options, create: false, readOnly: true })
  // A transaction begins with the first read.
  snapshot.exec('BEGIN')
  snapshot.pragma('user_version')
  return snapshot
}

/** Undoes the transaction; the caller learns which entry and why. */
class Refusal extends Error {
  readonly index: number
  constructor(index: number, reason: string) {
    super(reason)
    this.index = index
  }
}

type PastVectors = { readonly model: ModelInfo; readonly vectors: RecordVectors }

class Restore implements ArchiveRestore {
  readonly #parts: ArchiveParts
  readonly #dryRun: boolean
  readonly #stored: ReturnType<typeof createEntryReader>
  /** Records that stayed as they were: the archive's revisions of them belong to others. */
  readonly #kept = new Set<string>()
  /** What a dry run would have added. */
  readonly #announced = new Set<string>()
  #isMerging: boolean | null = null

  constructor(parts: ArchiveParts, dryRun: boolean) {
    this.#parts = parts
    this.#dryRun = dryRun
    this.#stored = createEntryReader(parts.statements)
  }

  async write(
    entries: readonly ArchiveEntry[],
    pastVectors: EmbeddedRecords | null,
  ): Promise<ArchiveWritten> {
    const { run, write } = this.#parts
    const place = (moved: Turn[]): ArchiveOutcome[] => {
      let next = 0
      return entries.map((entry, i) => {
        const vectors = needsVectors(entry) ? (pastVectors?.vectors[next++] ?? null) : null
        this.#checkReferences(entry, i)
        const past = pastVectors && vectors && { model: pastVectors.model, vectors }
        return this.#place(entry, past, moved)
      })
    }
    try {
      const outcomes = await (this.#dryRun
        ? run(() => place([]))
        : write(() => this.#writeAll(entries, place)))
      return { kind: 'written', outcomes }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { kind: 'refused', index: error.index, reason: error.message }
    }
  }

  #writeAll(
    entries: readonly ArchiveEntry[],
    place: (moved: Turn[]) => ArchiveOutcome[],
  ): ArchiveOutcome[] {
    const { statements, context } = this.#parts
    this.#isMerging ??= statements.value(SQL.anyRecord) === 1
    return indexAtOnce(statements, () => {
      const moved: Turn[] = []
      const outcomes = place(moved)
      const written = entries.filter((_, i) => /added|updated/.test(outcomes[i]?.kind ?? ''))
      const ids = written.flatMap(({ kind, value }) => (kind === 'record' ? [value.id] : []))
      context.refresh([...moved, ...context.turnsOf(ids)])
      // In an empty file every citation is as it was; beside other works it may lead to one of them.
      if (this.#isMerging) resolveCitations(statements, listCitationKeys(written))
      return outcomes
    })
  }

  /** Collects in `moved` where turns stood before. */
  #place(entry: ArchiveEntry, past: PastVectors | null, moved: Turn[]): ArchiveOutcome {
    if (entry.kind === 'revision' && this.#kept.has(entry.value.record)) return { kind: 'kept' }
    const stored = this.#stored.find(entry)
    if (stored === null) return this.#add(entry, past)
    if (isSame(entry, stored)) return { kind: 'same' }
    const table = ARCHIVE_TABLES[entry.kind]
    if (!table.isLater(entry.value as never, stored as never)) {
      if (entry.kind !== 'record') return { kind: 'kept' }
      this.#kept.add(entry.value.id)
      return { kind: 'kept', storedAt: findChangeTime(stored as ArchiveValue<'record'>) }
    }
    if (this.#dryRun) return { kind: 'updated' }
    if (entry.kind === 'record') moved.push(...this.#replaceRecord(entry.value, past))
    else this.#parts.statements.run(table.update, toColumns(entry.kind, entry.value))
    return { kind: 'updated' }
  }

  #add(entry: ArchiveEntry, past: PastVectors | null): ArchiveOutcome {
    const { statements } = this.#parts
    const { kind, value } = entry
    if (this.#dryRun) {
      if ('id' in value) this.#announced.add(value.id)
    } else if (kind === 'record') {
      statements.run(ARCHIVE_TABLES.record.insert, toRecordColumns(value))
      this.#describe(value, past)
    } else {
      const columns = kind === 'revision' ? toRevisionColumns(value, past) : toColumns(kind, value)
      const { changes } = statements.run(ARCHIVE_TABLES[kind].insert, columns)
      // An equal link under another id.
      if (changes === 0) return { kind: 'same' }
      for (const result of kind === 'recall' ? value.results : []) {
        statements.run(SQL.addResult, { query: (value as ArchiveValue<'recall'>).id, ...result })
      }
    }
    return { kind: 'added' }
  }

  /** The revisions of the replaced one go with it: those of the archive follow. Returns where it stood as a turn. */
  #replaceRecord(value: ArchiveValue<'record'>, past: PastVectors | null): readonly Turn[] {
    const { statements, context } = this.#parts
    const { id } = value
    const before = context.turnsOf([id])
    statements.run(ARCHIVE_TABLES.record.update, toRecordColumns(value))
    // Where the new text has the indexed form of the old one, the trigger has taken it for a stale one.
    statements.run(SQL.setIndexed, { id, ...toIndexedForm(value) })
    context.forget([id])
    for (const sql of SQL.forget) statements.run(sql, { id })
    this.#describe(value, past)
    return before
  }

  #describe(value: ArchiveValue<'record'>, past: PastVectors | null): void {
    const { records, sqliteVectors } = this.#parts
    const id = value.id as RecordId
    if (value.work !== null) records.describe(id, value.work as never)
    if (value.identities.length > 0) records.identify(id, value.identities)
    if (past !== null) sqliteVectors.keep(past.model, [{ id, vectors: past.vectors }])
  }

  #checkReferences({ kind, value }: ArchiveEntry, index: number): void {
    const values = new Map<string, unknown>(Object.entries(value))
    const named = Object.entries(ARCHIVE_TABLES[kind].refersTo).map(
      ([field, table]): [Referred, unknown] => [table, values.get(field)],
    )
    for (const { record, fact } of kind === 'recall' ? value.results : []) {
      named.push(['records', record], ['facts', fact])
    }
    const { statements } = this.#parts
    for (const [table, id] of named) {
      if (typeof id !== 'string' || this.#announced.has(id)) continue
      const within = table === 'sessions' && { namespace: String(values.get('namespace')) }
      if (statements.value(`SELECT ${rowOf(table, 'id')}`, { id, ...within }) !== null) continue
      const name = table.slice(0, -1)
      throw new Refusal(index, `it names the ${name} "${id}", which is not in the lines before it`)
    }
  }
}

function toRecordColumns(value: ArchiveValue<'record'>) {
  const occurredAtMs = value.occurredAt === null ? null : Date.parse(value.occurredAt)
  const contentHash = hashContent({ ...value, kind: value.kind as Kind, occurredAtMs })
  return { ...toColumns('record', value), ...toIndexedForm(value), contentHash }
}

function toRevisionColumns(value: ArchiveValue<'revision'>, past: PastVectors | null) {
  const whole = past?.vectors.whole ?? past?.vectors.chunks[0]?.vector ?? null
  const quantised = whole && quantiseVector(whole)
  return {
    ...toColumns('revision', value),
    ...toIndexedForm(value),
    model: quantised === null ? null : (past?.model.id ?? null),
    scale: quantised?.fine.scale ?? null,
    checksum: quantised && checksumFine(quantised.fine),
    codes: quantised === null ? null : viewFineBytes(quantised.fine),
  }
}

/** A model is the same whenever it was first used. */
function isSame({ kind, value }: ArchiveEntry, stored: ArchiveValue<ArchiveKind>): boolean {
  if (kind === 'model') return value.id === (stored as ArchiveValue<'model'>).id
  return JSON.stringify(value) === JSON.stringify(stored)
}

function listCitationKeys(entries: readonly ArchiveEntry[]): string[] {
  const keys = entries.flatMap((entry) => {
    if (entry.kind === 'record') return entry.value.identities
    return entry.kind === 'link' && entry.value.targetRef !== null ? [entry.value.targetRef] : []
  })
  return [...new Set(keys)]
}
