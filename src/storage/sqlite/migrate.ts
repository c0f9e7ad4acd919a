/** Creates the tables of a new file, and refuses a file of another format or program. */

import type { Database } from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import { memory } from './migrations/0001-memory.js'
import { records } from './migrations/0001-records.js'

/** Forward only: the position in this list, from 1, is the format that the step makes. Until the first release, edit step 1. */
const MIGRATIONS: readonly string[] = [records + memory]

export const FORMAT = MIGRATIONS.length

/** "CARN": tells `file` and other programs that this is a Cairn database. */
export const APPLICATION_ID = 0x4341524e

const SQL = {
  tables: `SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`,
  /** Files from before the first release may have the format number 1 and no such table. */
  isComplete: `SELECT count(*) FROM sqlite_schema WHERE name = 'imports'`,
  setMeta: `INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  getMeta: 'SELECT value FROM meta WHERE key = ?',
} as const

export function migrate(db: Database, file: string, programVersion: string): void {
  if (readFormat(db, file, programVersion) === FORMAT) return
  db.transaction(() => {
    // Another process may have done it while this one waited for the lock.
    const format = readFormat(db, file, programVersion)
    if (format === FORMAT) return
    for (const migration of MIGRATIONS.slice(format)) db.exec(migration)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${FORMAT}`)
    db.prepare(SQL.setMeta).run('writtenBy', programVersion)
  }).immediate()
}

/** The format of the file, 0 for an empty one. */
export function readFormat(db: Database, file: string, programVersion: string): number {
  const owner = db.pragma('application_id', { simple: true })
  const format = Number(db.pragma('user_version', { simple: true }))
  if (owner !== APPLICATION_ID) {
    if (db.prepare(SQL.tables).pluck().get() === 0) return 0
    // Another process may have created the tables between the two questions.
    const isOurs = db.pragma('application_id', { simple: true }) === APPLICATION_ID
    if (isOurs) return readFormat(db, file, programVersion)
    throw new CairnError('not_a_cairn_file', {
      message: `${file} is a SQLite database of another program.`,
      hint: 'Name another file with --db; Cairn leaves this one as it is.',
    })
  }
  if (format > FORMAT || db.prepare(SQL.isComplete).pluck().get() === 0) {
    const writer = db.prepare(SQL.getMeta).pluck().get('writtenBy')
    throw new CairnError('newer_format', {
      message:
        `${file} was written by Cairn ${String(writer)} in another format (${format}); ` +
        `this is Cairn ${programVersion}, which reads format ${FORMAT}.`,
      hint: 'Open it with the version that wrote it, export it there with `cairn export`, or start a new file.',
    })
  }
  return format
}
