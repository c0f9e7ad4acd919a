/** Imports a file or a folder once, or again whenever the folder changes. */

import { badInput } from '../core/errors.js'
import { withBackoff } from '../embedding/backoff.js'
import { chooseImporter } from '../import/importers.js'
import { watchFolder } from '../import/watch-folder.js'
import { check } from '../schemas/check.js'
import {
  type ImportInput,
  importRequest,
  type WatchInput,
  watchRequest,
} from '../schemas/record-requests.js'
import type { Archive } from './archive.js'
import type { ImportProgress, ImportReport } from './import-report.js'
import { ImportRun } from './import-run.js'
import type { Context } from './scope.js'
import type { Works } from './works.js'

export type TransferOptions = ImportInput & {
  /** Called after every batch. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Ends the import; what was written stays, and another run continues from there. */
  readonly signal?: AbortSignal
}

export type WatchOptions = TransferOptions &
  WatchInput & {
    /** Called after each import, the first one included. */
    readonly onReport?: (report: ImportReport) => void
    /** Called when an import fails; the next change tries again. */
    readonly onError?: (error: unknown) => void
  }

export type Watch = {
  /** The report of the first import. */
  readonly first: ImportReport
  /** Stops after the import that is under way. */
  stop(): Promise<void>
  /** Resolves when it was stopped, also by the signal. */
  readonly done: Promise<void>
}

export type ImportParts = Pick<Context, 'storage' | 'indexer' | 'scope' | 'log' | 'now'> & {
  readonly archive: Archive
  readonly importWorks: Works['import']
}

export type Imports = ReturnType<typeof createImport>

export function createImport(parts: ImportParts) {
  const importPath = async (
    path: string,
    { onProgress = () => {}, signal, ...input }: TransferOptions = {},
  ): Promise<ImportReport> => {
    const request = check(importRequest, input)
    if (request.namespace !== undefined) parts.scope.assertContains(request.namespace)
    const { importer, ...place } = await chooseImporter(path, { format: request.format })
    if (importer.name === 'archive') {
      return parts.archive.importFile({ request, place, reader: importer, onProgress, signal })
    }
    const indexer = withBackoff(parts.indexer)
    const chosen = { ...place, importer, onProgress, signal }
    return new ImportRun({ ...parts, indexer }, request, chosen).run()
  }

  /** Returns after the first import. */
  const watch = async (folder: string, options: WatchOptions = {}): Promise<Watch> => {
    const { debounceMs, pollMs, onReport = () => {}, onError = () => {}, ...rest } = options
    const given = Object.entries({ debounceMs, pollMs }).filter(([, value]) => value !== undefined)
    const times = check(watchRequest, Object.fromEntries(given))
    const { importer, path, isFolder } = await chooseImporter(folder, { format: rest.format })
    if (!isFolder) throw badInput(`${folder} is no folder, and only folders can be watched.`)
    const { signal } = rest
    const importOnce = async (): Promise<ImportReport> => {
      // The format is fixed: files that appear later must not make the folder another source.
      const report = await importPath(path, { ...rest, format: importer.name })
      onReport(report)
      return report
    }
    let first: Promise<ImportReport> | null = null
    const watching = await watchFolder(path, {
      ...times,
      onChange: async () => {
        await first?.catch(() => {})
        if (signal?.aborted) return
        await importOnce().catch((error: unknown) => {
          if (!signal?.aborted) onError(error)
        })
      },
    })
    let finish = (): void => {}
    const done = new Promise<void>((resolve) => {
      finish = resolve
    })
    const stop = async (): Promise<void> => {
      signal?.removeEventListener('abort', stop)
      await watching.stop()
      finish()
    }
    signal?.addEventListener('abort', stop)
    try {
      first = importOnce()
      return { first: await first, stop, done }
    } catch (error) {
      await stop()
      throw error
    }
  }

  return { import: importPath, watch }
}
