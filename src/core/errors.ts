/** Everything that can go wrong for a user has one code, one sentence and one next step. */

/** The closed list of what can go wrong; `docs/errors.md` says what each means. */
export const ERROR_CODES = [
  'bad_input',
  'not_found',
  'ambiguous_id',
  'no_database',
  'not_a_database',
  'not_a_cairn_file',
  'newer_format',
  'read_only',
  'disk_full',
  'locked',
  'damaged',
  'damaged_archive',
  'unreadable_file',
  'file_changed',
  'closed',
  'outside_namespace',
  'embedder_unavailable',
  'embedder_missing',
  'bad_model',
  'dimension_mismatch',
  'service_unavailable',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** A part of an input that is wrong: each face calls it by its own name, `asOf` or `--as-of`. */
export type WrongOption = {
  /** Its key, and those within it. */
  readonly path: readonly string[]
  /** What is wrong, to be read after the name: ` must not be empty.` */
  readonly problem: string
}

export type ErrorDetails = {
  /** What happened to which thing, as one sentence. */
  readonly message: string
  /** What to do next. */
  readonly hint?: string
  readonly option?: WrongOption
  readonly cause?: unknown
}

/**
 * The only class of error that Cairn throws on purpose.
 * @example
 * throw new CairnError('not_found', { message: 'No record has the id "01ABCDEF".', hint: 'List ids with `cairn list`.' })
 */
export class CairnError extends Error {
  readonly code: ErrorCode
  readonly hint: string | null
  /** The part of the input that the message is about, where it is about one. */
  readonly option: WrongOption | null

  constructor(code: ErrorCode, details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'CairnError'
    this.code = code
    this.hint = details.hint ?? null
    this.option = details.option ?? null
  }
}

/** A wrong argument: names the thing and says what would be accepted. */
export function badInput(message: string, hint?: string): CairnError {
  return new CairnError('bad_input', hint === undefined ? { message } : { message, hint })
}
