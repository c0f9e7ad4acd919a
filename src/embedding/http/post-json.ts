/** Posts JSON to an embedding server, with retries; an error never shows the key. */

import {
  type Attempt,
  describeSilence,
  describeStatus,
  type Endpoint,
  MODEL_REASON_PATHS,
  postJson as post,
  retry,
  type Timers,
} from '../../core/http-client.js'
import type { EmbedOptions } from '../embedder.js'

const ATTEMPTS = { query: 2, passage: 4 }
/** A server may ask for an hour, but a person is waiting. */
export const LONGEST_RETRY_AFTER_MS = { query: 1_000, passage: 30_000 }
const CODE = 'embedder_unavailable'

type RequestOptions = EmbedOptions & { readonly timers: Timers }

export async function postJson(
  endpoint: Endpoint,
  question: object,
  options: RequestOptions,
): Promise<unknown> {
  return retry(() => ask(endpoint, question, options), {
    ...options,
    attempts: ATTEMPTS[options.as],
  })
}

async function ask(
  endpoint: Endpoint,
  question: object,
  { timers, signal, as }: RequestOptions,
): Promise<Attempt<unknown>> {
  const timeout = AbortSignal.timeout(endpoint.timeoutMs)
  try {
    const response = await post(endpoint, question, {
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    const body = await response.text()
    if (response.ok) return { kind: 'answer', answer: JSON.parse(body) }
    const limits = { nowMs: timers.now(), longestMs: LONGEST_RETRY_AFTER_MS[as] }
    const refusal = describeStatus(endpoint, response, {
      body,
      reasonPaths: MODEL_REASON_PATHS,
      ...limits,
    })
    return { kind: 'failure', failure: { code: CODE, ...refusal } }
  } catch (cause) {
    signal?.throwIfAborted()
    const isLate = timeout.aborted
    const silence = describeSilence(endpoint, cause, isLate)
    // A server that hangs costs its time-out once.
    return { kind: 'failure', failure: { code: CODE, ...silence, isTransient: !isLate } }
  }
}
