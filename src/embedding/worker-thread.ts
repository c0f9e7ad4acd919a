/** A thread reads what it is given; when it ends, whatever it had is given back, and nothing else ends. */

import type { Worker } from 'node:worker_threads'
import { startWorker } from '../core/worker.js'
import type { PackedReadings } from './packed-vectors.js'
import type { Given, Made } from './worker-messages.js'

/** A thread that waits for this long is ended: it holds a copy of the model. One that starts anew is slow at first. */
const IDLE_MS = 60_000

/** Starts with the first piece, ends when it has had none for a while, and starts again. */
export class ReadingThread {
  readonly #file: string
  #worker: Worker | null = null
  #idle: NodeJS.Timeout | null = null
  #nextId = 0
  /** What waits for an answer: null says that there will be none. */
  readonly #waiting = new Map<number, (packed: PackedReadings | null) => void>()

  constructor(file: string) {
    this.#file = file
  }

  /** Null where the thread has ended. A piece that somebody else took first is to be forgotten. */
  read(piece: Omit<Given, 'id'>): {
    readonly answer: Promise<PackedReadings | null>
    forget(): void
  } {
    const worker = this.#awake()
    const id = this.#nextId++
    const answer = new Promise<PackedReadings | null>((resolve) => this.#waiting.set(id, resolve))
    if (worker === null) this.#settle(id, null)
    worker?.postMessage({ ...piece, id } satisfies Given)
    return { answer, forget: () => this.#settle(id, null) }
  }

  async close(): Promise<void> {
    this.#stayAwake()
    await this.#worker?.terminate()
  }

  /** Null where no thread can be started, as on a machine without room for one. */
  #awake(): Worker | null {
    this.#stayAwake()
    try {
      this.#worker ??= this.#start()
    } catch {
      return null
    }
    // While somebody waits for it the program must not end.
    this.#worker.ref()
    return this.#worker
  }

  #stayAwake(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = null
  }

  #start(): Worker {
    const worker = startWorker(this.#file)
    worker.on('message', ({ id, packed }: Made) => this.#settle(id, packed))
    worker.on('exit', () => {
      if (this.#worker !== worker) return
      this.#worker = null
      for (const id of [...this.#waiting.keys()]) this.#settle(id, null)
    })
    return worker
  }

  #settle(id: number, packed: PackedReadings | null): void {
    this.#waiting.get(id)?.(packed)
    this.#waiting.delete(id)
    if (this.#waiting.size > 0 || this.#worker === null || this.#idle !== null) return
    // Neither the thread nor its timer keeps a program from ending.
    this.#worker.unref()
    this.#idle = setTimeout(() => void this.#worker?.terminate(), IDLE_MS).unref()
  }
}
