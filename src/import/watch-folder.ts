/** Watches a folder by events of the system, if it sends any, and by polling. */

import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { walk } from './files.js'
import { hashValue } from './values.js'

type WatchOptions = {
  /** Called after a quiet period that follows a change; never twice at once. */
  readonly onChange: () => Promise<void>
  readonly debounceMs: number
  /** How often the names, sizes and times of all files are compared. */
  readonly pollMs: number
}

export async function watchFolder(folder: string, { onChange, debounceMs, pollMs }: WatchOptions) {
  let signature = await computeSignature(folder)
  let running: Promise<void> | null = null
  let isRunNeeded = false
  let isStopped = false
  let debounce: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined

  const update = async (): Promise<void> => {
    // Computed first, so that a change during `onChange` is found by the next poll.
    signature = await computeSignature(folder)
    await onChange()
  }
  const run = (): void => {
    isRunNeeded = true
    if (isStopped || running !== null) return
    isRunNeeded = false
    running = update().finally(() => {
      running = null
      if (isRunNeeded) run()
    })
  }
  const schedulePoll = (): void => {
    poll = setTimeout(async () => {
      const now = await computeSignature(folder)
      if (isStopped) return
      if (now !== signature && running === null) run()
      schedulePoll()
    }, pollMs)
  }
  const watcher = startWatcher(folder, () => {
    if (isStopped) return
    clearTimeout(debounce)
    debounce = setTimeout(run, debounceMs)
  })
  schedulePoll()
  return {
    /** Calls `onChange` although nothing in the folder has changed. */
    run,
    /** Waits for a running `onChange`. */
    stop: async (): Promise<void> => {
      isStopped = true
      watcher?.close()
      clearTimeout(debounce)
      clearTimeout(poll)
      await running
    },
  }
}

/** Null if the system cannot watch the folder; polling then finds the changes. */
function startWatcher(folder: string, onEvent: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { recursive: true }, onEvent)
    return watcher.on('error', () => watcher.close())
  } catch {
    return null
  }
}

/** Changes whenever a file appears, disappears or is written; null if the folder cannot be read. */
async function computeSignature(folder: string): Promise<string | null> {
  const files: unknown[] = []
  try {
    for await (const file of walk(folder)) {
      if (file.kind !== 'file') continue
      const found = await stat(file.path).catch(() => null)
      files.push([file.name, found?.size, found?.mtimeMs])
    }
    return hashValue(files)
  } catch {
    return null
  }
}
