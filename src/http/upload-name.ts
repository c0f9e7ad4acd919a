/** The name of a file that was sent is a path inside of its folder, whatever was sent. */

import { badInput } from '../core/errors.js'

const MAX_PART_BYTES = 255
const MAX_PARTS = 32

/** The parts of a relative path, `['notes', 'june.md']`; what could lead elsewhere is refused. */
export function readUploadName(name: string): readonly string[] {
  const shown = `"${name.slice(0, 100)}"`
  if (/^[\\/]|^[A-Za-z]:/.test(name)) throw badInput(`The name ${shown} must be a relative one.`)
  const parts = name.split(/[\\/]/)
  if (parts.length > MAX_PARTS) throw badInput(`The name ${shown} has too many folders.`)
  for (const part of parts) assertPart(part, shown)
  return parts
}

function assertPart(part: string, shown: string): void {
  if (part === '' || part === '.' || part === '..') {
    throw badInput(`The name ${shown} is not the plain name of a file.`)
  }
  if (hasControlCharacter(part)) throw badInput(`The name ${shown} has characters no name has.`)
  if (Buffer.byteLength(part) > MAX_PART_BYTES) throw badInput(`The name ${shown} is too long.`)
  // The settings of a repository can name programs, and git would run them.
  if (/\.git[. ]*$/i.test(part)) {
    throw badInput(
      `A repository cannot be sent: ${shown}.`,
      'Import its history where it is, with `cairn import --format git`.',
    )
  }
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 32 || code === 127) return true
  }
  return false
}
