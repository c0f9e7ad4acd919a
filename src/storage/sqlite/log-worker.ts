/** A thread that moves SQLite's log into the file whenever it is told to, and does nothing else. */

import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { LogOrder, LogReport } from './log-thread.js'

// Never waits for others: what cannot be moved now is moved the next time.
const db = new Database(String(workerData), { fileMustExist: true, timeout: 0 })

parentPort?.on('message', (order: LogOrder) => {
  db.pragma('wal_checkpoint(PASSIVE)')
  if (order !== 'end') return
  db.close()
  parentPort?.close()
})
parentPort?.postMessage('ready' satisfies LogReport)
