/** Whatever goes wrong with OpenAlex is one sentence that names it, and one next step. */

import {
  type Failure,
  isTransientStatus,
  parseRetryAfter,
  readBody,
  TooLargeError,
} from '../../core/http-client.js'
import { textAt } from './json.js'

export const MAX_BYTES = 20_000_000
const MAX_BYTES_OF_REFUSAL = 64_000
/** A server may ask for an hour; a person waiting for an answer will not give it one. */
export const LONGEST_RETRY_AFTER_MS = 60_000

const SERVICE = 'OpenAlex'

const HINT =
  'Check the network connection, or try again later. What is stored can be searched without it.'
const KEY_HINT = 'Check the key in OPENALEX_API_KEY, or wait a while and ask for less at once.'
const HINTS: ReadonlyMap<number, string> = new Map([
  [400, 'Check the search text and the filter.'],
  [401, KEY_HINT],
  [403, KEY_HINT],
  [
    429,
    'The limit is used up: try again later, or set OPENALEX_API_KEY to a key of your own (they are free).',
  ],
])

/** A redirect to another host, or (null) without end. */
export class RedirectError extends Error {
  readonly host: string | null

  constructor(host: string | null) {
    super('The answer was a redirect that is not followed.')
    this.name = 'RedirectError'
    this.host = host
  }
}

/** The server answered, and said no. */
export async function refusal(
  response: Response,
  { apiKey, nowMs }: { readonly apiKey: string | null; readonly nowMs: number },
): Promise<Failure> {
  const text = await readBody(response, MAX_BYTES_OF_REFUSAL).catch(() => '')
  const said = reasonIn(text, apiKey)
  const { status } = response
  return {
    code: status === 400 ? 'bad_input' : 'service_unavailable',
    message: `${SERVICE} answered with status ${status}${said === null ? '' : `: ${said}`}.`,
    hint: HINTS.get(status) ?? HINT,
    isTransient: isTransientStatus(status),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), {
      nowMs,
      longestMs: LONGEST_RETRY_AFTER_MS,
    }),
  }
}

/** The answer is whole, and not what was asked for; asking again would bring the same. */
export function wrongAnswer(host: string, what: string): Failure {
  return lasting(
    `${SERVICE} at ${host} answered with ${what}.`,
    'Check that no sign-in page or proxy stands in between, and that the base address is right.',
  )
}

/** No whole answer came. `lateMs` is the time that was waited, where that was the reason. */
export function silence(
  host: string,
  { cause, lateMs }: { readonly cause: unknown; readonly lateMs: number | null },
): Failure {
  const who = `${SERVICE} at ${host}`
  if (lateMs !== null) return passing(`${who} did not answer within ${lateMs} ms.`)
  if (cause instanceof RedirectError) {
    const where = cause.host === null ? 'without end' : `to ${cause.host}`
    return lasting(`${who} redirects ${where}, which is not followed.`, 'Check the base address.')
  }
  if (cause instanceof TooLargeError) {
    const megabytes = MAX_BYTES / 1_000_000
    return lasting(`${who} sent more than ${megabytes} MB in one answer.`, 'Ask for less at once.')
  }
  if (cause instanceof SyntaxError) {
    // The cause would quote the answer, which is not ours to show.
    return passing(`${who} answered with something that is not JSON.`)
  }
  return { ...passing(`${who} cannot be reached.`), cause }
}

function passing(message: string): Failure {
  return { code: 'service_unavailable', message, hint: HINT, isTransient: true, retryAfterMs: null }
}

function lasting(message: string, hint: string): Failure {
  return { code: 'service_unavailable', message, hint, isTransient: false, retryAfterMs: null }
}

/** The server's own short reason, without the key. */
function reasonIn(text: string, apiKey: string | null): string | null {
  try {
    const body: unknown = JSON.parse(text)
    const reason = textAt(body, 'message') ?? textAt(body, 'error')
    const safe = apiKey === null ? reason : reason?.replaceAll(apiKey, '…')
    return safe?.replace(/\s+/g, ' ').slice(0, 200).replace(/\.$/, '') ?? null
  } catch {
    return null
  }
}
