/** Posts JSON to an embedding server, with retries; an error never shows the key. */

import {
  type Attempt,
  type Failure,
  isTransientStatus,
  parseRetryAfter,
  retry,
  type Timers,
} from '../../core/http-client.js'

const ATTEMPTS = 4
/** A server may ask for an hour, but a person is waiting. */
export const LONGEST_RETRY_AFTER_MS = 30_000

export type Endpoint = {
  /** For messages: "Ollama", "The OpenAI-compatible server". */
  readonly service: string
  readonly url: string
  readonly key: string | null
  readonly timeoutMs: number
  /** What to do when the server does not answer, and for some statuses something better. */
  readonly hint: string
  readonly hintByStatus: { readonly [status: number]: string }
}

type RequestOptions = { readonly timers: Timers; readonly signal?: AbortSignal | undefined }

/** Rejects with the signal's own reason when the caller aborts. */
export async function postJson(
  endpoint: Endpoint,
  question: object,
  options: RequestOptions,
): Promise<unknown> {
  return retry(() => ask(endpoint, question, options), { ...options, attempts: ATTEMPTS })
}

async function ask(
  endpoint: Endpoint,
  question: object,
  { timers, signal }: RequestOptions,
): Promise<Attempt<unknown>> {
  const timeout = AbortSignal.timeout(endpoint.timeoutMs)
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: headersFor(endpoint.key),
      body: JSON.stringify(question),
      // A redirect could carry the texts to another host.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    const text = await response.text()
    if (response.ok) return { kind: 'answer', answer: JSON.parse(text) }
    return {
      kind: 'failure',
      failure: describeRefusal(endpoint, response, { text, nowMs: timers.now() }),
    }
  } catch (cause) {
    signal?.throwIfAborted()
    return {
      kind: 'failure',
      failure: describeSilence(endpoint, { cause, isLate: timeout.aborted }),
    }
  }
}

function headersFor(key: string | null): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return key === null ? headers : { ...headers, authorization: `Bearer ${key}` }
}

function describeRefusal(
  endpoint: Endpoint,
  response: Response,
  { text, nowMs }: { readonly text: string; readonly nowMs: number },
): Failure {
  const said = readReason(text, endpoint.key)
  const because = said === null ? '' : `: ${said}`
  return {
    code: 'embedder_unavailable',
    message: `${endpoint.service} answered with status ${response.status}${because}.`,
    hint: endpoint.hintByStatus[response.status] ?? endpoint.hint,
    isTransient: isTransientStatus(response.status),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), {
      nowMs,
      longestMs: LONGEST_RETRY_AFTER_MS,
    }),
  }
}

function describeSilence(
  { service, url, timeoutMs, hint }: Endpoint,
  { cause, isLate }: { readonly cause: unknown; readonly isLate: boolean },
): Failure {
  const host = new URL(url).host
  const message = isLate
    ? `${service} at ${host} did not answer within ${timeoutMs} ms.`
    : cause instanceof SyntaxError
      ? `${service} at ${host} answered with something that is not JSON.`
      : `${service} at ${host} cannot be reached.`
  // The cause of a syntax error quotes the answer, which may hold private text.
  const shown = cause instanceof SyntaxError ? undefined : cause
  return {
    code: 'embedder_unavailable',
    message,
    hint,
    isTransient: true,
    retryAfterMs: null,
    cause: shown,
  }
}

/** The server's own short reason, as OpenAI (`error.message`) and Ollama (`error`) give it, without the key. */
function readReason(text: string, key: string | null): string | null {
  let reason: unknown
  try {
    const body: unknown = JSON.parse(text)
    const error: unknown = isObject(body) ? body.error : null
    reason = isObject(error) ? error.message : error
  } catch {
    return null
  }
  if (typeof reason !== 'string' || reason.trim() === '') return null
  const safe = key === null ? reason : reason.replaceAll(key, '…')
  // OpenAI repeats a wrong key with its middle starred out, but still shows both ends.
  const quiet = safe
    .replace(/\b(sk|key)-[\w*-]+/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
  return quiet.slice(0, 200).replace(/\.$/, '')
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}
