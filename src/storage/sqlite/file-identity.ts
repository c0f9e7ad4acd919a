/** What is read and written is the file that stands at the path; once it is not, every operation says so. */

import { type BigIntStats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { CairnError } from '../../core/errors.js'

export type Place = {
  /** False once another file stands at the path, or none. */
  isKept(): boolean
  /** Throws once it is not kept: for writing, before and after a commit. */
  assertKept(): void
  /** The same for reading, where a look every tenth of a second is enough. */
  glance(): void
}

/** A look takes three microseconds, and a search reads twenty times. */
const LOOK_EVERY_MS = 100

/**
 * SQLite goes on with an open file that was deleted or replaced, into which nobody else can look. While it is open the
 * system gives its number to no other file, so the number at the path tells.
 * @param isCopy The file was read whole, so that even a change of it is news.
 */
export function notePlace(file: string, { isCopy }: { readonly isCopy: boolean }): Place {
  // As it was opened: the folder of the process may change.
  const path = resolve(file)
  const look = (): string => (isCopy ? `${stateOf(path)} ${stateOf(`${path}-wal`)}` : idOf(path))
  const opened = look()
  const isKept = (): boolean => opened !== '' && look() === opened
  let looked = performance.now()
  const assertKept = (): void => {
    looked = performance.now()
    if (!isKept()) throw noLongerThere(file)
  }
  return {
    isKept,
    assertKept,
    glance() {
      if (performance.now() - looked >= LOOK_EVERY_MS) assertKept()
    },
  }
}

/** What is only in memory has no place that it could lose. */
export const NO_PLACE: Place = {
  isKept: () => true,
  assertKept: () => {},
  glance: () => {},
}

function idOf(file: string): string {
  const found = statsOf(file)
  return found === undefined ? '' : `${found.dev}.${found.ino}`
}

function stateOf(file: string): string {
  const found = statsOf(file)
  return found === undefined ? '' : `${found.dev}.${found.ino}.${found.size}.${found.mtimeNs}`
}

function statsOf(file: string): BigIntStats | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })
}

function noLongerThere(file: string): CairnError {
  return new CairnError('file_changed', {
    message:
      statsOf(file) === undefined
        ? `${file} was deleted or moved away while it was open; what was to be written now is not in it.`
        : `Another file stands at ${file} than the one that was opened; what was to be written now is not in it.`,
    hint: 'Open it again.',
  })
}
