/** An agent's server from start to end: it opens the file when it is first needed and leaves it in order. */

import process from 'node:process'
import type { Cairn } from '../cairn/cairn.js'
import type { OpenOptions } from '../cairn/open.js'
import { badInput } from '../core/errors.js'

export const DEFAULT_PORT = 7377

export type McpOptions = Omit<OpenOptions, 'create' | 'readOnly'> & {
  /** True: over HTTP on this machine; else over standard input and output. */
  readonly http?: boolean
  /** Default: 7377; 0 takes any that is free. */
  readonly port?: number | undefined
  /** What clients must send over HTTP. Default: a new one. */
  readonly token?: string | undefined
  /** Most tokens of a reply to a client that does not say. Default: 2000. */
  readonly budget?: number | undefined
  /** Called once an HTTP server can be reached. */
  readonly onListening?: (at: { readonly url: string; readonly token: string }) => void
}

/** Serves until the client hangs up or the process is told to end; then its sessions have ended and the file is closed. */
export async function runMcp(options: McpOptions): Promise<void> {
  const library = createLibrary(options)
  const serving = options.http
    ? await serveHttp(options, library.open)
    : await serveStdio(options, library.open)
  const stop = (): void => void serving.close()
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    await serving.closed
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    await library.close()
  }
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * One library for all connections, opened by the first that needs it. A file that cannot be opened is tried again, and
 * one that was deleted or replaced since is opened anew.
 */
function createLibrary(options: McpOptions) {
  const {
    http: _http,
    port: _port,
    token: _token,
    budget: _budget,
    onListening: _,
    ...rest
  } = options
  if (rest.pinned && rest.namespace === undefined) {
    throw badInput('A pin needs the namespace that it keeps to.')
  }
  let opened: Promise<Cairn> | null = null
  const open = async (): Promise<Cairn> => {
    opened ??= openLibrary()
    const asked = opened
    const cairn = await asked
    if (cairn.isInPlace) return cairn
    // Of several that find it out, the first sees to it.
    if (opened !== asked) return open()
    opened = openLibrary()
    rest.log?.('warn', 'mcp.reopened', { file: rest.file })
    const [reopened] = await Promise.all([opened, cairn.close()])
    return reopened
  }
  return {
    open,
    close: async () => (await opened?.catch(() => null))?.close(),
  }

  async function openLibrary(): Promise<Cairn> {
    try {
      const { openCairn } = await import('../cairn/open.js')
      return await openCairn(rest)
    } catch (error) {
      opened = null
      throw error
    }
  }
}

async function serveStdio({ log, budget }: McpOptions, cairn: () => Promise<Cairn>) {
  const { startStdio } = await import('./stdio.js')
  return startStdio({ cairn, budget, ...(log !== undefined && { log }) })
}

async function serveHttp(options: McpOptions, cairn: () => Promise<Cairn>) {
  const [{ startHttp }, { createToken }] = await Promise.all([
    import('./http.js'),
    import('../http/guard.js'),
  ])
  const { port = DEFAULT_PORT, token = createToken(), budget, log, onListening } = options
  const serving = await startHttp({ cairn, port, token, budget, ...(log !== undefined && { log }) })
  onListening?.({ url: serving.url, token })
  return serving
}
