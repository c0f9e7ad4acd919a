/** The one error class of Cairn: a code from a closed list, a message and a hint. */

import { isShortId, SHORTEST_PREFIX } from './ids.js'
import type { CairnRecord } from './record.js'

/** `docs/errors.md` explains each code. */
export const ERROR_CODES = [
  'bad_input',
  'not_found',
  'ambiguous_id',
  'revision_changed',
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
  'cancelled',
  'too_expensive',
  'outside_namespace',
  'forbidden',
  'embedder_unavailable',
  'embedder_missing',
  'bad_model',
  'dimension_mismatch',
  'service_unavailable',
  'llm_unavailable',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** The part of an input that is wrong; each interface names it in its own way, `asOf` or `--as-of`. */
export type WrongOption = {
  /** Its key, then the keys inside it. */
  readonly path: readonly string[]
  /** The rest of the sentence after the name: ` must not be empty.` */
  readonly problem: string
}

export type ErrorDetails = {
  readonly message: string
  readonly hint?: string
  readonly option?: WrongOption
  readonly missingId?: string
  readonly current?: CairnRecord
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
  readonly option: WrongOption | null
  readonly missingId: string | null
  /** The stored record, which differs from what the caller expected. */
  readonly current: CairnRecord | null

  constructor(code: ErrorCode, details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'CairnError'
    this.code = code
    this.hint = details.hint ?? null
    this.option = details.option ?? null
    this.missingId = details.missingId ?? null
    this.current = details.current ?? null
  }
}

/** The query that a hint repeats may have other words in backquotes. */
const HINTED_OPTION = /`(threshold|mode)(?:: ([^\s`]+))?`/g

/**
 * Renames the options that a hint has in backquotes.
 * @example
 * renameOptions('Set `threshold: 0.2`.', (name, value) => `--${name} ${value}`) // 'Set --threshold 0.2.'
 */
export function renameOptions(
  hint: string,
  rename: (name: string, value: string | undefined) => string,
): string {
  return hint.replace(HINTED_OPTION, (_, name: string, value?: string) => rename(name, value))
}

export function badInput(message: string, hint?: string): CairnError {
  return new CairnError('bad_input', hint === undefined ? { message } : { message, hint })
}

/** A message shows only the beginning of a long name. */
function shorten(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200)}…` : name
}

export function noRecord(text: string): CairnError {
  return new CairnError('not_found', { ...describeMissing([text]), missingId: text })
}

/** Describes texts that name no record, or that are too short for an id. */
export function describeMissing(texts: readonly string[]): { message: string; hint: string } {
  const names = texts.map((text) => `"${shorten(text)}"`).join(', ')
  const areShort = texts.every((text) => isShortId(text))
  return {
    message: areShort ? `${names} is too short for an id.` : `No record has the id ${names}.`,
    hint: areShort
      ? `Give at least ${SHORTEST_PREFIX} characters of it; \`cairn list\` shows the ids there are.`
      : '`cairn list` shows the ids there are.',
  }
}

export function revisionChanged(current: CairnRecord, expected: number): CairnError {
  const { id, revision, title, body } = current
  const text = title === null ? body : `${title}: ${body}`
  return new CairnError('revision_changed', {
    message: `The record "${id}" has revision ${revision}, not ${expected}; nothing was changed.`,
    hint: `It reads now: "${shorten(text)}". Edit it again and expect revision ${revision}.`,
    current,
  })
}

export function noSession(text: string): CairnError {
  return new CairnError('not_found', {
    message: `There is no session "${shorten(text)}".`,
    hint: '`cairn session list` shows those there are; `cairn session start` begins one.',
  })
}

export function takenSession(id: string): CairnError {
  return badInput(
    `There is a session called "${shorten(id)}" already.`,
    'Choose another name, or leave it out to have one made.',
  )
}

export function ambiguousFact(text: string, ids: readonly unknown[]): CairnError {
  return new CairnError('ambiguous_id', {
    message: `Several facts have ids that begin with "${text}": ${ids.join(', ')}.`,
    hint: 'Give more characters of the id.',
  })
}

export function noLens(name: string, lenses: readonly { readonly name: string }[]): CairnError {
  const names = lenses.map((lens) => lens.name).join(', ')
  return badInput(`There is no lens "${shorten(name)}".`, `Choose one of: ${names}.`)
}
