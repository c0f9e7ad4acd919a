/** A file whose folder cannot be written to is read whole and searched all the same, or a sentence says why not. */

import { readFileSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import { sqliteCode } from './errors.js'

/** What a process may well hold; a larger file belongs where SQLite can keep its own small files beside it. */
const MAX_BYTES = 1_073_741_824
/** "The file format write version" and "read version" of the header: 2 is a file with a log, 1 one without. */
const VERSION_BYTES = [18, 19] as const

/** The folder is why a file that can be read could not be opened. */
export function isForFolder(error: unknown): boolean {
  const code = sqliteCode(error)
  return code !== null && /^SQLITE_(READONLY|CANTOPEN)/.test(code)
}

/** Null where the file itself is what cannot be read. */
export function readWhole(
  file: string,
  options: Omit<Database.Options, 'readonly'>,
): Database.Database | null {
  const bytes = sizeOf(file)
  if (bytes === 0 || sizeOf(`${file}-shm`) > 0) return null
  if (sizeOf(`${file}-wal`) > 0) {
    throw unwritable(file, `has a log, ${file}-wal, that is still to be brought into it`)
  }
  if (bytes > MAX_BYTES) throw unwritable(file, 'is too large to be held in memory')
  const copy = readBytes(file)
  if (copy === null) return null
  return openBytes(copy, { ...options, readonly: true })
}

/** The bytes of a file as a database in memory, which has no log beside it. */
export function openBytes(bytes: Buffer, options: Database.Options = {}): Database.Database {
  for (const at of VERSION_BYTES) bytes[at] = 1
  return new Database(bytes, options)
}

function unwritable(file: string, reason: string): CairnError {
  return new CairnError('read_only', {
    message: `${file} ${reason}, and its folder cannot be written to.`,
    hint: 'Copy it, with the files beside it that have its name, to a folder you may write to.',
  })
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function readBytes(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}
