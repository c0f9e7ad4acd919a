/** A file is there as it was or as it shall be, never half of it. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Makes the folder where it is missing; a link stays one, and who may read the file may read it still. */
export function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const isThere = existsSync(path)
  const target = isThere ? realpathSync(path) : path
  writeFileSync(`${target}.new`, text)
  if (isThere) chmodSync(`${target}.new`, statSync(target).mode)
  renameSync(`${target}.new`, target)
}
