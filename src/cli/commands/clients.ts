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

/** What Cairn puts into the settings of a client. */
type Entry = {
  /** The command that installs it. */
  readonly install: string
  readonly path: string
  readonly merge: (text: string) => string
  /** The text itself where the entry is not there. */
  readonly remove: (text: string) => string
}

export async function runMcpInstall(context: CommandContext): Promise<Outcome> {
  const { config, entry } = describeServer(context)
  const { client, path, title, ownCommand, key, value } = config
  const own = ownCommand === null ? '' : `or run: ${formatShellLine(ownCommand)}\n`
  return installEntry(context, entry, {
    json: { client, path, key, value, ownCommand },
    ...{ text: config.text, otherwise: own, notes: [] },
    question: `Add Cairn to the settings of ${title} in ${path}?`,
    done: `${title} starts Cairn from now on: ${path}`,
  })
}

export async function runMcpRemove(context: CommandContext): Promise<Outcome> {
  const { config, entry } = describeServer(context)
  const { client, path, title } = config
  return removeEntry(context, entry, {
    client,
    question: `Remove Cairn from the settings of ${title} in ${path}?`,
    absent: `${title} does not start Cairn: there is no entry in ${path}`,
    done: `${title} no longer starts Cairn: ${path}`,
  })
}

export async function runHookInstall(context: CommandContext): Promise<Outcome> {
  const { settings, entry } = describeHooks(context)
  const { client, path, title, events, notes } = settings
  return installEntry(context, entry, {
    json: { client, path, events, hooks: settings.hooks, notes },
    ...{ text: settings.text, otherwise: '', notes },
    question: `Add the hooks of Cairn to the settings of ${title} in ${path}?`,
    done: `${title} calls Cairn from now on (${Object.values(events).join(', ')}): ${path}`,
  })
}

export async function runHookRemove(context: CommandContext): Promise<Outcome> {
  const { settings, entry } = describeHooks(context)
  const { client, path, title } = settings
  return removeEntry(context, entry, {
    client,
    question: `Remove the hooks of Cairn from the settings of ${title} in ${path}?`,
    absent: `${title} has no hook of Cairn in ${path}`,
    done: `${title} no longer calls Cairn: ${path}`,
  })
}

function describeServer({ positionals: [client], cli, configuration }: CommandContext) {
  if (client === undefined) throw noClient(mcp.CLIENTS)
  const launch = { command: process.execPath, args: listArguments(['mcp'], configuration()) }
  const config = mcp.describeClient(client, launch, cli)
  const entry: Entry = {
    install: 'cairn mcp install',
    path: config.path,
    merge: (text) => mcp.mergeConfig(text, config),
    remove: (text) => mcp.removeFromConfig(text, config),
  }
  return { config, entry }
}

function describeHooks({ positionals: [client], cli, configuration }: CommandContext) {
  if (client === undefined) throw noClient(hooks.HOOK_CLIENTS)
  const settings = hooks.describeHooks(
    hooks.findHookClient(client),
    (words) => {
      const line = [process.execPath, ...listArguments(words, configuration())]
      // No shell of Windows understands single quotes around a path.
      return cli.platform === 'win32'
        ? line.map((word) => (/[\s\\]/.test(word) ? `"${word}"` : word)).join(' ')
        : formatShellLine(line)
    },
    cli,
  )
  const entry: Entry = {
    install: 'cairn hook install',
    path: settings.path,
    merge: (text) => hooks.mergeHooks(text, settings),
    remove: (text) => hooks.removeHooks(text, settings),
  }
  return { settings, entry }
}

function noClient(known: readonly string[]) {
  return badInput('Which assistant is it for?', `Give one of ${known.join(', ')}.`)
}

async function installEntry(
  context: CommandContext,
  { install, path, merge }: Entry,
  told: {
    readonly json: object
    /** Of a new file. */
    readonly text: string
    /** Another way to install it. */
    readonly otherwise: string
    readonly notes: readonly string[]
    readonly question: string
    readonly done: string
  },
): Promise<Outcome> {
  const notes = told.notes.map((note) => `${note}\n`).join('')
  if (context.flags.print === true) {
    const where = `This belongs into ${path}.\n${told.otherwise}${notes}`
    return {
      json: { ...told.json, written: false, backup: null },
      text: (style) => `${told.text.trimEnd()}\n\n${style.dim(where)}`,
    }
  }
  const merged = merge(readIfThere(path))
  await assertAgreed(context, told.question)
  const backup = nameBackup(context, path)
  await replaceFile(path, merged, { ...cannotWrite(path, install), backup })
  return {
    json: { ...told.json, written: true, backup },
    text: (style) => `${told.done}\n${renderBackup(backup, style)}${notes}`,
  }
}

async function removeEntry(
  context: CommandContext,
  entry: Entry,
  told: {
    readonly client: string
    readonly question: string
    readonly absent: string
    readonly done: string
  },
): Promise<Outcome> {
  const { install, path, remove } = entry
  const json = { client: told.client, path }
  const existing = readIfThere(path)
  if (remove(existing) === existing) {
    return { json: { ...json, removed: false, backup: null }, text: () => `${told.absent}\n` }
  }
  const earlier = findEarlier(entry, existing)
  await assertAgreed(context, told.question)
  const backup = nameBackup(context, path)
  if (earlier !== null) await replaceFile(path, earlier, { ...cannotWrite(path, install), backup })
  else {
    if (backup !== null) copyFileSync(path, backup)
    rmSync(path)
  }
  return {
    json: { ...json, removed: true, backup },
    text: (style) => `${told.done}\n${renderBackup(backup, style)}`,
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

/** Asks where there is somebody to ask. */
async function assertAgreed({ cli: { confirm }, flags }: CommandContext, question: string) {
  if (confirm === null || flags.yes === true || (await confirm(question))) return
  throw badInput('Nothing was written.', 'Answer y, or give --yes.')
}

/** Null where there is no file to keep. */
function nameBackup({ cli: { now } }: CommandContext, path: string): string | null {
  const stamp = new Date(now()).toISOString().replace(/\D/g, '').slice(0, 14)
  return existsSync(path) ? `${path}.${stamp}.bak` : null
}

function cannotWrite(path: string, install: string) {
  return {
    message: `The settings in ${path} cannot be written.`,
    hint: `\`${install} --print\` shows what belongs there.`,
  }
}

function renderBackup(backup: string | null, style: Style): string {
  return backup === null ? '' : style.dim(`What was there is kept in ${backup}\n`)
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
