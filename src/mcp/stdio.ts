/** One client on standard input and output; the protocol is all that is written there. */

import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Cairn } from '../cairn/cairn.js'
import { type Log, silentLog } from '../core/log.js'
import type { Serving } from '../http/listen.js'
import { Conversation } from './conversation.js'
import { createServer } from './server.js'

export type StdioOptions = {
  /** An open library, or what opens one at the first call. */
  readonly cairn: Cairn | (() => Promise<Cairn>)
  readonly log?: Log
  readonly budget?: number | undefined
}

export function startStdio({ cairn, budget, log = silentLog }: StdioOptions): Serving {
  let client: string | null = null
  const conversation = new Conversation({
    open: typeof cairn === 'function' ? cairn : async () => cairn,
    client: () => client,
    log,
  })
  const conversationFor = (name: string | null): Conversation => {
    client ??= name
    return conversation
  }
  const transport = new StdioServerTransport()
  const handle = serveStdio(() => createServer({ conversationFor, budget, log }), {
    transport,
    onerror: ({ message }) => log('warn', 'mcp.stdio', { reason: message }),
  })
  const closed = new Promise<void>((resolve) => {
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      void conversation.end().then(resolve)
    }
  })
  return {
    closed,
    close: async () => {
      await handle.close()
      await closed
    },
  }
}
