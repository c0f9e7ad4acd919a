/** Whatever SQLite reports reaches the user as one sentence that names the file and the next step. */

import { CairnError, type ErrorCode } from '../../core/errors.js'

type Explanation = {
  readonly code: ErrorCode
  readonly message: (file: string) => string
  readonly hint: string
}

/** SQLite's result codes (https://www.sqlite.org/rescode.html), the longest name that fits wins. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  SQLITE_NOTADB: {
    code: 'not_a_database',
    message: (file) => `${file} is not a SQLite database.`,
    hint: 'Name another file with --db, or move this one away.',
  },
  SQLITE_CORRUPT: {
    code: 'damaged',
    message: (file) => `${file} is damaged.`,
    hint: 'Run `cairn doctor` to see what is wrong, and restore a copy if the records themselves are hurt.',
  },
  SQLITE_READONLY: {
    code: 'read_only',
    message: (file) => `${file} cannot be written to.`,
    hint: 'Check the permissions of the file and its folder, or name another file with --db.',
  },
  SQLITE_FULL: {
    code: 'disk_full',
    message: (file) => `There is no space left to write to ${file}; nothing was changed.`,
    hint: 'Free some space on that disk and try again.',
  },
  SQLITE_IOERR: {
    code: 'unreadable_file',
    message: (file) => `The disk reported an error on ${file}; nothing was changed.`,
    hint: 'Check the disk and its free space, then run `cairn doctor`.',
  },
  SQLITE_BUSY: {
    code: 'locked',
    message: (file) => `Another program is writing to ${file} and did not finish in time.`,
    hint: 'Try again in a moment; nothing was changed.',
  },
  SQLITE_LOCKED: {
    code: 'locked',
    message: (file) => `${file} is locked by another connection.`,
    hint: 'Try again in a moment; nothing was changed.',
  },
  SQLITE_CANTOPEN: {
    code: 'unreadable_file',
    message: (file) => `${file} cannot be opened.`,
    hint: 'Check that the folder exists and that you may read and write there.',
  },
  SQLITE_PERM: {
    code: 'unreadable_file',
    message: (file) => `You may not open ${file}.`,
    hint: 'Check the permissions of the file and its folder.',
  },
}

/** The same error in the words of a user, or as it is where it is none of SQLite's. */
export function explainSqliteError(error: unknown, file: string): unknown {
  const code = sqliteCode(error)
  if (code === null) return error
  const name = Object.keys(EXPLANATIONS).find((known) => code.startsWith(known))
  const explanation = name === undefined ? undefined : EXPLANATIONS[name]
  if (explanation === undefined) return error
  return new CairnError(explanation.code, {
    message: explanation.message(file),
    hint: explanation.hint,
    cause: error,
  })
}

export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : null
}
