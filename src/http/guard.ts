/** Decides who may use a server, by the host, origin and token of a request. The MCP server over HTTP shares these checks. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { getPath } from 'hono/utils/url'
import type { Cairn } from '../cairn/cairn.js'
import { deriveKey, isSame } from '../cairn/tokens.js'
import { type Caller, OWNER } from '../core/caller.js'
import { decodePercent } from '../core/decode-percent.js'
import { badInput } from '../core/errors.js'
import { RequestError } from './problems.js'

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]', '::1'])
const MIN_TOKEN_CHARACTERS = 16
/** The values of `Sec-Fetch-Site` for a request that no other site caused. */
const OWN_FETCHES: ReadonlySet<string> = new Set(['same-origin', 'none'])

/** A person who allows images of other sites in the settings of the page gets this cookie, in that browser. */
const ALLOWS_IMAGES = /(?:^|;\s*)cairn-images=web(?:;|$)/

/** Sent with every response: a browser runs only scripts of this server and shows the page in no frame. */
export function safetyHeaders({ cookie = '' }: IncomingHttpHeaders): Record<string, string> {
  const images = ALLOWS_IMAGES.test(cookie) ? ' https: http:' : ''
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src 'self' data:${images}`,
      "connect-src 'self'",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
}

/** Whether only programs of this machine can connect to a server that listens on this host. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host)
}

export function assertToken(token: string): void {
  if (token.length >= MIN_TOKEN_CHARACTERS) return
  const message = `The token must have at least ${MIN_TOKEN_CHARACTERS} characters.`
  throw badInput(message, 'Leave it out, and one is made.')
}

/** The caller that the key belongs to, or null. Without a key: the caller if none is needed. */
export type Authenticate = (key: string | null) => Promise<Caller | null>

/**
 * `token` is the token of the server itself: a caller that sends it is the owner. If the server is open and the file has
 * no tokens, every program of this machine is the owner.
 */
export function createAuthenticate(
  open: () => Promise<Cairn>,
  { token, isOpen }: { readonly token: string; readonly isOpen: boolean },
): Authenticate {
  const ownKey = deriveKey(token)
  return async (key) => {
    if (key === null) return isOpen && !(await (await open()).tokens.any()) ? OWNER : null
    if (isSame(key, ownKey)) return OWNER
    return (await open()).tokens.find(key)
  }
}

/** The cookie that authenticates a browser as the owner of the key. */
export function printCookie(
  { port, isSecure = false }: Pick<ListeningHost, 'port' | 'isSecure'>,
  key: string,
): string {
  return `cairn_${port}=${key}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

/** The key of the token in the header `Authorization`, or null. */
export function readBearer({ authorization = '' }: IncomingHttpHeaders): string | null {
  const [, token] = /^Bearer (.+)$/.exec(authorization) ?? []
  return token === undefined ? null : deriveKey(token)
}

export function unauthorized(hint: string): RequestError {
  return new RequestError('unauthorized', 'The token is missing or wrong.', {
    hint,
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/** The namespace of a caller that has several, if the input names none: from a header or, for the page, a cookie. */
export function readNamespace({
  cookie = '',
  ...headers
}: IncomingHttpHeaders): string | undefined {
  const [, kept] = /(?:^|;\s*)cairn-namespace=([^;]*)/.exec(cookie) ?? []
  const written = headers['cairn-namespace'] ?? kept
  if (typeof written !== 'string') return undefined
  return decodePercent(written)
}

export type ListeningHost = {
  readonly host: string
  readonly port: number
  /** The name under which a reverse proxy serves it; the proxy says which host and which client a request is from. */
  readonly proxied?: string | undefined
  /** Cookies are sent over TLS alone. */
  readonly isSecure?: boolean
  /** Names that the server also answers to when it listens beyond this machine. */
  readonly names?: readonly string[]
}

/**
 * Refuses a `Host` header that is not ours, against DNS rebinding: a site can point its own name at this machine, and the
 * requests of its pages carry that name. A server that listens beyond this machine accepts any address, because only names
 * can be pointed elsewhere, and any port, because ports may be mapped.
 */
export function assertHost(
  { host: header = '' }: IncomingHttpHeaders,
  { host, port, names = [], proxied }: ListeningHost,
): void {
  if (proxied !== undefined && header.toLowerCase() === proxied.toLowerCase()) return
  const [, name = '', given] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(header.toLowerCase()) ?? []
  // Browsers leave out the usual port.
  const isSamePort = given === undefined ? port === 80 || port === 443 : Number(given) === port
  const isOwn = isLoopback(name) && isSamePort
  const isNamed =
    isIP(name.replace(/^\[|\]$/g, '')) !== 0 ||
    ['localhost', host, ...names].some((one) => one.toLowerCase() === name)
  if (isLoopback(host) ? isOwn : isNamed) return
  throw new RequestError('forbidden', `The host "${header}" is not served.`)
}

/** Refuses an `Origin` header other than a page of this machine, at any port. */
export function assertLocalOrigin({ origin }: IncomingHttpHeaders): void {
  if (origin === undefined) return
  if (!URL.canParse(origin) || !isLoopback(new URL(origin).hostname)) throw wrongOrigin(origin)
}

/** Refuses a request that a page of another site sent through its visitor's browser. */
function assertSameOrigin(headers: IncomingHttpHeaders): void {
  const { origin, host = '', 'sec-fetch-site': site } = headers
  const isSameHost = (url: string) => URL.canParse(url) && new URL(url).host === host.toLowerCase()
  if (origin !== undefined && !isSameHost(origin)) throw wrongOrigin(origin)
  if (typeof site === 'string' && !OWN_FETCHES.has(site)) {
    throw new RequestError('forbidden', `A request from another site (${site}) is not served.`)
  }
}

function wrongOrigin(origin: string): RequestError {
  return new RequestError('forbidden', `The origin "${origin}" is not served.`)
}

/** The headers of a redirect. */
type Redirect = Readonly<Record<'location' | 'set-cookie', string>>

/**
 * Throws a `RequestError` if the request is refused. A token in the address is exchanged for a cookie, by a redirect to
 * the address without it.
 */
export async function admit(
  request: IncomingMessage,
  at: ListeningHost,
  authenticate: Authenticate,
): Promise<{ readonly caller: Caller } | { readonly redirect: Redirect }> {
  const { method = 'GET' } = request
  const headers = at.proxied === undefined ? request.headers : readForwarded(request.headers)
  const { path, url, host } = readTarget(request)
  assertHost(headers, at)
  if (host !== null) assertHost({ host }, at)
  const isReading = method === 'GET' || method === 'HEAD'
  if (isApiPath(path) || !isReading) assertSameOrigin(headers)
  const cookie = `cairn_${at.port}=`
  const sent = (headers.cookie ?? '').split(';').map((one) => one.trim())
  const kept = sent.filter((one) => one.startsWith(cookie)).map((one) => one.slice(cookie.length))
  for (const key of [readBearer(headers), ...kept, null]) {
    const caller = await authenticate(key)
    if (caller !== null) return { caller }
  }
  const given = url.searchParams.get('token')
  if (method === 'GET' && given !== null && !isApiPath(path)) {
    const key = deriveKey(given)
    if ((await authenticate(key)) !== null) {
      url.searchParams.delete('token')
      // Always a path of this server: `//example.org` would be another one.
      const location = `/${url.pathname.replace(/^[/\\]+/, '')}${url.search}`
      return { redirect: { location, 'set-cookie': printCookie(at, key) } }
    }
  }
  throw unauthorized(
    'Open the address that `cairn serve` printed, or send "Authorization: Bearer TOKEN".',
  )
}

/** The last value of a header. Our proxy wrote it; anyone may have written the values before it. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return (
    String(header ?? '')
      .split(',')
      .at(-1)
      ?.trim() || undefined
  )
}

function readForwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const host = lastOf(headers['x-forwarded-host'])
  return host === undefined ? headers : { ...headers, host }
}

/** The address that a request comes from. */
export function findClient(request: IncomingMessage, isProxied: boolean): string {
  const forwarded = isProxied ? lastOf(request.headers['x-forwarded-for']) : undefined
  return forwarded ?? request.socket.remoteAddress ?? ''
}

export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/') || path === '/openapi.json'
}

/**
 * Reads the target of a request: the path by which it is routed, decoded and without dot segments, and the host where the
 * target names one (`GET http://host/path`). The guard and the router both use this path.
 */
export function readTarget({ url: target = '/' }: { readonly url?: string | undefined }) {
  const hasHost = /^https?:\/\//i.test(target)
  const absolute = hasHost ? target : `http://localhost${target}`
  if (!(hasHost || target.startsWith('/')) || !URL.canParse(absolute)) {
    throw new RequestError('not_found', 'There is nothing at the address of this request.')
  }
  const url = new URL(absolute)
  // Hono reads nothing but the address.
  const path = getPath({ url: url.href } as Request)
  return { path, url, host: hasHost ? url.host : null }
}
