/** Creates a temporary folder that is removed when the benchmark ends, even if it is interrupted. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const SIGNALS = { SIGINT: 130, SIGTERM: 143 }

export async function withTempFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const stop = (signal) => {
    remove()
    process.exit(SIGNALS[signal])
  }
  for (const signal of Object.keys(SIGNALS)) process.once(signal, stop)
  try {
    return await work(folder)
  } finally {
    for (const signal of Object.keys(SIGNALS)) process.off(signal, stop)
    remove()
  }
}
