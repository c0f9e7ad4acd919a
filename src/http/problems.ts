/** Turns every error into one JSON shape and one HTTP status, without details of the machine. */

import { CairnError, type ErrorCode } from '../core/errors.js'

/** Errors of a request before an operation runs. */
export const REQUEST_STATUSES = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
} as const
type RequestErrorCode = keyof typeof REQUEST_STATUSES

/** 503: it may work later, or once the file or the model is repaired. */
export const STATUSES: Readonly<Record<ErrorCode, number>> = {
  bad_input: 400,
  not_found: 404,
  ambiguous_id: 409,
  revision_changed: 409,
  no_database: 503,
  not_a_database: 503,
  not_a_cairn_file: 503,
  newer_format: 503,
  read_only: 403,
  disk_full: 507,
  locked: 503,
  damaged: 500,
  damaged_archive: 422,
  unreadable_file: 422,
  file_changed: 503,
  closed: 503,
  cancelled: 499,
  too_expensive: 422,
  outside_namespace: 403,
  forbidden: 403,
  embedder_unavailable: 503,
  embedder_missing: 503,
  bad_model: 503,
  dimension_mismatch: 409,
  service_unavailable: 503,
  llm_unavailable: 503,
}

type Headers = Readonly<Record<string, string>>

export class RequestError extends Error {
  readonly code: RequestErrorCode
  readonly hint: string | null
  readonly headers: Headers

  constructor(
    code: RequestErrorCode,
    message: string,
    more: { readonly hint?: string; readonly headers?: Headers } = {},
  ) {
    super(message)
    this.code = code
    this.hint = more.hint ?? null
    this.headers = more.headers ?? {}
  }
}

/** `file` is the path of the Cairn file, which must not appear in a response; without one, no file is named. */
export function describeProblem(error: unknown, file?: string) {
  if (error instanceof RequestError) {
    const { code, message, hint, headers } = error
    return { status: REQUEST_STATUSES[code], body: { error: { code, message, hint } }, headers }
  }
  if (error instanceof CairnError) {
    const { code, hint, current } = error
    // An empty text would be found between all characters.
    const message = file ? error.message.replaceAll(file, 'the Cairn file') : error.message
    const body = { error: { code, message, hint, ...(current !== null && { current }) } }
    return { status: STATUSES[code], body, headers: {} }
  }
  const message = 'This is a fault of Cairn and not of the request.'
  const hint = 'The log of the server says more; please report it.'
  return { status: 500, body: { error: { code: 'fault', message, hint } }, headers: {} }
}
