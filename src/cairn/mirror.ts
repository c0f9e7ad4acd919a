/** Keeps records as Markdown files that people edit: once, or whenever one of both sides changes. */

import { mkdir, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { badInput } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import { omitUndefined, textAt } from '../core/json-fields.js'
import { unreadablePath } from '../import/files.js'
import { withFolderLock } from '../import/folder-lock.js'
import type { SkippedNote } from '../import/mirror-folder.js'
import { assertPath, check } from '../schemas/check.js'
import { type MirrorInput, type MirrorRequest, mirrorRequest } from '../schemas/record-requests.js'
import type { History } from './history.js'
import { MirrorRun } from './mirror-run.js'
import type { Records } from './records.js'
import type { Context } from './scope.js'
import { type Watch, type WatchCallbacks, watchRuns } from './watch.js'

export type MirrorChange = {
  readonly side: 'file' | 'record'
  readonly what: 'created' | 'updated' | 'deleted' | 'restored'
  /** The name of the file. For a record whose file is gone, its title or first words. */
  readonly name: string
  /** Null if a dry run would create the record. */
  readonly id: RecordId | null
}

export type MirrorConflict = {
  readonly id: RecordId
  /** The file, which has the folder's version. */
  readonly name: string
  /** The file that has the record's version; null if one side was deleted and the other is kept. */
  readonly copy: string | null
  readonly reason: string
}

export type MirrorCounts = Readonly<Record<MirrorChange['what'], number>>

export type MirrorReport = {
  readonly folder: string
  readonly files: MirrorCounts
  readonly records: MirrorCounts
  readonly unchanged: number
  readonly changes: readonly MirrorChange[]
  readonly conflicts: readonly MirrorConflict[]
  /** Copies that conflicts left and that nobody has deleted yet. */
  readonly unresolved: readonly string[]
  readonly skipped: readonly SkippedNote[]
  readonly durationMs: number
  readonly dryRun: boolean
}

export type MirrorWatchOptions = MirrorInput & WatchCallbacks<MirrorReport>

export type MirrorParts = Pick<Context, 'storage' | 'scope' | 'log' | 'now'> &
  Pick<Records, 'addChecked' | 'edit' | 'delete' | 'restore' | 'list'> &
  Pick<History, 'history'>

export function createMirror(parts: MirrorParts) {
  const mirror = async (folder: string, input: MirrorInput = {}): Promise<MirrorReport> => {
    const startMs = parts.now()
    const request = check(mirrorRequest, input)
    const root = await prepareFolder(folder, request)
    const report = await withFolderLock(root, () => new MirrorRun(parts, root, request).run())
    const { changes, conflicts } = report
    parts.log('info', 'mirror', { changes: changes.length, conflicts: conflicts.length })
    return { ...report, durationMs: parts.now() - startMs }
  }

  /** Returns after the first run. */
  const watch = async (
    folder: string,
    options: MirrorWatchOptions = {},
  ): Promise<Watch<MirrorReport>> => {
    const { debounceMs, pollMs, onReport, onError, signal, ...input } = options
    const request = check(mirrorRequest, input)
    if (request.dryRun) throw badInput('A dry run cannot be watched.')
    const root = await prepareFolder(folder, request)
    return watchRuns(root, {
      ...omitUndefined({ debounceMs, pollMs, onReport, onError, signal }),
      run: () => mirror(root, input),
      version: () => parts.storage.version(),
    })
  }

  return { mirror, watch }
}

/** The whole path of the folder, which is made unless this is a dry run. */
async function prepareFolder(folder: string, { dryRun }: MirrorRequest): Promise<string> {
  assertPath('folder', folder)
  try {
    if (!dryRun) await mkdir(folder, { recursive: true })
    return await realpath(folder)
  } catch (error) {
    const code = textAt(error, 'code')
    if (code === 'ENOENT' && dryRun) return resolve(folder)
    if (code === 'EEXIST' || code === 'ENOTDIR') throw badInput(`${folder} is not a folder.`)
    throw unreadablePath(folder, error)
  }
}
