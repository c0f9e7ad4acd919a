/** Runs the MCP server: opens the file at the first call, serves over stdio or HTTP, and closes the file at the end. */

import process from 'node:process'
import { pipeline } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Cairn } from '../cairn/cairn.js'
import type { OpenOptions } from '../cairn/open.js'
import { badInput } from '../core/errors.js'
import { type Log, silentLog } from '../core/log.js'
import { type Serving, untilClosed } from '../http/listen.js'
import { findKnown } from '../text/nearest-name.js'
import type { ServerSettings } from './call-tool.js'
import { Conversation } from './conversation.js'
import { createMessageLimit, MAX_MESSAGE_BYTES } from './message-limit.js'
import { createServer } from './server.js'

const PROFILES = ['chatgpt']

export type McpOptions = Omit<OpenOptions, 'create' | 'readOnly'> &
  ServerSettings & {
    /** True: over HTTP on this machine; else over standard input and output. */
    readonly http?: boolean
    /** Default: any that is free. */
    readonly port?: number | undefined
    /** The token that clients send over HTTP. Default: a new one. */
    readonly token?: string | undefined
    /** Called once an HTTP server listens. */
    readonly onListening?: (at: { readonly url: string; readonly token: string }) => void
  }

/** Serves until the client hangs up or the process gets a signal; then the sessions have ended and the file is closed. */
export async function runMcp({
  http = false,
  port = 0,
  token,
  budget,
  recall,
  profile,
  onListening,
  ...library
}: McpOptions): Promise<void> {
  if (library.pinned && library.namespace === undefined) {
    throw badInput('A pinned server needs the namespace that it is pinned to.')
  }
  if (profile !== undefined) findKnown('profile', profile, PROFILES)
  const { open, stopSearches, close } = createLibrary(library)
  const parts = { open, budget, recall, profile, log: library.log ?? silentLog }
  let serving: Serving
  if (http) {
    const { startHttp } = await import('./http.js')
    const listening = await startHttp({ ...parts, port, token })
    onListening?.(listening)
    serving = listening
  } else serving = startStdio(parts)
  try {
    const { closed } = serving
    const stop = async (): Promise<void> => {
      await stopSearches()
      await serving.close()
    }
    await untilClosed({ closed, close: stop })
  } finally {
    await close()
  }
}

/**
 * One library for all connections, opened by the first that needs it. A file that cannot be opened is tried again, and
 * one that was deleted or replaced since is opened anew.
 */
function createLibrary(options: OpenOptions) {
  let opened: Promise<Cairn> | null = null
  const openLibrary = async (): Promise<Cairn> => {
    try {
      const { openCairn, SERVER_TIME_LIMIT_MS } = await import('../cairn/open.js')
      return await openCairn({ timeLimitMs: SERVER_TIME_LIMIT_MS, ...options })
    } catch (error) {
      opened = null
      throw error
    }
  }
  const open = async (): Promise<Cairn> => {
    opened ??= openLibrary()
    const asked = opened
    const cairn = await asked
    if (cairn.isInPlace) return cairn
    // Of several calls that find the file replaced, the first reopens it.
    if (opened !== asked) return open()
    opened = openLibrary()
    options.log?.('warn', 'mcp.reopened', { file: cairn.file })
    const [reopened] = await Promise.all([opened, cairn.close()])
    return reopened
  }
  const find = async (): Promise<Cairn | null> => (await opened?.catch(() => null)) ?? null
  return {
    open,
    stopSearches: async () => (await find())?.stopSearches(),
    close: async () => (await find())?.close(),
  }
}

type StdioParts = ServerSettings & { readonly open: () => Promise<Cairn>; readonly log: Log }

/** One client on standard input and output, where nothing but the protocol is written. */
function startStdio({ open, log, ...settings }: StdioParts): Serving {
  const conversation = new Conversation(open, log)
  const conversationFor = (name: string | null) => conversation.withAuthor(name)
  const messages = createMessageLimit((answer) => {
    log('warn', 'mcp.stdio', { reason: answer.error.message })
    void transport.send(answer).catch(() => {})
  })
  pipeline(process.stdin, messages, () => {})
  // The limit above passes whole messages; the transport's own would end the connection.
  const options = { maxBufferSize: 2 * MAX_MESSAGE_BYTES }
  const transport = new StdioServerTransport(messages, undefined, options)
  const handle = serveStdio(() => createServer({ conversationFor, log, ...settings }), {
    transport,
    onerror: ({ message }) => log('warn', 'mcp.stdio', { reason: message }),
  })
  const closed = new Promise<void>((resolve) => {
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      messages.destroy()
      void conversation.end().then(resolve)
    }
  })
  const close = async (): Promise<void> => {
    await handle.close()
    await closed
  }
  return { closed, close }
}
