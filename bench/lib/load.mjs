/** Adds records to a file through the public API, and measures how long that takes. */

import { existsSync, renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { openCairn } from '../../dist/index.js'
import { round, time } from './measure.mjs'

export const BATCH = 1000

/**
 * Adds records in batches through the public API. Returns the open file and its speed. Results are not cached: a
 * benchmark repeats queries to measure the search itself.
 */
export async function loadFile(file, records, options = {}) {
  const cairn = await openCairn({ file, cache: false, ...options })
  const ids = []
  let ms = 0
  for (const batch of batchesOf(records, BATCH)) {
    ms += await time(async () => {
      for (const { id } of await cairn.addMany(batch)) ids.push(id)
    })
  }
  return { cairn, ids, recordsPerSecond: round((ids.length / ms) * 1000) }
}

/** Equal texts are stored as one record, so there may be fewer. */
const LEAST_SHARE = 0.8

/**
 * Fills a file, unless it exists with about as many records. The file gets its name once it is complete.
 * @param table has a row for each record
 */
export async function fillOnce(file, { records, table = 'records' }, fill) {
  if (existsSync(file)) return expectRecords(file, records, table)
  const part = `${file}.part`
  for (const end of ['', '-wal', '-shm']) rmSync(part + end, { force: true })
  await fill(part)
  renameSync(part, file)
}

function expectRecords(file, records, table) {
  const db = new Database(file, { readonly: true })
  const count = db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  db.close()
  if (count >= records * LEAST_SHARE && count * LEAST_SHARE <= records) return
  throw new Error(`${file} holds ${count} records, and not ${records}: name another, or delete it.`)
}

export function* batchesOf(items, size) {
  let batch = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
