/** Sends a request; returns the answer or throws one error with what to do. */

/** `gone`: nothing answered at all. */
type FailureCode = 'gone' | (string & {})

export class RequestFailure extends Error {
  readonly code: FailureCode
  readonly hint: string | null

  constructor(code: FailureCode, message: string, hint: string | null = null) {
    super(message)
    this.name = 'RequestFailure'
    this.code = code
    this.hint = hint
  }
}

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'

/** Whatever was thrown, as a failure that can be shown. */
export function toFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error
  return new RequestFailure('fault', error instanceof Error ? error.message : String(error))
}

/** What goes into a query string; a list is a key that is repeated. */
export type Parameters = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

export function withParameters(path: string, parameters: Parameters = {}): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(parameters)) {
    if (value === undefined) continue
    for (const one of [value].flat()) search.append(key, String(one))
  }
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

export type Sending = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** The answer is a stream of events; always true of a form. */
  readonly wantsEvents?: boolean
}

export async function send(
  path: string,
  { method = 'GET', body, signal, wantsEvents = body instanceof FormData }: Sending = {},
): Promise<Response> {
  const isForm = body instanceof FormData
  const headers: Record<string, string> = {
    accept: wantsEvents ? 'text/event-stream' : 'application/json',
    ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
  }
  const sent = isForm ? body : body === undefined ? null : JSON.stringify(body)
  let response: Response
  try {
    response = await fetch(path, { method, headers, body: sent, signal: signal ?? null })
  } catch (error) {
    if (isAbort(error)) throw error
    throw new RequestFailure(
      'gone',
      'The server does not answer.',
      'Is `cairn serve` still running? Start it again, then retry.',
    )
  }
  if (!response.ok) throw await readRefusal(response)
  return response
}

export async function ask<Answer>(path: string, sending: Sending = {}): Promise<Answer> {
  const response = await send(path, sending)
  return (await response.json()) as Answer
}

/** What the server says went wrong, in an answer or an event. */
export function readFailure(sent: unknown): RequestFailure {
  const { error } = sent as {
    readonly error: { code: string; message: string; hint?: string | null }
  }
  return new RequestFailure(error.code, error.message, error.hint ?? null)
}

async function readRefusal(response: Response): Promise<RequestFailure> {
  try {
    return readFailure(await response.json())
  } catch (error) {
    if (isAbort(error)) throw error
    return new RequestFailure('fault', `The server answered with status ${response.status}.`)
  }
}
