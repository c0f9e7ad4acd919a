/** Opens the port of a server and closes the server when the process gets a signal. */

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { badInput, CairnError } from '../core/errors.js'

const LAST_PORT = 65_535
/** For the last answers and the writes after them, such as recalls to a database that does not answer. */
const MOST_STOPPING_MS = 20_000
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

export type Serving = {
  readonly closed: Promise<void>
  /** Accepts no more requests, finishes the accepted ones, and stops. */
  close(): Promise<void>
}

export type HttpServing = Serving & { readonly url: string; readonly port: number }

/** Returns the port that the server listens on: 0 takes any that is free. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  const inherited = findInherited(process.env)
  if (!Number.isInteger(port) || port < 0 || port > LAST_PORT) {
    throw badInput(`A port is a whole number from 0 to ${LAST_PORT}, not "${port}".`)
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message =
        cause.code === 'EADDRINUSE'
          ? `The port ${port} is taken by another program.`
          : `The server cannot listen on ${host}:${port}.`
      const hint = 'Give another port, or 0 for any that is free.'
      reject(new CairnError('bad_input', { message, hint, cause }))
    })
    if (inherited !== null) server.listen({ fd: inherited }, resolve)
    else server.listen(port, host.replace(/^\[|\]$/g, ''), resolve)
  })
  return (server.address() as AddressInfo | null)?.port ?? port
}

/** systemd starts a service with a socket that listens already: the first is file 3. */
function findInherited({ LISTEN_PID, LISTEN_FDS }: NodeJS.ProcessEnv): number | null {
  return Number(LISTEN_PID) === process.pid && Number(LISTEN_FDS) >= 1 ? 3 : null
}

export function formatAddress(host: string, port: number, scheme = 'http'): string {
  const isBareV6 = host.includes(':') && !host.startsWith('[')
  return `${scheme}://${isBareV6 ? `[${host}]` : host}:${port}`
}

/** Waits until the server has stopped. The first signal stops it; the second, or too long a wait, ends the process at once. */
export async function untilClosed(serving: Serving): Promise<void> {
  const ignoreSignals = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
  const stop = (): void => {
    ignoreSignals()
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), MOST_STOPPING_MS).unref()
    void serving.close()
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  await serving.closed
  ignoreSignals()
}
