/** Posts JSON to an embedding server, with retries; an error never shows the key. */

import {
  type Attempt,
  describeSilence,
  describeStatus,
  type Endpoint,
  retry,
  type Timers,
} from '../../core/http-client.js'

const ATTEMPTS = 4
/** A server may ask for an hour, but a person is waiting. */
export const LONGEST_RETRY_AFTER_MS = 30_000
const CODE = 'embedder_unavailable'
/** OpenAI's and Ollama's. */
const REASON_PATHS = [['error', 'message'], ['error']]

type RequestOptions = { readonly timers: Timers; readonly signal?: AbortSignal | undefined }

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
  const { url, key, timeoutMs } = endpoint
  const timeout = AbortSignal.timeout(timeoutMs)
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: key === null ? headers : { ...headers, authorization: `Bearer ${key}` },
      body: JSON.stringify(question),
      // A redirect could carry the texts to another host.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    const body = await response.text()
    if (response.ok) return { kind: 'answer', answer: JSON.parse(body) }
    const limits = { nowMs: timers.now(), longestMs: LONGEST_RETRY_AFTER_MS }
    const refusal = describeStatus(endpoint, response, {
      body,
      reasonPaths: REASON_PATHS,
      ...limits,
    })
    return { kind: 'failure', failure: { code: CODE, ...refusal } }
  } catch (cause) {
    signal?.throwIfAborted()
    const failure = { code: CODE, ...describeSilence(endpoint, cause, timeout.aborted) } as const
    return { kind: 'failure', failure }
  }
}
