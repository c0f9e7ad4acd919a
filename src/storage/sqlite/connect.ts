/** Promise: a connection is either ready to use, or refused with a sentence that says why. */

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import { explainSqliteError, sqliteCode } from './errors.js'
import { migrate, readFormat } from './migrate.js'

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
  if (!isThere) makeFolder(dirname(file))
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
  const db = new Database(options.file, {
    readonly: options.readOnly,
    timeout: options.busyTimeoutMs,
    ...(options.trace ? { verbose: (sql: unknown) => options.trace?.(String(sql)) } : {}),
  })
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
  switchToWal(db, options.busyTimeoutMs)
  db.pragma('synchronous = NORMAL')
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
