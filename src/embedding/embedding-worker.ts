/** The worker thread of `worker-pool.ts`. Embeds texts with the bundled model, one message at a time. */

import { parentPort } from 'node:worker_threads'
import { embedRecords } from './embed-records.js'
import { packVectors } from './packed-vectors.js'
import { StaticEmbedder } from './static/static-embedder.js'
import { takeClaim, type WorkerRequest, type WorkerResponse } from './worker-pool.js'

const embedder = new StaticEmbedder()

async function answer({ id, texts, claim }: WorkerRequest): Promise<void> {
  if (!takeClaim(claim)) {
    parentPort?.postMessage({ id, packed: null } satisfies WorkerResponse)
    return
  }
  const packed = packVectors(await embedRecords(embedder, texts, null), embedder.model.dimensions)
  const response: WorkerResponse = { id, packed }
  const { counts, ranges, vectors } = packed
  parentPort?.postMessage(response, [counts.buffer, ranges.buffer, vectors.buffer])
}

let last = Promise.resolve()
parentPort?.on('message', (request: WorkerRequest) => {
  last = last.then(() => answer(request))
})
