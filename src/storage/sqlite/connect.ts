/** A connection is either ready to use, or refused with a sentence that says why. */

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import { explainSqliteError, sqliteCode } from './errors.js'
import { migrate, readFormat } from './migrate.js'
import { isForFolder, readWhole } from './read-whole.js'

export type ConnectOptions = {
  /** A path, or `:memory:`. */
  readonly file: string
  readonly programVersion: string
  /** False refuses a file that is not there yet. */
  readonly create: boolean
  readonly readOnly: boolean
  /** How long a write waits for another process's. */
  readonly busyTimeoutMs: number
  /** Sees the text of every statement that runs. */
  readonly trace: ((sql: string) => void) | null
}

export function connect(options: ConnectOptions): Database.Database {
  const { file } = options
  if (file !== ':memory:') checkPath(file, options)
  try {
    return openAndPrepare(options)
  } catch (error) {
    const whole = isForFolder(error) ? openWhole(options) : null
    if (whole !== null) return whole
    throw explainSqliteError(error, file)
  }
}

function checkPath(file: string, { create, readOnly }: ConnectOptions): void {
  const isThere = existsSync(file)
  if (isThere && statSync(file).isDirectory()) {
    throw new CairnError('unreadable_file', {
      message: `${file} is a folder, not a file.`,
      hint: 'Name a file in it, such as notes.cairn.',
    })
  }
  if (!isThere && (!create || readOnly)) {
    throw new CairnError('no_database', {
      message: `There is no Cairn file at ${file} yet.`,
      hint: 'Add something first with `cairn add "…"`, or name another file with --db.',
    })
  }
  if (!isThere) {
    makeFolder(dirname(file))
    assertNothingLeft(file)
  }
}

/** A new file would take the log of a deleted one, or of one that another program still has open, for its own. */
function assertNothingLeft(file: string): void {
  const left = [`${file}-wal`, `${file}-shm`].filter((path) => existsSync(path))
  // Looked for last: another process may just have created all three.
  if (left.length === 0 || existsSync(file)) return
  throw new CairnError('file_changed', {
    message: `${file} was deleted, and ${left.join(' and ')} of it ${left.length === 1 ? 'is' : 'are'} still there.`,
    hint: 'Close the programs that have it open, remove what is left of it, and try again.',
  })
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (cause) {
    throw new CairnError('unreadable_file', {
      message: `The folder ${folder} cannot be created.`,
      hint: 'Name a file in a folder you may write to with --db.',
      cause,
    })
  }
}

function openAndPrepare(options: ConnectOptions): Database.Database {
  const { file, readOnly } = options
  return prepared(new Database(file, { readonly: readOnly, ...openingOptions(options) }), options)
}

/** SQLite needs files of its own beside one with a log, unless the whole of it is in memory. */
function openWhole(options: ConnectOptions): Database.Database | null {
  const db = readWhole(options.file, openingOptions(options))
  return db === null ? null : prepared(db, { ...options, readOnly: true })
}

function openingOptions({ busyTimeoutMs, trace }: ConnectOptions): Database.Options {
  const verbose = trace === null ? {} : { verbose: (sql: unknown) => trace(String(sql)) }
  return { timeout: busyTimeoutMs, ...verbose }
}

function prepared(db: Database.Database, options: ConnectOptions): Database.Database {
  try {
    prepare(db, options)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Kept pages of the file, at most: SQLite's own 2 MB would read the index again for every search. */
const CACHE_KIB = 64 * 1024

/**
 * Of a new file; SQLite's own default is half of it. Two pieces of FTS5's index and four abstracts fit, so a bulk addition writes half as
 * many, and each costs two calls of the system: docs/decisions/0026-page-size.md.
 */
const PAGE_BYTES = 8192

/**
 * How much the log holds before it is moved into the file. A bulk addition changes the same inner pages again and again, and each that is
 * moved is written, and waited for, once more.
 */
const LOG_BYTES = 16 * 1024 * 1024

function prepare(db: Database.Database, options: ConnectOptions): void {
  // Asked before anything is changed, so that another program's file keeps even its journal mode.
  const format = readFormat(db, options.file, options.programVersion)
  db.pragma(`cache_size = -${CACHE_KIB}`)
  if (options.readOnly) {
    if (format === 0) {
      throw new CairnError('not_a_cairn_file', { message: `${options.file} is empty.` })
    }
    return
  }
  // A file that has a page keeps the size of it.
  if (format === 0) db.pragma(`page_size = ${PAGE_BYTES}`)
  switchToWal(db, options.busyTimeoutMs)
  db.pragma('synchronous = NORMAL')
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  db.pragma(`wal_autocheckpoint = ${Math.ceil(LOG_BYTES / pageBytes)}`)
  db.pragma('foreign_keys = ON')
  // What is deleted is overwritten with zeros: `purge` must leave no bytes behind.
  db.pragma('secure_delete = ON')
  migrate(db, options.file, options.programVersion)
}

/** The switch itself does not wait for other connections, whatever the timeout says: so it is tried again. */
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
