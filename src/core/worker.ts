/** A thread of this package's own code is found and started, and takes nothing of the program's with it. */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** By the name of its file in `dist/`. */
export type WorkerName = 'embedding-worker.js'

/**
 * The thread's code as it was built: `dist/` of the package, also where the sources run. Null where it was not built;
 * then its work is done without it.
 */
export function findWorkerFile(
  name: WorkerName,
  from: string = fileURLToPath(import.meta.url),
): string | null {
  for (let folder = dirname(from); dirname(folder) !== folder; folder = dirname(folder)) {
    if (!existsSync(join(folder, 'package.json'))) continue
    const file = join(folder, 'dist', name)
    return existsSync(file) ? file : null
  }
  return null
}

/** Throws where there is no room for a thread. An error in it ends it, and nothing else: whoever starts it sees its `exit`. */
export function startWorker(file: string, data: unknown = null): Worker {
  const worker = new Worker(file, {
    workerData: data,
    // Nothing of this process reaches the thread, and nothing that it prints comes back.
    execArgv: [],
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
  })
  worker.on('error', () => {})
  return worker
}
