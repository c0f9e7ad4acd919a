/** Opens the file of a record in the editor, or the address of a work in the browser. */

import { spawn } from 'node:child_process'
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
  // Bibliographies may come from others: an address is opened only in a browser.
  const isWeb = url !== null && /^https?:\/\//i.test(url)
  const address = isWeb ? url : doi === null ? null : `https://doi.org/${doi}`
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

/** `$VISUAL`, else `$EDITOR`, else the program that the system has for such files. */
async function openInEditor(file: FileAndLine, cli: CliContext): Promise<void> {
  const editor = chooseEditor(cli.env.VISUAL || cli.env.EDITOR || '', file, cli.platform)
  if (editor === null) {
    openByDefault(file.path, cli)
    return
  }
  const [program = '', ...args] = editor.words
  const child = spawn(program, args, { stdio: 'inherit', shell: editor.isInShell })
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve())
    child.once('error', () =>
      reject(badInput(`The editor "${program}" could not be started.`, 'Set $EDITOR.')),
    )
  })
}

type FileAndLine = { readonly path: string; readonly line: number }

/** Null if none is named. On Windows an editor may be a script, which needs a shell; no path there has a quote. */
export function chooseEditor(named: string, { path, line }: FileAndLine, platform: string) {
  const words = (named.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
  const [program] = words
  if (program === undefined) return null
  const name = program.replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd)$/i, '')
  const option = FILE_AND_LINE[name]
  const own = PLUS_LINE.has(name) ? [`+${line}`, path] : [path]
  const all = [...words, ...(option === undefined ? own : [...option, `${path}:${line}`])]
  const isInShell = platform === 'win32'
  return { words: isInShell ? all.map((word) => `"${word}"`) : all, isInShell }
}

/** A browser for an address, and whatever program the system has for a file. */
export function openByDefault(target: string, { platform, writeError }: CliContext): void {
  const [command = '', ...args] = chooseOpener(target, platform)
  const child = spawn(command, args, { detached: true, stdio: 'ignore' })
  child.once('error', () => writeError(`cairn: no program opens ${target} here.\n`))
  child.unref()
}

/** Never `start` of Windows' shell, which runs what follows a `|` or `&` in an address. */
export function chooseOpener(target: string, platform: string): readonly string[] {
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', target]
  return [platform === 'darwin' ? 'open' : 'xdg-open', target]
}
