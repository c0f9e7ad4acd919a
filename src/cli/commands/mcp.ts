/** `cairn mcp` serves agents until it is told to end; `cairn mcp install` tells an assistant how to start it. */

import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import type { Configuration } from '../../config/configuration.js'
import { openLog, toOpenOptions } from '../../config/load-configuration.js'
import type { SettingName } from '../../config/settings.js'
import { badInput, CairnError } from '../../core/errors.js'
import { CLIENTS, describeClient, mergeConfig } from '../../mcp/clients.js'
import type { CommandContext, Outcome } from '../command.js'
import { formatShellLine } from '../command-line.js'
import { replaceFile } from '../files.js'

const DONE: Outcome = { json: null, text: () => '', isPrinted: true }

export async function runMcpCommand({
  flags,
  cli,
  configuration,
}: CommandContext): Promise<Outcome> {
  const settings = configuration()
  const { runMcp } = await import('../../mcp/main.js')
  await runMcp({
    ...toOpenOptions(settings),
    env: cli.env,
    log: openLog(settings, cli.now, cli.writeError),
    http: flags.http === true,
    port: settings.get('mcp.port'),
    token: settings.getGiven('mcp.token'),
    budget: settings.getGiven('mcp.budget'),
    // Standard output belongs to the protocol.
    onListening: (at) => cli.writeError(`Listening at ${at.url}\nToken: ${at.token}\n`),
  })
  return DONE
}

export async function runMcpInstall(context: CommandContext): Promise<Outcome> {
  const { positionals, flags, cli } = context
  const [client] = positionals
  if (client === undefined) {
    throw badInput('Which assistant is it for?', `Give one of ${CLIENTS.join(', ')}.`)
  }
  const launch = { command: process.execPath, args: launchArguments(context.configuration()) }
  const config = describeClient(client, launch, cli)
  const { path, title, ownCommand, key, value } = config
  if (flags.write !== true) {
    const own = ownCommand === null ? '' : `or run: ${formatShellLine(ownCommand)}\n`
    return {
      json: { client, path, key, value, ownCommand, written: false, backup: null },
      text: (style) =>
        `${config.text.trimEnd()}\n\n` +
        style.dim(`This belongs into ${path}; --write puts it there.\n${own}`),
    }
  }
  const backup = writeKeepingBackup(path, mergeConfig(readText(path), config), cli.now())
  return {
    json: { client, path, key, value, ownCommand, written: true, backup },
    text: (style) =>
      `${title} starts Cairn from now on: ${path}\n` +
      (backup === null ? '' : style.dim(`What was there is kept in ${backup}\n`)),
  }
}

/**
 * With whole paths: an assistant starts in a folder of its own, without this shell's environment. What the user's
 * file says it finds there itself.
 */
function launchArguments({ getGiven, getOrigin }: Configuration): string[] {
  const args = [resolve(process.argv[1] ?? 'cairn'), 'mcp']
  const sayHere = <Name extends SettingName>(name: Name) =>
    getOrigin(name).kind === 'user' ? undefined : getGiven(name)
  const [db, namespace] = [sayHere('db'), sayHere('namespace')]
  if (db !== undefined) args.push('--db', resolve(db))
  if (namespace !== undefined) args.push('--namespace', namespace)
  if (sayHere('pinned') === true) args.push('--pinned')
  return args
}

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** The old file stays beside the new one; the new one is there whole or not at all. */
function writeKeepingBackup(path: string, text: string, now: number): string | null {
  try {
    const stamp = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14)
    const backup = existsSync(path) ? `${path}.${stamp}.bak` : null
    if (backup !== null) copyFileSync(path, backup)
    replaceFile(path, text)
    return backup
  } catch (cause) {
    throw new CairnError('unreadable_file', {
      message: `The settings in ${path} cannot be written.`,
      hint: 'Leave --write out, and add what is printed by hand.',
      cause,
    })
  }
}
