/** Reads the text of a record from an argument, a file or standard input, and writes files whole or not at all. */

import { createWriteStream, existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeDraft } from '../core/draft.js'
import { badInput, CairnError } from '../core/errors.js'
import type { CommandContext, FlagValues } from './command.js'

/** The text, and the file it was read from; null if no text was given. */
export async function readText(
  { flags, cli }: Pick<CommandContext, 'flags' | 'cli'>,
  argument: string | undefined,
): Promise<{ readonly text: string; readonly file: string | null } | null> {
  const file = typeof flags.file === 'string' ? flags.file : null
  if (argument !== undefined && file !== null) {
    throw badInput('Both a text and --file were given.', 'Give one of them.')
  }
  if (argument !== undefined && argument !== '-') return { text: argument, file: null }
  if (file !== null && file !== '-') return { text: await readTextFile(file), file }
  const wantsStdin = argument === '-' || file === '-'
  if (cli.readStdin === null) {
    if (!wantsStdin) return null
    throw badInput('Nothing was piped into standard input.')
  }
  const bytes = await cli.readStdin()
  if (bytes.length === 0 && !wantsStdin) return null
  return { text: decode(bytes, 'standard input').trimEnd(), file: null }
}

/** A style that is a path is read: the operation takes the text of a CSL style. */
export async function readStyle<I extends { style?: string | undefined }>(input: I): Promise<I> {
  const { style } = input
  if (style === undefined || !/\.csl$|[/\\]/i.test(style)) return input
  return { ...input, style: await readTextFile(style) }
}

export async function readTextFile(
  file: string,
  hint = 'Check the path, or give the text itself.',
): Promise<string> {
  try {
    return decode(await readFile(file), file)
  } catch (cause) {
    if (cause instanceof CairnError) throw cause
    const reasons = { ENOENT: 'does not exist', EISDIR: 'is a folder' }
    const reason = reasons[(cause as NodeJS.ErrnoException).code as keyof typeof reasons]
    throw new CairnError('unreadable_file', {
      message: `The file ${file} ${reason ?? 'cannot be read'}.`,
      hint,
      cause,
    })
  }
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {}
  throw badInput(`${name} is not UTF-8 text.`, 'Convert it to text first.')
}

/** Makes missing folders; a symbolic link stays one, and the permissions stay. The old text goes to `backup`. */
export async function replaceFile(
  path: string,
  text: string,
  { backup = null, ...failure }: { message: string; hint: string; backup?: string | null },
): Promise<void> {
  try {
    if (backup !== null) await copyFile(path, backup)
    await mkdir(dirname(path), { recursive: true })
    const target = existsSync(path) ? await realpath(path) : path
    await writeDraft(target, async (draft) => {
      await writeFile(draft, text)
      if (existsSync(target)) await chmod(draft, (await stat(target)).mode)
    })
  } catch (cause) {
    throw new CairnError('unreadable_file', { ...failure, cause })
  }
}

/** The file that `--output` names, or null; one that exists needs `--force`. */
export function readOutputFlag({ output, force }: FlagValues): string | null {
  if (typeof output !== 'string') return null
  if (force === true || !existsSync(output)) return output
  throw badInput(`The file ${output} exists already.`, 'Name another one, or give --force.')
}

export async function writeFileWhole(
  file: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  try {
    await writeDraft(file, (draft) => pipeline(pieces, createWriteStream(draft)))
  } catch (cause) {
    if (cause instanceof CairnError) throw cause
    throw new CairnError('unreadable_file', {
      message: `The file ${file} cannot be written.`,
      hint: 'Check that its folder exists and may be written to.',
      cause,
    })
  }
}
