/** A file that is not there is no error, and any other that cannot be read is named. */

import { readFileSync } from 'node:fs'
import { CairnError } from '../core/errors.js'

const NOT_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])

/** At once, not later: a command does nothing before it knows its settings. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && NOT_THERE.has(cause.code)) return null
    throw new CairnError('unreadable_file', {
      message: `The configuration ${path} cannot be read.`,
      hint: 'Check that it is a file, and who may read it.',
      cause,
    })
  }
}
