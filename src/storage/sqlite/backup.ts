/** A copy of the file at one moment appears under its name when it is whole, and nothing is lost for it. */

import { randomUUID } from 'node:crypto'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Database } from 'better-sqlite3'
import { badInput, CairnError } from '../../core/errors.js'
import type { BackupRequest } from '../storage.js'
import { openSnapshot } from './archive/snapshot.js'
import type { ConnectOptions } from './connect.js'
import { explainSqliteError } from './errors.js'

/** Between two steps others get their turn: so much takes a few milliseconds. */
const BYTES_AT_ONCE = 4 * 1024 * 1024

export async function backupFile(
  db: Database,
  options: ConnectOptions,
  { target, force, onProgress }: BackupRequest,
): Promise<number> {
  checkTarget(options.file, target, force)
  const draft = `${target}.${randomUUID().slice(0, 8)}.tmp`
  // Copied from a connection that sees one moment: what others write meanwhile makes no step begin again.
  const snapshot = openSnapshot(db, options)
  const pagesAtOnce = BYTES_AT_ONCE / Number(db.pragma('page_size', { simple: true }))
  try {
    await snapshot.backup(draft, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress({ done: totalPages - remainingPages, total: totalPages })
        return pagesAtOnce
      },
    })
    const bytes = statSync(draft).size
    await rename(draft, target)
    return bytes
  } catch (error) {
    throw explain(error, target)
  } finally {
    snapshot.close()
    for (const end of ['', '-journal', '-wal', '-shm']) {
      await rm(`${draft}${end}`, { force: true }).catch(() => {})
    }
  }
}

function checkTarget(file: string, target: string, force: boolean): void {
  if (!existsSync(target)) return
  if (statSync(target).isDirectory()) {
    throw badInput(`${target} is a folder.`, 'Name a file in it, such as notes.cairn.')
  }
  if (existsSync(file) && realpathSync(file) === realpathSync(target)) {
    throw badInput(`${target} is the file itself.`, 'Name another file for the copy.')
  }
  if (!force) {
    throw badInput(`The file ${target} is there already.`, 'Name another one, or give --force.')
  }
  // The log of the old file would be taken for that of the new one.
  if (existsSync(`${target}-wal`) && statSync(`${target}-wal`).size > 0) {
    throw new CairnError('locked', {
      message: `${target} is open in another program, or was not closed: there is a ${target}-wal.`,
      hint: 'Close that program, or name another file for the copy.',
    })
  }
}

function explain(error: unknown, target: string): unknown {
  const explained = explainSqliteError(error, target)
  if (explained !== error || error instanceof CairnError) return explained
  return new CairnError('unreadable_file', {
    message: `The file ${target} cannot be written.`,
    hint: 'Check that its folder is there and may be written to.',
    cause: error,
  })
}
