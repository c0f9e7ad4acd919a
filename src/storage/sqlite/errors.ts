/** Explains errors of SQLite by a sentence that names the file, and a next step. */

import { CairnError, type ErrorCode } from '../../core/errors.js'

type Explanation = readonly [ErrorCode, message: string, hint: string]

const DAMAGED: Explanation = [
  'damaged',
  'FILE is damaged.',
  'Restore a copy; or run `cairn doctor --repair`, which rebuilds what is derived from the records; or save what can still be read with `cairn export --all --salvage`.',
]

/** By SQLite's result codes (https://www.sqlite.org/rescode.html); an extended code begins with the name of its class. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  SQLITE_NOTADB: [
    'not_a_database',
    'FILE is not a SQLite database.',
    'Name another file with --db, or move this one away.',
  ],
  SQLITE_READONLY: [
    'read_only',
    'FILE cannot be written to.',
    'Check the permissions of the file and its folder, or name another file with --db.',
  ],
  SQLITE_FULL: [
    'disk_full',
    'There is no space left to write to FILE; nothing was changed.',
    'Free some space on that disk and try again.',
  ],
  SQLITE_IOERR: [
    'unreadable_file',
    'The disk reported an error on FILE; nothing was changed.',
    'Check the disk and its free space, then run `cairn doctor`.',
  ],
  SQLITE_BUSY: [
    'locked',
    'Another program is writing to FILE and did not finish in time.',
    'Try again in a moment; nothing was changed.',
  ],
  SQLITE_CANTOPEN: [
    'unreadable_file',
    'FILE cannot be opened.',
    'Check that its name is not too long, that its folder exists and that you may write there.',
  ],
}

/** Returns an error that is not SQLite's as it is. */
export function explainSqliteError(error: unknown, file: string): unknown {
  if (isDamage(error)) return error instanceof CairnError ? error : damagedFile(file, error)
  const name = sqliteCode(error)?.split('_').slice(0, 2).join('_') ?? ''
  const explanation = EXPLANATIONS[name]
  return explanation === undefined ? error : explain(explanation, file, error)
}

export function damagedFile(file: string, cause: unknown): CairnError {
  return explain(DAMAGED, file, cause)
}

/** Whether SQLite or a check of ours found damage. Invalid JSON is damage: it was valid when it was written. */
export function isDamage(error: unknown): boolean {
  if (error instanceof CairnError) return error.code === 'damaged'
  if (error instanceof SyntaxError) return true
  return sqliteCode(error)?.startsWith('SQLITE_CORRUPT') ?? false
}

function explain([code, message, hint]: Explanation, file: string, cause: unknown): CairnError {
  return new CairnError(code, { message: message.replace('FILE', () => file), hint, cause })
}

export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : null
}
