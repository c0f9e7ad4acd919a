/** Commands that change the settings of an assistant: mcp install, mcp remove, hook install and hook remove. */

import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import process from 'node:process'
import type { Configuration } from '../../config/configuration.js'
import type { SettingName } from '../../config/settings.js'
import { hasPassword, isDatabaseUrl } from '../../core/database-url.js'
import { badInput } from '../../core/errors.js'
import * as mcp from '../../mcp/clients.js'
import * as hooks from '../../mcp/hooks.js'
import type { CommandContext, Outcome } from '../command.js'
import { formatShellLine } from '../command-line.js'
import { replaceFile } from '../files.js'
import type { Style } from '../render/style.js'

/** The entry of Cairn in the settings of a client, with the texts for the user. */
type Entry = {
  /** The command that installs it. */
  readonly install: string
  readonly client: string
  readonly title: string
  /** What is added to the settings. */
  readonly what: string
  readonly path: string
  readonly json: object
  /** Of a new file. */
  readonly text: string
  readonly merge: (text: string) => string
  /** Without an entry the text is unchanged. */
  readonly remove: (text: string) => string
  /** Another way to install it. */
  readonly otherwise?: string
  readonly notes?: readonly string[]
  readonly told: { readonly installed: string; readonly removed: string; readonly absent: string }
}

export const runMcpInstall = (context: CommandContext) =>
  installEntry(context, describeServer(context))
export const runMcpRemove = (context: CommandContext) =>
  removeEntry(context, describeServer(context))
export const runHookInstall = (context: CommandContext) =>
  installEntry(context, describeHooks(context))
export const runHookRemove = (context: CommandContext) =>
  removeEntry(context, describeHooks(context))

function describeServer({ positionals: [given], cli, configuration }: CommandContext): Entry {
  if (given === undefined) throw noClient(mcp.CLIENTS)
  const launch = { command: process.execPath, args: listArguments(['mcp'], configuration()) }
  const config = mcp.describeClient(given, launch, cli)
  const { client, path, title, ownCommand, key, value, text } = config
  return {
    ...{ install: 'cairn mcp install', what: 'Cairn', client, title, path, text },
    json: { client, path, key, value, ownCommand },
    merge: (existing) => mcp.mergeConfig(existing, config),
    remove: (existing) => mcp.removeFromConfig(existing, config),
    ...(ownCommand !== null && { otherwise: `or run: ${formatShellLine(ownCommand)}\n` }),
    told: {
      installed: `${title} starts Cairn from now on: ${path}`,
      removed: `${title} no longer starts Cairn: ${path}`,
      absent: `${title} does not start Cairn: there is no entry in ${path}`,
    },
  }
}

function describeHooks({ positionals: [given], cli, configuration }: CommandContext): Entry {
  if (given === undefined) throw noClient(hooks.HOOK_CLIENTS)
  const settings = hooks.describeHooks(
    hooks.findHookClient(given),
    (words) => {
      const line = [process.execPath, ...listArguments(words, configuration())]
      // No shell of Windows understands single quotes around a path.
      return cli.platform === 'win32'
        ? line.map((word) => (/[\s\\]/.test(word) ? `"${word}"` : word)).join(' ')
        : formatShellLine(line)
    },
    cli,
  )
  const { client, path, title, events, notes, text } = settings
  return {
    ...{ install: 'cairn hook install', what: 'the hooks of Cairn', client, title },
    ...{ path, text, notes },
    json: { client, path, events, hooks: settings.hooks, notes },
    merge: (existing) => hooks.mergeHooks(existing, settings),
    remove: (existing) => hooks.removeHooks(existing, settings),
    told: {
      installed: `${title} calls Cairn from now on (${Object.values(events).join(', ')}): ${path}`,
      removed: `${title} no longer calls Cairn: ${path}`,
      absent: `${title} has no hook of Cairn in ${path}`,
    },
  }
}

function noClient(known: readonly string[]) {
  return badInput('Which assistant is it for?', `Give one of ${known.join(', ')}.`)
}

async function installEntry(context: CommandContext, entry: Entry): Promise<Outcome> {
  const { title, what, path, json, text, merge, otherwise = '', told } = entry
  const notes = entry.notes?.map((note) => `${note}\n`).join('') ?? ''
  if (context.flags.print === true) {
    const where = `This belongs in ${path}.\n${otherwise}${notes}`
    return {
      json: { ...json, written: false, backup: null },
      text: (style) => `${text.trimEnd()}\n\n${style.dim(where)}`,
    }
  }
  const merged = merge(readIfThere(path))
  await assertAgreed(context, `Add ${what} to the settings of ${title} in ${path}?`)
  const backup = nameBackup(context, path)
  await replaceFile(path, merged, { ...cannotWrite(entry), backup })
  return {
    json: { ...json, written: true, backup },
    text: (style) => `${told.installed}\n${renderBackup(backup, style)}${notes}`,
  }
}

async function removeEntry(context: CommandContext, entry: Entry): Promise<Outcome> {
  const { client, title, what, path, remove, told } = entry
  const existing = readIfThere(path)
  if (remove(existing) === existing) {
    return { json: { client, path, removed: false, backup: null }, text: () => `${told.absent}\n` }
  }
  const earlier = findEarlier(entry, existing)
  await assertAgreed(context, `Remove ${what} from the settings of ${title} in ${path}?`)
  const backup = nameBackup(context, path)
  if (earlier !== null) await replaceFile(path, earlier, { ...cannotWrite(entry), backup })
  else {
    if (backup !== null) copyFileSync(path, backup)
    rmSync(path)
  }
  return {
    json: { client, path, removed: true, backup },
    text: (style) => `${told.removed}\n${renderBackup(backup, style)}`,
  }
}

/**
 * The settings as they were before the entry: the newest backup that says the same as they do now, byte for byte, else
 * the text without the entry. Null: there was no file.
 */
function findEarlier({ path, merge, remove }: Entry, existing: string): string | null {
  const print = (text: string): string => remove(text).replace(/\s+/g, '')
  const isSame = (text: string): boolean => {
    try {
      return remove(text) === text && print(merge(text)) === print(existing)
    } catch {
      return false
    }
  }
  const names = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.bak'),
  )
  const backups = names
    .sort()
    .reverse()
    .map((name) => readIfThere(join(dirname(path), name)))
  const same = backups.find(isSame)
  if (same !== undefined) return same
  return isSame('') ? null : remove(existing)
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Asks the person at the terminal, if there is one. */
async function assertAgreed({ cli: { confirm }, flags }: CommandContext, question: string) {
  if (confirm === null || flags.yes === true || (await confirm(question))) return
  throw badInput('Nothing was written.', 'Answer y, or give --yes.')
}

/** Null if there is no file to back up. */
function nameBackup({ cli: { now } }: CommandContext, path: string): string | null {
  const stamp = new Date(now()).toISOString().replace(/\D/g, '').slice(0, 14)
  return existsSync(path) ? `${path}.${stamp}.bak` : null
}

function cannotWrite({ path, install }: Entry) {
  return {
    message: `The settings in ${path} cannot be written.`,
    hint: `\`${install} --print\` shows what belongs there.`,
  }
}

function renderBackup(backup: string | null, style: Style): string {
  return backup === null ? '' : style.dim(`A backup is in ${backup}\n`)
}

function toPortable(db: string): string {
  if (!isDatabaseUrl(db)) return resolve(db)
  if (!hasPassword(db)) return db
  throw badInput(
    'The address of the database holds a password, which would be written into the configuration of the client.',
    'Leave it out of the address, and put it into ~/.pgpass.',
  )
}

/**
 * With absolute paths: an assistant starts in a folder of its own, without this shell's environment. It reads the
 * user's configuration file itself.
 */
function listArguments(
  words: readonly string[],
  { getGiven, getOrigin }: Configuration,
): readonly string[] {
  const args = [resolve(process.argv[1] ?? 'cairn'), ...words]
  const readHere = <Name extends SettingName>(name: Name) =>
    getOrigin(name).kind === 'user' ? undefined : getGiven(name)
  const [db, namespace] = [readHere('db'), readHere('namespace')]
  if (db !== undefined) args.push('--db', toPortable(db))
  if (namespace !== undefined) args.push('--namespace', namespace)
  if (readHere('pinned') === true) args.push('--pinned')
  return args
}
