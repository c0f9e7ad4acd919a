/** Requests JSON from OpenAlex with a cache, a rate limit and retries; only the request itself carries the key. */

import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDraft } from '../../core/draft.js'
import {
  type Attempt,
  describeSilence,
  describeStatus,
  type Pace,
  readBody,
  retry,
  type Timers,
  TooLargeError,
} from '../../core/http-client.js'
import { valueAt } from '../../core/json-fields.js'
import { VERSION } from '../../core/version.js'

export type Service = {
  readonly baseUrl: string
  readonly mailto: string | null
  readonly apiKey: string | null
  readonly timeoutMs: number
  readonly attempts: number
  readonly timers: Timers
  readonly pace: Pace
  readonly cache: ReturnType<typeof createResponseCache> | null
  readonly counts: Record<'requests' | 'fromCache' | 'skipped', number>
}

export type Request = {
  /** After the base address, with its slash. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  /** As messages name it: "a list of works". */
  readonly expected: string
  /** Any other body is an error, and is never cached. */
  readonly matches: (body: unknown) => boolean
}

const MAX_BYTES = 20_000_000
const MAX_ERROR_BYTES = 64_000
const MAX_REDIRECTS = 3
const CACHE_TIME_TO_LIVE_MS = 7 * 86_400_000
/** A server may ask for an hour, which nobody would wait for. */
export const LONGEST_RETRY_AFTER_MS = 60_000

const HINT =
  'Check the network connection, or try again later. What is stored can be searched without it.'
const BODY_HINT =
  'Check that no sign-in page or proxy stands in between, and that the base address is right.'
const KEY_HINT = 'Check the key in OPENALEX_API_KEY, or wait a while and ask for less at once.'
const HINT_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Check the search text and the date.',
  401: KEY_HINT,
  403: KEY_HINT,
  429: 'The limit is used up: try again later, or set OPENALEX_API_KEY to a key of your own (they are free).',
}

/** The body, or undefined if the server has nothing at this address (404). */
export async function requestJson(service: Service, request: Request): Promise<unknown> {
  const { cache, timers, attempts, counts } = service
  const url = `${service.baseUrl}${request.path}?${new URLSearchParams(request.params)}`
  const cached = await cache?.read(url)
  if (cached !== undefined && request.matches(cached)) {
    counts.fromCache++
    return cached
  }
  const body = await retry(() => requestOnce(service, url, request), { timers, attempts })
  if (body !== undefined && !holdsSecret(service, JSON.stringify(body))) {
    await cache?.write(url, body)
  }
  return body
}

async function requestOnce(
  service: Service,
  url: string,
  { expected, matches }: Request,
): Promise<Attempt<unknown>> {
  await service.pace.waitTurn()
  const { timeoutMs, apiKey: key } = service
  const timeout = AbortSignal.timeout(timeoutMs)
  const about = { service: 'OpenAlex', hint: HINT, hintByStatus: HINT_BY_STATUS }
  const endpoint = { ...about, url, key, timeoutMs }
  const code = 'service_unavailable'
  const fail = (problem: string, hint: string): Attempt<unknown> => {
    const message = `OpenAlex at ${new URL(url).host} ${problem}.`
    const failure = { code, message, hint, isTransient: false, retryAfterMs: null } as const
    return { kind: 'failure', failure }
  }
  try {
    const response = await follow(service, url, timeout)
    if (typeof response === 'string') return fail(response, 'Check the base address.')
    if (response.status === 404) {
      await response.body?.cancel()
      return { kind: 'answer', answer: undefined }
    }
    if (!response.ok) {
      const text = await readBody(response, MAX_ERROR_BYTES).catch(() => '')
      const failure = describeStatus(endpoint, response, {
        body: text,
        reasonPaths: [['message'], ['error']],
        nowMs: service.timers.now(),
        longestMs: LONGEST_RETRY_AFTER_MS,
      })
      if (failure.retryAfterMs !== null) service.pace.pause(failure.retryAfterMs)
      const refusal = response.status === 400 ? 'bad_input' : code
      return { kind: 'failure', failure: { code: refusal, ...failure } }
    }
    if (response.headers.get('content-type')?.includes('text/html')) {
      await response.body?.cancel()
      return fail('answered with a web page instead of data', BODY_HINT)
    }
    const body: unknown = JSON.parse(await readBody(response, MAX_BYTES))
    if (matches(body)) return { kind: 'answer', answer: body }
    return fail(`answered with data that is not ${expected}`, BODY_HINT)
  } catch (error) {
    if (error instanceof TooLargeError && !timeout.aborted) {
      const problem = `sent more than ${MAX_BYTES / 1_000_000} MB in one answer`
      return fail(problem, 'Ask for less at once.')
    }
    const failure = { code, ...describeSilence(endpoint, error, timeout.aborted) } as const
    return { kind: 'failure', failure }
  }
}

/** A merged work redirects to the one that remains. Returns a problem for a redirect to another host, or without end. */
async function follow(
  service: Service,
  from: string,
  signal: AbortSignal,
): Promise<Response | string> {
  let url = from
  for (let redirects = 0; ; redirects++) {
    if (redirects > 0) await service.pace.waitTurn(signal)
    service.counts.requests++
    const response = await fetch(addSecrets(service, url), {
      headers: { accept: 'application/json', 'user-agent': `cairn-search/${VERSION}` },
      redirect: 'manual',
      signal,
    })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null) return response
    await response.body?.cancel()
    const next = URL.canParse(location, url) ? new URL(location, url) : null
    if (next === null || redirects === MAX_REDIRECTS) {
      return 'redirects without end, which is not followed'
    }
    if (next.origin !== new URL(url).origin) {
      return `redirects to ${next.host}, which is not followed`
    }
    url = next.href
  }
}

/** Added last, so that no other code sees an address with the key or the mail address. */
function addSecrets({ mailto, apiKey }: Service, url: string): string {
  const whole = new URL(url)
  if (mailto !== null) whole.searchParams.set('mailto', mailto)
  if (apiKey !== null) whole.searchParams.set('api_key', apiKey)
  return whole.href
}

function holdsSecret({ mailto, apiKey }: Service, text: string): boolean {
  return [mailto, apiKey].some(
    (secret) =>
      secret !== null && (text.includes(secret) || text.includes(encodeURIComponent(secret))),
  )
}

/** Stores each body as a file beside its address, which holds neither key nor mail address. Never throws. */
export function createResponseCache(folder: string, now: () => number) {
  const pathFor = (url: string): string =>
    join(folder, `${createHash('sha256').update(url).digest('hex')}.json`)

  return {
    /** Undefined if there is no entry or it is too old. */
    read: async (url: string): Promise<unknown> => {
      try {
        const entry: unknown = JSON.parse(await readFile(pathFor(url), 'utf8'))
        const ageMs = now() - Number(valueAt(entry, 'storedAtMs'))
        // After the clock was set back an entry seems to be younger than new.
        const isFresh = ageMs >= 0 && ageMs < CACHE_TIME_TO_LIVE_MS
        return isFresh && valueAt(entry, 'url') === url ? valueAt(entry, 'answer') : undefined
      } catch {
        return undefined
      }
    },
    write: async (url: string, body: unknown): Promise<void> => {
      const text = JSON.stringify({ url, storedAtMs: now(), answer: body })
      try {
        await mkdir(folder, { recursive: true })
        await writeDraft(pathFor(url), (draft) => writeFile(draft, text), { swept: true })
      } catch {
        // It is fetched again.
      }
    },
  }
}
