/** One JSON question gets one JSON answer, or one clear sentence that never shows a key. */

import {
  type Attempt,
  type Failure,
  isTransientStatus,
  parseRetryAfter,
  retry,
  type Timers,
} from '../../core/http-client.js'

const ATTEMPTS = 4
/** A server may ask for an hour; a person waiting for an answer will not give it one. */
export const LONGEST_RETRY_AFTER_MS = 30_000

export type Endpoint = {
  /** Who is asked, for messages: "Ollama", "The OpenAI-compatible server". */
  readonly service: string
  readonly url: string
  readonly key: string | null
  readonly timeoutMs: number
  /** What to do when nobody answers, and for some statuses something better. */
  readonly hint: string
  readonly hintByStatus: { readonly [status: number]: string }
}

type Asking = { readonly timers: Timers; readonly signal?: AbortSignal | undefined }

/** Asks up to four times. Rejects with the signal's own reason when the caller gave up. */
export async function postJson(
  endpoint: Endpoint,
  question: object,
  asking: Asking,
): Promise<unknown> {
  return retry(() => ask(endpoint, question, asking), { ...asking, attempts: ATTEMPTS })
}

async function ask(
  endpoint: Endpoint,
  question: object,
  { timers, signal }: Asking,
): Promise<Attempt<unknown>> {
  const timeout = AbortSignal.timeout(endpoint.timeoutMs)
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: headersFor(endpoint.key),
      body: JSON.stringify(question),
      // Followed blindly, a redirect could carry the texts to a host nobody chose.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    const text = await response.text()
    if (response.ok) return { kind: 'answer', answer: JSON.parse(text) }
    return { kind: 'failure', failure: refusal(endpoint, response, { text, nowMs: timers.now() }) }
  } catch (cause) {
    signal?.throwIfAborted()
    return { kind: 'failure', failure: silence(endpoint, { cause, isLate: timeout.aborted }) }
  }
}

function headersFor(key: string | null): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return key === null ? headers : { ...headers, authorization: `Bearer ${key}` }
}

function refusal(
  endpoint: Endpoint,
  response: Response,
  { text, nowMs }: { readonly text: string; readonly nowMs: number },
): Failure {
  const said = reasonIn(text, endpoint.key)
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

function silence(
  { service, url, timeoutMs, hint }: Endpoint,
  { cause, isLate }: { readonly cause: unknown; readonly isLate: boolean },
): Failure {
  const host = new URL(url).host
  const message = isLate
    ? `${service} at ${host} did not answer within ${timeoutMs} ms.`
    : cause instanceof SyntaxError
      ? `${service} at ${host} answered with something that is not JSON.`
      : `${service} at ${host} cannot be reached.`
  // The cause of a syntax error quotes the answer, which is not ours to show.
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
function reasonIn(text: string, key: string | null): string | null {
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
  // OpenAI repeats a wrong key with its middle starred out; the ends are still nobody's business.
  const quiet = safe
    .replace(/\b(sk|key)-[\w*-]+/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
  return quiet.slice(0, 200).replace(/\.$/, '')
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}
