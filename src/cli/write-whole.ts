/** A file is written whole or not at all, and never over one that nobody gave up. */

import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { badInput, CairnError } from '../core/errors.js'
import type { FlagValues } from './command.js'

/** The file that `--output` names, or null; refused where it is there and `--force` is not. */
export function wantedOutput({ output, force }: FlagValues): string | null {
  if (typeof output !== 'string') return null
  if (force === true || !existsSync(output)) return output
  throw badInput(`The file ${output} is there already.`, 'Name another one, or give --force.')
}

/** Whoever reads the file meanwhile sees the old one. */
export async function writeWhole(
  file: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const draft = `${file}.${randomUUID().slice(0, 8)}.tmp`
  try {
    await pipeline(pieces, createWriteStream(draft))
    await rename(draft, file)
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {})
    if (cause instanceof CairnError) throw cause
    throw new CairnError('unreadable_file', {
      message: `The file ${file} cannot be written.`,
      hint: 'Check that its folder is there and may be written to.',
      cause,
    })
  }
}
