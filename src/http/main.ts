/** The server from start to end: it serves until it is told to end, and then ends what it began. */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { isLoopback } from './hosts.js'
import { type ServerOptions, type Serving, startServer } from './server.js'
import { createToken } from './token.js'

export { startServer } from './server.js'

export const DEFAULT_PORT = 4747

export type ServeOptions = Omit<ServerOptions, 'port' | 'page'> & {
  /** Default: 4747; 0 takes any that is free. */
  readonly port?: number | undefined
  /** Called once it can be reached; with a token, the address holds it. */
  readonly onListening?: (at: { readonly url: string; readonly token: string | null }) => void
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Serves until the process is told to end; told a second time, it ends at once. */
export async function runServe({ onListening, ...options }: ServeOptions): Promise<void> {
  const { host = '127.0.0.1', port = DEFAULT_PORT } = options
  const token = options.token ?? (isLoopback(host) ? undefined : createToken())
  const serving = await startServer({ ...options, port, token, page: findPage() })
  const ended = untilTold(serving)
  onListening?.({
    url: token === undefined ? serving.url : `${serving.url}/?token=${encodeURIComponent(token)}`,
    token: token ?? null,
  })
  await ended
}

async function untilTold(serving: Serving): Promise<void> {
  const forget = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
  const stop = (): void => {
    // From here on a signal does what it always does.
    forget()
    void serving.close()
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  await serving.closed
  forget()
}

/** Beside the bundle, or where the build puts it when the sources run by themselves. */
function findPage(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  const places = ['page', '../page', '../../../dist/page'].map((path) => join(here, path))
  return places.find((path) => existsSync(path)) ?? ''
}
