/** Opens a connection that is ready to use, or throws an error that explains why it cannot. */

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import { damagedFile, explainSqliteError, isDamage, sqliteCode } from './errors.js'
import { memory } from './migrations/0001-memory.js'
import { records } from './migrations/0001-records.js'

export type ConnectOptions = {
  /** A path, or `:memory:`. */
  readonly file: string
  readonly programVersion: string
  /** False refuses a file that does not exist yet. */
  readonly create: boolean
  readonly readOnly: boolean
  readonly busyTimeoutMs: number
  readonly trace: ((sql: string) => void) | null
  /** Opens a damaged file too, read-only, with as much of its schema as can be read. Default: false. */
  readonly salvage?: boolean
}

/** SQLite's default of 2 MB would read the index again for every search. */
const CACHE_KIB = 64 * 1024
/** For new files. Twice SQLite's default: half the system calls of a bulk addition (docs/decisions/0026-page-size.md). */
const PAGE_BYTES = 8192
/** The size of the log at which a checkpoint runs. A bulk addition changes the same inner pages again and again. */
const LOG_BYTES = 16 * 1024 * 1024

/** Forward only: the position in this list, from 1, is the format that the step makes. Until the first release, edit step 1. */
const MIGRATIONS: readonly string[] = [records + memory]
export const FORMAT = MIGRATIONS.length
/** "CARN": tells `file` and other programs that this is a Cairn database. */
const APPLICATION_ID = 0x4341524e

const MAGIC = 'SQLite format 3\0'
const MAX_BYTES_IN_MEMORY = 1_073_741_824
const SQL = {
  tables: `SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`,
  /** Files from before the first release may have format 1 and lack this table. */
  isComplete: `SELECT count(*) FROM sqlite_schema WHERE name = 'tokens'`,
  setMeta: `INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  getMeta: 'SELECT value FROM meta WHERE key = ?',
} as const

export function connect(options: ConnectOptions): Database.Database {
  const { file, readOnly, busyTimeoutMs, trace } = options
  if (file !== ':memory:') checkPath(options)
  const verbose = trace === null ? {} : { verbose: (sql: unknown) => trace(String(sql)) }
  const opening = { timeout: busyTimeoutMs, ...verbose }
  try {
    return prepare(new Database(file, { readonly: readOnly, ...opening }), options)
  } catch (error) {
    // SQLite writes files beside a database with a log. If it cannot, the whole file is read into memory.
    const isFolderReadOnly = /^SQLITE_(READONLY|CANTOPEN)/.test(sqliteCode(error) ?? '')
    const copy = isFolderReadOnly ? readWhole(file) : null
    if (copy === null)
      throw wasDatabase(file, error) ? damagedFile(file, error) : explainSqliteError(error, file)
    return prepare(openBytes(copy, { ...opening, readonly: true }), { ...options, readOnly: true })
  }
}

/** Whether a file was a database: it begins like one, or its first page was zeroed. */
function wasDatabase(file: string, error: unknown): boolean {
  if (sqliteCode(error) !== 'SQLITE_NOTADB') return false
  const first = Buffer.alloc(MAGIC.length)
  const opened = openSync(file, 'r')
  readSync(opened, first)
  closeSync(opened)
  return first.toString('latin1') === MAGIC || first.every((byte) => byte === 0)
}

function checkPath({ file, create, readOnly }: ConnectOptions): void {
  const exists = existsSync(file)
  if (exists && statSync(file).isDirectory()) {
    throw new CairnError('unreadable_file', {
      message: `${file} is a folder, not a file.`,
      hint: 'Name a file in it, such as notes.cairn.',
    })
  }
  if (exists) return
  if (!create || readOnly) {
    throw new CairnError('no_database', {
      message: `There is no Cairn file at ${file} yet.`,
      hint: 'Make it with `cairn add "…"` or `cairn session start`, or name another file with --db.',
    })
  }
  try {
    mkdirSync(dirname(file), { recursive: true })
  } catch (cause) {
    throw new CairnError('unreadable_file', {
      message: `The folder ${dirname(file)} cannot be created.`,
      hint: 'Name a file in a folder you may write to with --db.',
      cause,
    })
  }
  assertNoLeftovers(file)
}

/** Refuses to create a file beside the log of a deleted one, which SQLite would take for the log of the new file. */
export function assertNoLeftovers(file: string): void {
  const left = listLeftovers(file)
  // Checked last: another process may just have created all three.
  if (left.length === 0 || existsSync(file)) return
  throw new CairnError('file_changed', {
    message: `${file} was deleted, but ${left.join(' and ')} ${left.length === 1 ? 'is' : 'are'} still there.`,
    hint: 'Close the programs that have it open, remove what is left of it, and try again.',
  })
}

/** The files that SQLite writes beside a database that is open, or was not closed. */
export function listLeftovers(file: string): string[] {
  return ['-wal', '-shm', '-journal'].map((end) => file + end).filter((path) => existsSync(path))
}

function prepare(db: Database.Database, options: ConnectOptions): Database.Database {
  const { file, programVersion, readOnly, busyTimeoutMs } = options
  try {
    if (options.salvage) return loadSchema(db, file)
    // Read before anything is changed, so that another program's file keeps even its journal mode.
    const format = readFormat(db, file, programVersion)
    db.pragma(`cache_size = -${CACHE_KIB}`)
    if (readOnly) {
      if (format > 0) return db
      throw new CairnError('not_a_cairn_file', { message: `${file} is empty.` })
    }
    // Has no effect on a file that already has pages.
    db.pragma(`page_size = ${PAGE_BYTES}`)
    switchToWal(db, busyTimeoutMs)
    db.pragma('synchronous = NORMAL')
    const pageBytes = Number(db.pragma('page_size', { simple: true }))
    db.pragma(`wal_autocheckpoint = ${Math.ceil(LOG_BYTES / pageBytes)}`)
    db.pragma('foreign_keys = ON')
    // Overwrites deleted content with zeros: `purge` must leave no bytes behind.
    db.pragma('secure_delete = ON')
    if (format < FORMAT) migrate(db, file, programVersion)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** With `writable_schema`, the first statement fails on a damaged schema, and later ones use the part that was loaded. */
function loadSchema(db: Database.Database, file: string): Database.Database {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) throw notOurs(file)
  db.unsafeMode(true)
  db.pragma('writable_schema = ON')
  try {
    db.prepare(SQL.tables).get()
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  return db
}

/** Retries, because SQLite ignores the busy timeout for this switch. */
function switchToWal(db: Database.Database, timeoutMs: number): void {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    try {
      db.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (!sqliteCode(error)?.startsWith('SQLITE_BUSY') || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

export function migrate(db: Database.Database, file: string, programVersion: string): void {
  if (readFormat(db, file, programVersion) === FORMAT) return
  db.transaction(() => {
    // Another process may have migrated the file while this one waited for the lock.
    const format = readFormat(db, file, programVersion)
    if (format === FORMAT) return
    for (const migration of MIGRATIONS.slice(format)) db.exec(migration)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${FORMAT}`)
    db.prepare(SQL.setMeta).run('writtenBy', programVersion)
  }).immediate()
}

/** The format of the file, 0 for an empty one. Refuses files of other formats and of other programs. */
export function readFormat(db: Database.Database, file: string, programVersion: string): number {
  const owner = db.pragma('application_id', { simple: true })
  const format = Number(db.pragma('user_version', { simple: true }))
  if (owner !== APPLICATION_ID) {
    if (db.prepare(SQL.tables).pluck().get() === 0) return 0
    // Another process may have created the tables between the two questions.
    const isOurs = db.pragma('application_id', { simple: true }) === APPLICATION_ID
    if (isOurs) return readFormat(db, file, programVersion)
    throw notOurs(file)
  }
  if (format > FORMAT || db.prepare(SQL.isComplete).pluck().get() === 0) {
    const writer = db.prepare(SQL.getMeta).pluck().get('writtenBy')
    throw new CairnError('newer_format', {
      message:
        format === FORMAT
          ? `${file} has an earlier form of format ${FORMAT}, from before the first release.`
          : `${file} was written by Cairn ${String(writer)} in another format (${format}); ` +
            `this is Cairn ${programVersion}, which reads format ${FORMAT}.`,
      hint: 'Open it with the version that wrote it, export it there with `cairn export`, or start a new file.',
    })
  }
  return format
}

function notOurs(file: string): CairnError {
  return new CairnError('not_a_cairn_file', {
    message: `${file} is a SQLite database of another program.`,
    hint: 'Name another file with --db; Cairn leaves this one as it is.',
  })
}

/** The bytes of a file in a read-only folder; null if the file itself cannot be read. */
export function readWhole(file: string): Buffer | null {
  const sizeOf = (path: string): number => {
    try {
      return statSync(path).size
    } catch {
      return 0
    }
  }
  const refuse = (reason: string) =>
    new CairnError('read_only', {
      message: `${file} ${reason}, and its folder cannot be written to.`,
      hint: 'Copy it, with the files beside it that have its name, to a folder you may write to.',
    })
  const bytes = sizeOf(file)
  if (bytes === 0 || sizeOf(`${file}-shm`) > 0) return null
  if (sizeOf(`${file}-wal`) > 0) {
    throw refuse(`has a log, ${file}-wal, that is still to be brought into it`)
  }
  if (bytes > MAX_BYTES_IN_MEMORY) throw refuse('is too large to be held in memory')
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}

export function openBytes(bytes: Buffer, options: Database.Options = {}): Database.Database {
  // The write and read versions in the header: 2 means a file with a log, 1 one without.
  bytes.fill(1, 18, 20)
  return new Database(bytes, options)
}
