/** A thread that reads texts with the bundled model, as the main thread would, and does nothing else. */

import { constants, setPriority } from 'node:os'
import process from 'node:process'
import { parentPort } from 'node:worker_threads'
import { readRecords } from './embed-records.js'
import { packReadings } from './packed-vectors.js'
import { StaticEmbedder } from './static/static-embedder.js'
import { type Given, isMine, type Made } from './worker-messages.js'

// The thread that writes, and answers, goes first. Elsewhere this would slow down the whole program.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
const embedder = new StaticEmbedder()
/** The bundled model is quicker than any memory of what it has read. */
const nothingKept = { recall: async () => [], remember: async () => {} }

async function read({ id, texts, claims, place }: Given): Promise<void> {
  if (!isMine(claims, place)) return
  const read = await readRecords(embedder, texts, nothingKept)
  const packed = packReadings(read, embedder.model.dimensions)
  const made: Made = { id, packed }
  const { counts, ranges, bytes, fine, scales } = packed
  const arrays = [counts, ranges, bytes, fine, scales]
  parentPort?.postMessage(
    made,
    arrays.map(({ buffer }) => buffer),
  )
}

/** One after the other: a piece is claimed when its turn comes, so that others may take it until then. */
let last = Promise.resolve()
parentPort?.on('message', (given: Given) => {
  last = last.then(() => read(given))
})
