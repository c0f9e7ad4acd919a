/** Copies a file while others write to it. */

import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { writeDraft } from '../../core/draft.js'
import { badInput, CairnError } from '../../core/errors.js'
import type { BackupRequest } from '../storage.js'
import { openSnapshot } from './archive/archive.js'
import { assertNoLeftovers, type ConnectOptions, connect, listLeftovers } from './connect.js'
import { damagedFile, explainSqliteError, isDamage } from './errors.js'

/** Other work runs between two steps of a backup; a step takes a few milliseconds. */
const BACKUP_STEP_BYTES = 4 * 1024 * 1024
/** The time that another program has to close the file that is replaced. */
const OTHERS_MS = 250

/** Copies a snapshot of the file to a draft, and renames the draft when it is complete and sound. */
export async function backupFile(
  db: Database.Database,
  options: ConnectOptions,
  { target, force, onProgress }: BackupRequest,
): Promise<number> {
  checkTarget(options.file, target, force)
  // A separate connection: later writes do not restart the copy.
  const snapshot = openSnapshot(db, options)
  const pagesPerStep = BACKUP_STEP_BYTES / Number(db.pragma('page_size', { simple: true }))
  try {
    mkdirSync(dirname(target), { recursive: true })
    return await writeDraft(target, async (draft) => {
      await snapshot.backup(draft, {
        progress: ({ totalPages, remainingPages }) => {
          onProgress({ done: totalPages - remainingPages, total: totalPages })
          return pagesPerStep
        },
      })
      assertSound(options, draft)
      // Once more: another program may have opened the target meanwhile.
      clearLeftovers(target)
      return statSync(draft).size
    })
  } catch (error) {
    throw explainBackupError(error, options.file, target)
  } finally {
    snapshot.close()
  }
}

/** Checks the copy: the copy of a damaged file must not replace a sound file. */
function assertSound(options: ConnectOptions, draft: string): void {
  const copy = connect({ ...options, file: draft, create: false, readOnly: true, trace: null })
  try {
    const found = String(copy.pragma('quick_check(1)', { simple: true }))
    if (found !== 'ok') throw damagedFile(options.file, found)
  } finally {
    copy.close()
  }
}

function checkTarget(file: string, target: string, force: boolean): void {
  if (existsSync(target)) {
    if (statSync(target).isDirectory()) {
      throw badInput(`${target} is a folder.`, 'Name a file in it, such as notes.cairn.')
    }
    if (existsSync(file) && realpathSync(file) === realpathSync(target)) {
      throw badInput(`${target} is the file itself.`, 'Name another file for the copy.')
    }
    if (!force) {
      throw badInput(`The file ${target} is there already.`, 'Name another one, or give --force.')
    }
  }
  clearLeftovers(target)
}

/** SQLite would take the log of the old file for that of the new one. Opening the old file removes it, unless another program has it open. */
function clearLeftovers(target: string): void {
  assertNoLeftovers(target)
  if (listLeftovers(target).length === 0) return
  try {
    const old = new Database(target, { fileMustExist: true, timeout: OTHERS_MS })
    try {
      old.pragma('journal_mode = DELETE')
    } finally {
      old.close()
    }
  } catch {}
  const [left] = listLeftovers(target)
  if (left === undefined) return
  throw new CairnError('locked', {
    message: `${target} is open in another program, or was not closed: there is a ${left}.`,
    hint: 'Close that program, or name another file for the copy.',
  })
}

function explainBackupError(error: unknown, file: string, target: string): unknown {
  if (isDamage(error)) return damagedFile(file, error)
  const explained = explainSqliteError(error, target)
  if (explained !== error || error instanceof CairnError) return explained
  return new CairnError('unreadable_file', {
    message: `The file ${target} cannot be written.`,
    hint: 'Check that its folder is there and may be written to.',
    cause: error,
  })
}
