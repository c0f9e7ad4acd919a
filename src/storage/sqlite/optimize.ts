/** A file is made small and quick again without a word of it changing, or left alone where there is no room. */

import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import type { OptimizeOutcome } from '../storage.js'
import type { Statements } from './statements.js'

/** All segments of an index become one: what it holds of removed records goes, and a search reads one list a word. */
export const MERGE_INDEXES = [
  `INSERT INTO records_ft (records_ft) VALUES ('optimize')`,
  `INSERT INTO revisions_ft (revisions_ft) VALUES ('optimize')`,
] as const

const PAGES = 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size'
const BYTES_PER_MB = 1_048_576
/** An index is at most the file; a vacuum writes the file twice, beside itself and into the log. */
const ROOM = { merge: 1, vacuum: 2 } as const

export type OptimizeParts = {
  readonly db: Database
  readonly statements: Statements
  readonly file: string
  readonly checkpoint: () => boolean
  readonly freeBytes?: FreeBytes | undefined
}

/** The bytes that may still be written to the folder of a file. */
export type FreeBytes = (file: string) => number

export function optimizeFile(parts: OptimizeParts, vacuum: boolean): OptimizeOutcome {
  const { db, statements, file, checkpoint, freeBytes = readFreeBytes } = parts
  const readBytes = () => Number(statements.value(PAGES))
  const bytesBefore = readBytes()
  if (!db.memory) assertRoom(file, freeBytes(file), bytesBefore * ROOM[vacuum ? 'vacuum' : 'merge'])
  db.transaction(() => {
    for (const sql of MERGE_INDEXES) statements.run(sql)
  }).immediate()
  db.pragma('optimize')
  if (vacuum) db.exec('VACUUM')
  checkpoint()
  return { bytesBefore, bytesAfter: readBytes() }
}

function assertRoom(file: string, free: number, needed: number): void {
  if (free >= needed) return
  const megabytes = (bytes: number) => `${Math.ceil(bytes / BYTES_PER_MB)} MB`
  throw new CairnError('disk_full', {
    message: `To optimize ${file} takes up to ${megabytes(needed)} of free space, and ${megabytes(free)} are left; nothing was changed.`,
    hint: 'Free some space on that disk and try again.',
  })
}

function readFreeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}
