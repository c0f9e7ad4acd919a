/** No page of another site gets in, and where there is a token nobody else does. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isLoopback, isNamedHost, isOwnHost, isSameOrigin } from './hosts.js'
import { Refused } from './problems.js'
import { derivedFrom, isSame } from './token.js'

export type GuardOptions = {
  /** Where the server listens. */
  readonly host: string
  /** Names that it answers to beyond this machine. */
  readonly names: readonly string[]
  /** Null: whoever reaches this machine may ask. */
  readonly token: string | null
}

/** Come in, or come in by another address with a cookie from now on. */
export type Admission =
  | { readonly kind: 'enter' }
  | { readonly kind: 'redirect'; readonly to: string; readonly cookie: string }

const ENTER: Admission = { kind: 'enter' }
/** What a browser says of a request that no other site had a part in. */
const OWN_FETCHES: ReadonlySet<string> = new Set(['same-origin', 'none'])

export function createGuard({ host, names, token }: GuardOptions) {
  const isOurs = (header: string, port: number): boolean =>
    isLoopback(host) ? isOwnHost(header, port) : isNamedHost(header, [host, ...names])

  return (request: IncomingMessage, port: number): Admission => {
    const { headers, method = 'GET' } = request
    const { path, query } = splitUrl(request.url ?? '/')
    // A page of a site whose name was pointed at this machine sends the name of the site.
    if (!isOurs(headers.host ?? '', port)) {
      throw new Refused('forbidden', `The host "${headers.host ?? ''}" is not served.`)
    }
    const isReading = method === 'GET' || method === 'HEAD'
    if (isForPrograms(path) || !isReading) assertOwnPage(headers)
    if (token === null) return ENTER
    const cookie = { name: `cairn_${port}`, value: derivedFrom(token, 'the page') }
    if (isKnown(headers, token, cookie)) return ENTER
    const given = query.get('token')
    if (method === 'GET' && given !== null && !isForPrograms(path) && isSame(given, token)) {
      query.delete('token')
      return {
        kind: 'redirect',
        to: withQuery(path, query),
        cookie: `${cookie.name}=${cookie.value}; Path=/; HttpOnly; SameSite=Strict`,
      }
    }
    throw new Refused('unauthorized', 'The token is missing or wrong.', {
      hint: 'Open the address that `cairn serve` printed, or send "Authorization: Bearer TOKEN".',
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}

export function isForPrograms(path: string): boolean {
  return path === '/api' || path.startsWith('/api/') || path === '/openapi.json'
}

export function splitUrl(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = url.indexOf('?')
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) }
}

/** Another site may send its visitors' browsers here; they say where they were sent from. */
function assertOwnPage(headers: IncomingHttpHeaders): void {
  const { origin, host = '', 'sec-fetch-site': site } = headers
  if (origin !== undefined && !isSameOrigin(origin, host)) {
    throw new Refused('forbidden', `The origin "${origin}" is not served.`)
  }
  if (typeof site === 'string' && !OWN_FETCHES.has(site)) {
    throw new Refused('forbidden', `A request from another site (${site}) is not served.`)
  }
}

function isKnown(
  { authorization = '', cookie: cookies = '' }: IncomingHttpHeaders,
  token: string,
  cookie: { readonly name: string; readonly value: string },
): boolean {
  if (isSame(authorization, `Bearer ${token}`)) return true
  return cookies
    .split(';')
    .map((one) => one.trim())
    .some((one) => isSame(one, `${cookie.name}=${cookie.value}`))
}

/** Only ever a path of this server: `//elsewhere` would be another. */
function withQuery(path: string, query: URLSearchParams): string {
  const own = path.startsWith('/') ? `/${path.replace(/^[/\\]+/, '')}` : '/'
  return query.size === 0 ? own : `${own}?${query}`
}
