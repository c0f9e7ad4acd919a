/** Promise: records go into a file as a user would put them there, and what that took is known. */

import { openCairn } from '../../dist/index.js'
import { round, time } from './measure.mjs'

export const BATCH = 1000

/**
 * Adds records in batches through the public API. Returns the open file and how fast it went. Answers are not kept: a
 * benchmark asks the same again to see how long searching takes.
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
