/** Only a program of this machine that knows the token gets past the door. */

import type { IncomingMessage } from 'node:http'
import { badInput } from '../core/errors.js'
import { isLoopback, isLoopbackOrigin, isOwnHost } from '../http/hosts.js'
import { assertToken, isSame } from '../http/token.js'

export const MAX_BODY_BYTES = 4 * 1024 * 1024
/** The only path that is served. */
export const PATH = '/mcp'

export type Refusal = {
  readonly status: 401 | 403 | 404 | 413
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export function assertSafe(host: string, token: string): void {
  if (!isLoopback(host)) {
    throw badInput(
      `The server listens on this machine alone, and not on "${host}".`,
      'Leave the host out; reach it from elsewhere through an SSH tunnel.',
    )
  }
  assertToken(token)
}

/** Why a request is refused before anything of it is read, or null. */
export function refusalOf(request: IncomingMessage, port: number, token: string): Refusal | null {
  const { host = '', origin, authorization = '' } = request.headers
  // A page of a site whose name was pointed at this machine sends the name of the site.
  if (!isOwnHost(host, port)) return { status: 403, message: `The host "${host}" is not served.` }
  if (origin !== undefined && !isLoopbackOrigin(origin)) {
    return { status: 403, message: `The origin "${origin}" is not served.` }
  }
  if (request.url?.split('?')[0] !== PATH) {
    return { status: 404, message: `There is nothing here; the server is at ${PATH}.` }
  }
  if (!isSame(authorization, `Bearer ${token}`)) {
    return {
      status: 401,
      message: 'The token is missing or wrong: send "Authorization: Bearer TOKEN".',
      headers: { 'www-authenticate': 'Bearer' },
    }
  }
  return Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES ? tooLarge() : null
}

export function tooLarge(): Refusal {
  return { status: 413, message: `A request has at most ${MAX_BODY_BYTES} bytes.` }
}
