/** While much is written, a second thread moves the log into the file; without it, nothing is lost but time. */

import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { findWorkerFile, startWorker } from '../../core/worker.js'
import { LOG_BYTES, limitLog } from './connect.js'

export type LogOrder = 'move' | 'end'
export type LogReport = 'ready'

/** Records of one write that make it a large one; the second of these starts the thread. */
export const MANY_RECORDS = 200
const WRITES_BEFORE = 2
/**
 * Once so many have been written, some 30 MB, it is told to move what there is: pages that change with every write are moved once for
 * several, and the disk is waited for less often.
 */
const RECORDS_PER_MOVE = 4000
/**
 * With the thread, the log may have 256 MB before the connection that writes has to move it itself: then nearly all of it is in the
 * file already. SQLite begins the log anew only between two transactions with nothing left to move.
 */
export const LONG_LOG_BYTES = 16 * LOG_BYTES
const IDLE_MS = 60_000

export type LogThreadOptions = {
  /** The thread's code. Default: as it was built; none on a machine with one core, which would only be kept from its work. */
  readonly workerFile?: string
  readonly idleMs?: number
}

/**
 * To move pages means to wait for the disk twice, in the middle of a bulk addition: a tenth of its time. For one connection;
 * to be closed before it, since whoever closes a file last empties the log.
 */
export class LogThread {
  readonly #db: Database
  readonly #options: LogThreadOptions
  #worker: Worker | null = null
  #hasEnded: Promise<void> = Promise.resolve()
  #idle: NodeJS.Timeout | null = null
  #largeWrites = 0
  /** Records that were written since. */
  #unmoved = 0
  /** Closed, or it ended by itself: there is something about this file or machine that it cannot do. */
  #isOver = false

  constructor(db: Database, options: LogThreadOptions = {}) {
    this.#db = db
    this.#options = options
  }

  /** Inside the transaction that writes so many records: it is committed before anything else is done. */
  noteWrite(records: number): void {
    if (records >= MANY_RECORDS && !this.#db.memory) setImmediate(() => this.#noteLarge(records))
  }

  async close(): Promise<void> {
    this.#isOver = true
    this.#end()
    await this.#hasEnded
  }

  #noteLarge(records: number): void {
    if (this.#isOver) return
    this.#largeWrites++
    this.#unmoved += records
    if (this.#largeWrites < WRITES_BEFORE) return
    this.#worker ??= this.#start()
    if (this.#unmoved >= RECORDS_PER_MOVE) {
      this.#worker?.postMessage('move' satisfies LogOrder)
      this.#unmoved = 0
    }
    this.#stayAwake()
    this.#idle = setTimeout(() => this.#end(), this.#options.idleMs ?? IDLE_MS).unref()
  }

  #stayAwake(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = null
  }

  /** It starts anew with the next large writes. */
  #end(): void {
    this.#stayAwake()
    this.#largeWrites = 0
    this.#unmoved = 0
    const worker = this.#worker
    this.#worker = null
    // It moves the rest, and the program waits for it.
    worker?.ref()
    worker?.postMessage('end' satisfies LogOrder)
  }

  #start(): Worker | null {
    const workerFile = this.#options.workerFile ?? findWorker()
    if (workerFile === null) return null
    try {
      const worker = startWorker(workerFile, this.#db.name)
      worker.on('message', (_: LogReport) => this.#prepareFor('bulk'))
      const earlier = this.#hasEnded
      this.#hasEnded = new Promise((resolve) => {
        worker.on('exit', () => {
          if (this.#worker === worker) this.#isOver = true
          // Not where another has started while this one ended.
          if (this.#worker === null || this.#isOver) this.#prepareFor('few')
          resolve(earlier)
        })
      })
      // A program that has done its work may end without a word.
      worker.unref()
      return worker
    } catch {
      this.#isOver = true
      return null
    }
  }

  /**
   * What a statement may have to undo SQLite keeps in a file of its own beyond some pages: about one for every record of a bulk addition.
   * In memory that is a few megabytes at most. But so is whatever is sorted, so it is not always there.
   */
  #prepareFor(writes: 'bulk' | 'few'): void {
    if (!this.#db.open) return
    const isBulk = writes === 'bulk'
    limitLog(this.#db, isBulk ? LONG_LOG_BYTES : LOG_BYTES)
    this.#db.pragma(`temp_store = ${isBulk ? 'MEMORY' : 'DEFAULT'}`)
  }
}

function findWorker(): string | null {
  return availableParallelism() > 1 ? findWorkerFile('log-worker.js') : null
}
