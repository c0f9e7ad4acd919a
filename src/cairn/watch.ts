/** Repeats an import or a mirror whenever its folder or the records have changed, until it is stopped. */

import { watchFolder } from '../import/watch-folder.js'
import { check } from '../schemas/check.js'
import { type WatchInput, watchRequest } from '../schemas/record-requests.js'

export type Watch<Report> = {
  /** The report of the first run. */
  readonly first: Report
  /** Stops after the run that is under way. */
  stop(): Promise<void>
  /** Resolves when it was stopped, also by the signal. */
  readonly done: Promise<void>
}

export type WatchCallbacks<Report> = WatchInput & {
  /** Called after each run, the first one included. */
  readonly onReport?: (report: Report) => void
  /** Called when a later run fails; the next change tries again. */
  readonly onError?: (error: unknown) => void
  /** Ends the watch. */
  readonly signal?: AbortSignal
}

type WatchedRuns<Report> = WatchCallbacks<Report> & {
  readonly run: () => Promise<Report>
  /** Changes with the records; without it only the folder is watched. */
  readonly version?: () => Promise<string>
}

/** Asking SQLite for its version takes microseconds. */
const VERSION_POLL_MS = 1000

/** Returns after the first run. */
export async function watchRuns<Report>(
  folder: string,
  { run, onReport, onError, signal, version, ...input }: WatchedRuns<Report>,
): Promise<Watch<Report>> {
  const times = check(watchRequest, input)
  let first: Promise<Report> | null = null
  let seen: string | undefined
  const runOnce = async (): Promise<Report> => {
    // Asked first, so that a write during the run is followed by another one.
    seen = await version?.()
    const report = await run()
    onReport?.(report)
    return report
  }
  const watching = await watchFolder(folder, {
    ...times,
    onChange: async () => {
      await first?.catch(() => {})
      if (signal?.aborted) return
      await runOnce().catch((error: unknown) => {
        if (!signal?.aborted) onError?.(error)
      })
    },
  })
  const checkVersion = async (): Promise<void> => {
    // A file that was closed has none.
    const now = await version?.().catch(() => seen)
    if (now !== seen) watching.run()
  }
  const timer = version && setInterval(checkVersion, VERSION_POLL_MS)
  let finish = (): void => {}
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  const stop = async (): Promise<void> => {
    signal?.removeEventListener('abort', stop)
    clearInterval(timer)
    await watching.stop()
    finish()
  }
  signal?.addEventListener('abort', stop)
  try {
    signal?.throwIfAborted()
    first = runOnce()
    return { first: await first, stop, done }
  } catch (error) {
    await stop()
    throw error
  }
}
