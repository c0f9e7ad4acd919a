/** Whatever goes wrong is one shape and one status, and tells nothing of the machine. */

import { CairnError, type ErrorCode } from '../core/errors.js'

/** What is wrong with a request before any operation sees it. */
export const DOOR_CODES = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  too_large: 413,
  unsupported_media_type: 415,
} as const
export type DoorCode = keyof typeof DOOR_CODES

const FAULT = 500

/** 503: it may go well later, or once the file or the model is in order. */
export const STATUSES: Readonly<Record<ErrorCode, number>> = {
  bad_input: 400,
  not_found: 404,
  ambiguous_id: 409,
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
  outside_namespace: 403,
  embedder_unavailable: 503,
  embedder_missing: 503,
  bad_model: 503,
  dimension_mismatch: 409,
  service_unavailable: 503,
}

export type ProblemBody = {
  readonly error: {
    readonly code: ErrorCode | DoorCode | 'fault'
    readonly message: string
    readonly hint: string | null
  }
}

/** A request that is refused at the door. */
export class Refused extends Error {
  readonly code: DoorCode
  readonly hint: string | null
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: DoorCode,
    message: string,
    more: { readonly hint?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.code = code
    this.hint = more.hint ?? null
    this.headers = more.headers ?? {}
  }
}

export type Problem = {
  readonly status: number
  readonly body: ProblemBody
  readonly headers: Readonly<Record<string, string>>
}

/** `file` is the path of the Cairn file, which is nobody's business. */
export function problemOf(error: unknown, file: string): Problem {
  if (error instanceof Refused) {
    const { code, message, hint, headers } = error
    return { status: DOOR_CODES[code], body: { error: { code, message, hint } }, headers }
  }
  if (error instanceof CairnError) {
    const { code, hint } = error
    const message = error.message.replaceAll(file, 'the Cairn file')
    return { status: STATUSES[code], body: { error: { code, message, hint } }, headers: {} }
  }
  const message = 'This is a fault of Cairn and not of the request.'
  const hint = 'The log of the server says more; please report it.'
  return { status: FAULT, body: { error: { code: 'fault', message, hint } }, headers: {} }
}
