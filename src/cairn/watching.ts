/** A folder and what was imported from it stay in step until it is told to stop. */

import { badInput } from '../core/errors.js'
import { chooseImporter } from '../import/importers.js'
import { watchFolder } from '../import/watch-folder.js'
import { check } from '../schemas/check.js'
import { type WatchInput, watchRequest } from '../schemas/import-request.js'
import type { ImportReport } from './import-report.js'
import type { Importing, TransferOptions } from './importing.js'

export type WatchOptions = TransferOptions &
  WatchInput & {
    /** Called after each pass, the first one included. */
    readonly onReport?: (report: ImportReport) => void
    /** Called when a pass fails; the next change tries again. */
    readonly onError?: (error: unknown) => void
  }

export type Watch = {
  /** What the first pass did. */
  readonly first: ImportReport
  /** Waits for the pass that is under way. */
  stop(): Promise<void>
  /** Resolves when it was stopped, also by the signal. */
  readonly done: Promise<void>
}

/** Comes back after the first pass. */
export async function watchAndImport(
  importing: Importing,
  folder: string,
  options: WatchOptions,
): Promise<Watch> {
  const { debounceMs, pollMs, onReport = () => {}, onError = () => {}, ...rest } = options
  const given = Object.entries({ debounceMs, pollMs }).filter(([, value]) => value !== undefined)
  const times = check(watchRequest, Object.fromEntries(given))
  const { importer, path, isFolder } = await chooseImporter(folder, { format: rest.format })
  if (!isFolder) throw badInput(`${folder} is no folder, and only folders can be watched.`)
  // What is in the folder later must not make it another source.
  const pass = async (): Promise<ImportReport> => {
    const report = await importing(path, { ...rest, format: importer.name })
    onReport(report)
    return report
  }
  const { signal } = rest
  let first: Promise<ImportReport> | null = null
  const watching = await watchFolder(path, {
    ...times,
    onChange: async () => {
      await first?.catch(() => {})
      if (signal?.aborted) return
      await pass().catch((error: unknown) => {
        if (!signal?.aborted) onError(error)
      })
    },
  })
  let finish = (): void => {}
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  const stop = async (): Promise<void> => {
    signal?.removeEventListener('abort', onAbort)
    await watching.stop()
    finish()
  }
  const onAbort = (): void => void stop()
  signal?.addEventListener('abort', onAbort)
  try {
    first = pass()
    return { first: await first, stop, done }
  } catch (error) {
    await stop()
    throw error
  }
}
