/** A change below a folder is noticed soon where the system tells of it, and in the end everywhere. */

import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { hashValue } from './fields.js'
import { walk } from './files.js'

export type WatchOptions = {
  /** Called when it has been quiet for a while after a change; never twice at once. */
  readonly onChange: () => Promise<void>
  readonly debounceMs: number
  /** How often the names, sizes and times of all files are compared. */
  readonly pollMs: number
}

export type Watching = {
  /** Waits for what is under way. */
  stop(): Promise<void>
}

/** Takes a first look at once. */
export async function watchFolder(folder: string, options: WatchOptions): Promise<Watching> {
  const watching = new FolderWatch(folder, options)
  await watching.start()
  return watching
}

class FolderWatch implements Watching {
  readonly #folder: string
  readonly #options: WatchOptions
  #watcher: FSWatcher | null = null
  #quiet: NodeJS.Timeout | null = null
  #poll: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #isAskedAgain = false
  #isStopped = false
  #last: string | null = null

  constructor(folder: string, options: WatchOptions) {
    this.#folder = folder
    this.#options = options
  }

  async start(): Promise<void> {
    this.#last = await signatureOf(this.#folder)
    this.#listen()
    this.#pollLater()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#watcher?.close()
    if (this.#quiet !== null) clearTimeout(this.#quiet)
    if (this.#poll !== null) clearTimeout(this.#poll)
    await this.#running
  }

  /** Without it, and for what it does not tell, there is the comparison. */
  #listen(): void {
    try {
      this.#watcher = watch(this.#folder, { recursive: true }, () => this.#noticed())
      this.#watcher.on('error', () => {
        this.#watcher?.close()
        this.#watcher = null
      })
    } catch {
      this.#watcher = null
    }
  }

  #noticed(): void {
    if (this.#isStopped) return
    if (this.#quiet !== null) clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => {
      this.#quiet = null
      this.#run()
    }, this.#options.debounceMs)
  }

  #run(): void {
    if (this.#isStopped) return
    if (this.#running !== null) {
      this.#isAskedAgain = true
      return
    }
    this.#running = this.#look().finally(() => {
      this.#running = null
      if (!this.#isAskedAgain) return
      this.#isAskedAgain = false
      this.#run()
    })
  }

  async #look(): Promise<void> {
    // Before the reading: what changes meanwhile is another change.
    this.#last = await signatureOf(this.#folder)
    await this.#options.onChange()
  }

  #pollLater(): void {
    this.#poll = setTimeout(async () => {
      const now = await signatureOf(this.#folder)
      if (this.#isStopped) return
      if (now !== this.#last && this.#running === null) this.#run()
      this.#pollLater()
    }, this.#options.pollMs)
  }
}

/** The same as long as no file came, went, grew or was written; null where the folder cannot be read. */
async function signatureOf(folder: string): Promise<string | null> {
  const files: unknown[] = []
  try {
    for await (const file of walk(folder)) {
      if (file.kind === 'skipped') continue
      const found = await stat(file.path).catch(() => null)
      files.push([file.name, found?.size, found?.mtimeMs])
    }
    return hashValue(files)
  } catch {
    return null
  }
}
