/** A file is brought to this program's format in one transaction, and a newer one is left alone. */

import type { Database } from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import { records } from './migrations/0001-records.js'
import { meaning } from './migrations/0002-meaning.js'
import { memory } from './migrations/0003-memory.js'
import { works } from './migrations/0004-works.js'
import { imports } from './migrations/0005-imports.js'
import { bulk } from './migrations/0006-bulk.js'

/** Forward only: the position in this list, from 1, is the format that the step makes. */
const MIGRATIONS: readonly string[] = [records, meaning, memory, works, imports, bulk]

export const FORMAT = MIGRATIONS.length

/** "CARN": tells `file` and other programs whose database this is. */
export const APPLICATION_ID = 0x4341524e

const SQL = {
  tables: `SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`,
  setMeta: `INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  getMeta: 'SELECT value FROM meta WHERE key = ?',
} as const

export function migrate(db: Database, file: string, programVersion: string): void {
  if (readFormat(db, file, programVersion) === FORMAT) return
  db.transaction(() => {
    // Another process may have done it while this one waited for the lock.
    const format = readFormat(db, file, programVersion)
    for (const migration of MIGRATIONS.slice(format)) db.exec(migration)
    if (format === FORMAT) return
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${FORMAT}`)
    db.prepare(SQL.setMeta).run('writtenBy', programVersion)
  }).immediate()
}

/** The format of the file, 0 for an empty one; refuses what is not ours to touch. */
export function readFormat(db: Database, file: string, programVersion: string): number {
  const owner = db.pragma('application_id', { simple: true })
  const format = Number(db.pragma('user_version', { simple: true }))
  if (owner !== APPLICATION_ID) {
    if (db.prepare(SQL.tables).pluck().get() === 0) return 0
    // Another process may have made the file ours between the two questions.
    const isOurs = db.pragma('application_id', { simple: true }) === APPLICATION_ID
    if (isOurs) return readFormat(db, file, programVersion)
    throw new CairnError('not_a_cairn_file', {
      message: `${file} is a SQLite database of another program.`,
      hint: 'Name another file with --db; Cairn leaves this one as it is.',
    })
  }
  if (format > FORMAT) {
    const writer = db.prepare(SQL.getMeta).pluck().get('writtenBy')
    throw new CairnError('newer_format', {
      message:
        `${file} was written by Cairn ${String(writer)} (format ${format}); ` +
        `this is Cairn ${programVersion}, which reads up to format ${FORMAT}.`,
      hint: 'Update Cairn, or open the file with the version that wrote it.',
    })
  }
  return format
}
