/** A server listens where it was told to, or one sentence says why it does not. */

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { badInput, CairnError } from '../core/errors.js'

const LAST_PORT = 65_535

/** Gives the port that it listens on: 0 takes any that is free. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  if (!Number.isInteger(port) || port < 0 || port > LAST_PORT) {
    throw badInput(`A port is a whole number from 0 to ${LAST_PORT}, not "${port}".`)
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, port, host)))
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve)
  })
  return (server.address() as AddressInfo).port
}

/** As it is typed into a browser. */
export function addressOf(host: string, port: number): string {
  const isBareV6 = host.includes(':') && !host.startsWith('[')
  return `http://${isBareV6 ? `[${host}]` : host}:${port}`
}

function cannotListen(cause: NodeJS.ErrnoException, port: number, host: string): CairnError {
  return new CairnError('bad_input', {
    message:
      cause.code === 'EADDRINUSE'
        ? `The port ${port} is taken by another program.`
        : `The server cannot listen on ${host}:${port}.`,
    hint: 'Give another port, or 0 for any that is free.',
    cause,
  })
}
