/** Promise: only a program of this machine that knows the token gets past the door. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { badInput } from '../../core/errors.js'

export const MAX_BODY_BYTES = 4 * 1024 * 1024
export const LEAST_TOKEN_CHARACTERS = 16
/** The only path that is served. */
export const PATH = '/mcp'

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

export type Refusal = {
  readonly status: 401 | 403 | 404 | 413
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A token that nobody guesses. */
export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

export function assertSafe(host: string, token: string): void {
  if (!LOOPBACK.has(host) && host !== '::1') {
    throw badInput(
      `The server listens on this machine alone, and not on "${host}".`,
      'Leave the host out; reach it from elsewhere through an SSH tunnel.',
    )
  }
  if (token.length < LEAST_TOKEN_CHARACTERS) {
    throw badInput(
      `The token must have at least ${LEAST_TOKEN_CHARACTERS} characters.`,
      'Leave it out, and one is made.',
    )
  }
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

function isOwnHost(host: string, port: number): boolean {
  const [, name = '', given] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host.toLowerCase()) ?? []
  return LOOPBACK.has(name) && Number(given ?? 80) === port
}

function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname)
}

/** In the same time however much of it is right: digests have one length. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
