/** A copy of the file as it is at one moment, whole or not at all, while everybody goes on. */

import { badInput } from '../core/errors.js'
import type { Storage } from '../storage/storage.js'
import { assertWhole } from './archive.js'
import type { Scope } from './scope.js'

export type BackupOptions = {
  /** Replaces a file that is there. Default: false. */
  readonly force?: boolean
  /** Pages of the file that are copied, and how many there are. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

export type BackupAnswer = { readonly file: string; readonly bytes: number }

export type BackupParts = {
  readonly storage: Storage
  readonly scope: Scope
  /** Waits until every recall is written. */
  readonly settled: () => Promise<void>
}

export function createBackup({ storage, scope, settled }: BackupParts) {
  return async (file: string, options: BackupOptions): Promise<BackupAnswer> => {
    const { force = false, onProgress = () => {} } = options
    assertWhole(scope, 'A copy')
    if (file === '') throw badInput('A backup needs the path of a file.')
    await settled()
    const bytes = await storage.backup({ target: file, force, onProgress })
    return { file, bytes }
  }
}
