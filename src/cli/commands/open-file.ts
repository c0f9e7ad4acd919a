/** Opens the file of a record in the editor, or the address of a work in the browser. */

import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { badInput, CairnError } from '../../core/errors.js'
import type { CliContext, CommandContext, Outcome } from '../command.js'

/** Editors that take `file:line`, with the option it needs; all others in the list take `+line file`. */
const FILE_AND_LINE: Readonly<Record<string, readonly string[]>> = {
  code: ['-g'],
  codium: ['-g'],
  cursor: ['-g'],
  windsurf: ['-g'],
  subl: [],
  zed: [],
  hx: [],
}
const PLUS_LINE = new Set('vi vim nvim nano emacs emacsclient micro kak joe gedit kate'.split(' '))

export async function runOpen({ positionals, flags, cli, open }: CommandContext): Promise<Outcome> {
  const [id] = positionals
  if (id === undefined) throw badInput('Which record is to be opened? Give its id.')
  const cairn = await open()
  const [record] = (await cairn.get([id])).records
  const file = await cairn.findFile(id)
  const { doi = null, url = null } = record?.work ?? {}
  const address = url ?? (doi === null ? null : `https://doi.org/${doi}`)
  if (file === null && address === null) {
    throw new CairnError('not_found', {
      message: `The record "${id}" came from no file that is still there.`,
      hint: `\`cairn get ${id}\` shows its text.`,
    })
  }
  const target = file === null ? String(address) : `${file.path}:${file.line}`
  if (flags.print !== true) {
    if (file === null) openByDefault(String(address), cli)
    else await openInEditor(file, cli)
  }
  const json = { id: record?.id, path: file?.path ?? null, line: file?.line ?? null, url: address }
  return { json, text: () => `${target}\n` }
}

/** `$VISUAL`, else `$EDITOR`, else what the system opens such files with. */
async function openInEditor(
  { path, line }: { readonly path: string; readonly line: number },
  cli: CliContext,
): Promise<void> {
  const [program, ...given] = (cli.env.VISUAL || cli.env.EDITOR || '').split(' ')
  if (!program) {
    openByDefault(path, cli)
    return
  }
  const name = basename(program).replace(/\.(?:exe|cmd)$/i, '')
  const option = FILE_AND_LINE[name]
  const own = PLUS_LINE.has(name) ? [`+${line}`, path] : [path]
  const args = [...given, ...(option === undefined ? own : [...option, `${path}:${line}`])]
  const child = spawn(program, args, { stdio: 'inherit' })
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve())
    child.once('error', () =>
      reject(badInput(`The editor "${program}" could not be started.`, 'Set $EDITOR.')),
    )
  })
}

/** A browser for an address, and whatever program the system has for a file. */
export function openByDefault(target: string, { platform, writeError }: CliContext): void {
  const opener = platform === 'darwin' ? 'open' : 'xdg-open'
  const [command = '', ...args] =
    platform === 'win32'
      ? ['cmd', '/c', 'start', '""', target.replaceAll('&', '^&')]
      : [opener, target]
  const child = spawn(command, args, { detached: true, stdio: 'ignore' })
  child.once('error', () => writeError(`cairn: no program opens ${target} here.\n`))
  child.unref()
}
