/** The text of a record comes from the argument, a file or standard input, and is text. */

import { readFile } from 'node:fs/promises'
import { badInput, CairnError } from '../core/errors.js'
import type { CommandContext } from './command.js'

export type GivenText = {
  readonly text: string
  /** The file it was read from. */
  readonly file: string | null
}

/** Null where no text was given at all. */
export async function readText(
  { flags, world }: Pick<CommandContext, 'flags' | 'world'>,
  argument: string | undefined,
): Promise<GivenText | null> {
  const file = typeof flags.file === 'string' ? flags.file : null
  if (argument !== undefined && file !== null) {
    throw badInput('Both a text and --file were given.', 'Give one of them.')
  }
  if (argument !== undefined && argument !== '-') return { text: argument, file: null }
  if (file !== null && file !== '-') {
    return { text: decode(await readBytes(file), file), file }
  }
  const wantsStdin = argument === '-' || file === '-'
  if (world.readStdin === null) {
    if (!wantsStdin) return null
    throw badInput('Nothing was piped into standard input.')
  }
  const bytes = await world.readStdin()
  if (bytes.length === 0 && !wantsStdin) return null
  return { text: decode(bytes, 'standard input').trimEnd(), file: null }
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : ''
    const reason =
      code === 'ENOENT' ? 'is not there' : code === 'EISDIR' ? 'is a folder' : 'cannot be read'
    throw new CairnError('unreadable_file', {
      message: `The file ${file} ${reason}.`,
      hint: 'Check the path, or give the text itself.',
      cause,
    })
  }
}

function decode(bytes: Uint8Array, name: string): string {
  const refuse = (): CairnError =>
    badInput(`${name} is not UTF-8 text.`, 'Convert it to text first.')
  if (bytes.includes(0)) throw refuse()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse()
  }
}
