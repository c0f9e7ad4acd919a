/** Shared by every HTTP client of Cairn: timers, base addresses, rate limits, retries and bounded bodies. */

import { setTimeout as wait } from 'node:timers/promises'
import { badInput, CairnError, type ErrorCode } from './errors.js'
import { textAt } from './json-fields.js'

/** Clock, randomness and sleep are passed in, so that a test controls them. */
export type Timers = {
  readonly now: () => number
  readonly random: () => number
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>
}

export const REAL_TIMERS: Timers = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (delayMs, signal) => {
    try {
      await wait(delayMs, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      // Node wraps the reason for the abort in an error of its own.
      signal?.throwIfAborted()
      throw error
    }
  },
}

/** `name` is the setting, as in `vectorSearch.baseUrl`; `keyVariable` the environment variable that holds the key. */
export type BaseUrlSetting = Readonly<Record<'name' | 'example' | 'keyVariable', string>>

/** Returns `base` without a trailing slash. The error message never repeats a password. */
export function parseBaseUrl(base: string, { name, example, keyVariable }: BaseUrlSetting): string {
  const url = URL.canParse(base) ? new URL(base) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw badInput(`${name} is not an http or https address.`, `Give it like ${example}.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw badInput(
      `${name} holds a user name or password.`,
      `Leave them out, and give a key in the environment variable ${keyVariable}.`,
    )
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

export type Pace = {
  readonly waitTurn: (signal?: AbortSignal) => Promise<void>
  /** Delays every request by this time: a server that asks one request to wait means all of them. */
  readonly pause: (delayMs: number) => void
}

/** Each turn is reserved before its wait begins, so callers that ask together get different times. */
export function createPace(perSecond: number, { now, sleep }: Pick<Timers, 'now' | 'sleep'>): Pace {
  const spacingMs = 1000 / perSecond
  let freeAtMs = Number.NEGATIVE_INFINITY
  return {
    waitTurn: async (signal) => {
      const nowMs = now()
      const atMs = Math.max(nowMs, freeAtMs)
      freeAtMs = atMs + spacingMs
      if (atMs > nowMs) await sleep(atMs - nowMs, signal)
    },
    pause: (delayMs) => {
      freeAtMs = Math.max(freeAtMs, now() + delayMs)
    },
  }
}

export class TooLargeError extends Error {
  constructor() {
    super('The body is larger than the limit.')
    this.name = 'TooLargeError'
  }
}

/** The text of a body as it arrives; `maxBytes` counts bytes after decompression. */
async function* readText(response: Response, maxBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let bytes = 0
  // Throwing inside the loop cancels the stream, which closes the connection.
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > maxBytes) throw new TooLargeError()
    yield decoder.decode(part, { stream: true })
  }
  yield decoder.decode()
}

export async function readBody(response: Response, maxBytes: number): Promise<string> {
  let text = ''
  for await (const part of readText(response, maxBytes)) text += part
  return text
}

/** The lines of a body as they arrive, without their ends. */
export async function* readLines(response: Response, maxBytes: number): AsyncGenerator<string> {
  let rest = ''
  for await (const part of readText(response, maxBytes)) {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.map((line) => line.trimEnd())
  }
  yield rest.trimEnd()
}

export type Failure = {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
  readonly isTransient: boolean
  readonly retryAfterMs: number | null
  readonly cause?: unknown
}

export type Attempt<T> =
  | { readonly kind: 'answer'; readonly answer: T }
  | { readonly kind: 'failure'; readonly failure: Failure }

export type RetryOptions = {
  readonly timers: Timers
  readonly attempts: number
  readonly signal?: AbortSignal | undefined
}

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 8_000

/** Throws the last failure as a `CairnError`, or the signal's own reason when the caller aborts. */
export async function retry<T>(
  attempt: () => Promise<Attempt<T>>,
  { timers, attempts, signal }: RetryOptions,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal?.throwIfAborted()
    const tried = await attempt()
    if (tried.kind === 'answer') return tried.answer
    const { code, message, hint, isTransient, retryAfterMs, cause } = tried.failure
    if (!isTransient || failures >= attempts) throw new CairnError(code, { message, hint, cause })
    await timers.sleep(retryAfterMs ?? backoffMs(failures, timers.random()), signal)
  }
}

export type Endpoint = {
  /** For messages: "Ollama", "The OpenAI-compatible server". */
  readonly service: string
  readonly url: string
  readonly key: string | null
  readonly timeoutMs: number
  /** What to do if the server does not answer; some statuses have a better hint. */
  readonly hint: string
  readonly hintByStatus: { readonly [status: number]: string }
}

/** The caller reads the body: until it has, `signal` ends the request. */
export function postJson(
  { url, key }: Pick<Endpoint, 'url' | 'key'>,
  body: object,
  { signal, accept = 'application/json' }: { signal: AbortSignal; accept?: string },
): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept }
  return fetch(url, {
    method: 'POST',
    headers: key === null ? headers : { ...headers, authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
    // A redirect could carry the texts to another host.
    redirect: 'manual',
    signal,
  })
}

/** For a race with work that does not know the signal. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

/** The first of these variables that is set. Checked here, because fetch would quote the whole header in its own error. */
export function readKey(
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[],
): string | null {
  const key = (variables.map((name) => env[name]).find((value) => value) ?? '').trim()
  if (/^[\x21-\x7e]*$/.test(key)) return key === '' ? null : key
  throw badInput('The API key in the environment has spaces or characters that no key has.')
}

/** The paths of the reason in the errors of OpenAI and Ollama. */
export const MODEL_REASON_PATHS: ReasonPaths = [['error', 'message'], ['error']]

type ReasonPaths = readonly (readonly string[])[]
type RetryLimits = { readonly nowMs: number; readonly longestMs: number }

/** Describes a response with an error status. `reasonPaths`: where its JSON may hold the server's own reason. */
export function describeStatus(
  { service, key, hint, hintByStatus }: Endpoint,
  { status, headers }: Response,
  details: RetryLimits & { readonly body: string; readonly reasonPaths: ReasonPaths },
): Omit<Failure, 'code'> {
  const reason = findReason(details.body, key, details.reasonPaths)
  return {
    message: `${service} answered with status ${status}${reason === null ? '' : `: ${reason}`}.`,
    hint: hintByStatus[status] ?? hint,
    isTransient: isTransientStatus(status),
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), details),
  }
}

/** The server's own short reason, without the key. */
function findReason(text: string, key: string | null, paths: ReasonPaths) {
  try {
    const body: unknown = JSON.parse(text)
    const reason = paths.map((path) => textAt(body, ...path)).find((found) => found !== null)
    const safe = key === null ? reason : reason?.replaceAll(key, '…')
    // OpenAI repeats a wrong key with its middle starred out, but still shows both ends.
    const quiet = safe?.replace(/\b(sk|key)-[\w*-]+/g, '…').replace(/\s+/g, ' ')
    return quiet?.trim().slice(0, 200).replace(/\.$/, '') ?? null
  } catch {
    return null
  }
}

/** Describes a request that failed without a status; another attempt may succeed. */
export function describeSilence(
  { service, url, timeoutMs, hint }: Endpoint,
  cause: unknown,
  isLate: boolean,
): Omit<Failure, 'code'> {
  const isSyntax = cause instanceof SyntaxError
  const problem = isSyntax ? 'answered with something that is not JSON' : 'cannot be reached'
  const late = `did not answer within ${timeoutMs} ms`
  return {
    message: `${service} at ${new URL(url).host} ${isLate ? late : problem}.`,
    hint,
    isTransient: true,
    retryAfterMs: null,
    // The cause of a syntax error quotes the answer, which may hold private text or the key.
    cause: isSyntax ? undefined : cause,
  }
}

/** Too many requests, a timeout or a server error: another attempt may succeed. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

/** `Retry-After` in milliseconds (the header holds seconds or a date), or null. */
export function parseRetryAfter(header: string | null, { nowMs, longestMs }: RetryLimits) {
  if (header === null) return null
  const text = header.trim()
  // A date begins with its weekday; Date.parse would also find a year in "-3".
  const isDate = /^[a-z]/i.test(text)
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  const delayMs = isDate ? Date.parse(text) - nowMs : seconds * 1000
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(delayMs, 0), longestMs)
}

/**
 * Doubles from 250 ms; half of the delay is random, so that many clients do not return together.
 * By hand: after the second failure with random .5, 500 · (½ + ½ · .5) = 375 ms.
 */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS)
  return full * (0.5 + random / 2)
}
