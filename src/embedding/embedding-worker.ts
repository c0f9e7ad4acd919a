/** The worker thread of `worker-pool.ts`. Embeds texts with the bundled model, one message at a time. */

import { parentPort } from 'node:worker_threads'
import { embedRecords } from './embed-records.js'
import { StaticEmbedder } from './static/static-embedder.js'
import { takeClaim, type WorkerRequest, type WorkerResponse } from './worker-pool.js'

const embedder = new StaticEmbedder()

async function answer({ id, texts, claim }: WorkerRequest): Promise<void> {
  const vectors = takeClaim(claim) ? await embedRecords(embedder, texts, null) : null
  parentPort?.postMessage({ id, vectors } satisfies WorkerResponse)
}

let last = Promise.resolve()
parentPort?.on('message', (request: WorkerRequest) => {
  last = last.then(() => answer(request))
})
