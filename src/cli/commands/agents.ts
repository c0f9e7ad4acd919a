/** Commands for assistants, programs and browsers: serve, mcp, mcp install and mcp remove. */

import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import type { Configuration } from '../../config/configuration.js'
import { openLog, toOpenOptions } from '../../config/load-configuration.js'
import type { SettingName } from '../../config/settings.js'
import { badInput } from '../../core/errors.js'
import type { CommandContext, Outcome } from '../command.js'
import { formatShellLine } from '../command-line.js'
import { replaceFile } from '../files.js'
import type { Style } from '../render/style.js'
import { openByDefault } from './open-file.js'

const DONE: Outcome = { json: null, text: () => '', isPrinted: true }

export async function runServeCommand(context: CommandContext): Promise<Outcome> {
  const { flags, cli, open } = context
  const settings = context.configuration()
  const token = settings.getGiven('mcp.token')
  const { runServe } = await import('../../http/server.js')
  await runServe({
    cairn: await open({ create: true, cachesResults: true }),
    log: openLog(settings, cli.now, cli.writeError),
    port: settings.get('http.port'),
    ...(typeof flags.host === 'string' ? { host: flags.host } : {}),
    ...(token !== undefined && token !== '' ? { token } : {}),
    onListening: ({ url }) => {
      cli.writeOut(flags.json === true ? `${JSON.stringify({ url })}\n` : `Cairn is at ${url}\n`)
      if (flags.open === true) openByDefault(url, cli)
    },
  })
  return DONE
}

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
    recall: flags['no-recall'] !== true,
    profile: typeof flags.profile === 'string' ? flags.profile : undefined,
    // Standard output belongs to the protocol.
    onListening: (at) => cli.writeError(`Listening at ${at.url}\nToken: ${at.token}\n`),
  })
  return DONE
}

export async function runMcpInstall(context: CommandContext): Promise<Outcome> {
  const { flags } = context
  const { mergeConfig } = await import('../../mcp/clients.js')
  const config = await describeAssistant(context)
  const { client, path, title, ownCommand, key, value } = config
  const json = { client, path, key, value, ownCommand }
  if (flags.print === true) {
    const own = ownCommand === null ? '' : `or run: ${formatShellLine(ownCommand)}\n`
    return {
      json: { ...json, written: false, backup: null },
      text: (style) =>
        `${config.text.trimEnd()}\n\n${style.dim(`This belongs into ${path}.\n${own}`)}`,
    }
  }
  const backup = await changeSettings(context, path, {
    question: `Add Cairn to the settings of ${title} in ${path}?`,
    change: (existing) => mergeConfig(existing, config),
  })
  return {
    json: { ...json, written: true, backup },
    text: (style) => `${title} starts Cairn from now on: ${path}\n${renderBackup(backup, style)}`,
  }
}

export async function runMcpRemove(context: CommandContext): Promise<Outcome> {
  const { removeFromConfig } = await import('../../mcp/clients.js')
  const config = await describeAssistant(context)
  const { client, path, title } = config
  const existing = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (removeFromConfig(existing, config) === existing) {
    const json = { client, path, removed: false, backup: null }
    return { json, text: () => `${title} does not start Cairn: there is no entry in ${path}\n` }
  }
  const backup = await changeSettings(context, path, {
    question: `Remove Cairn from the settings of ${title} in ${path}?`,
    change: (text) => removeFromConfig(text, config),
  })
  return {
    json: { client, path, removed: true, backup },
    text: (style) => `${title} no longer starts Cairn: ${path}\n${renderBackup(backup, style)}`,
  }
}

async function describeAssistant({ positionals: [client], cli, configuration }: CommandContext) {
  const { CLIENTS, describeClient } = await import('../../mcp/clients.js')
  if (client === undefined) {
    throw badInput('Which assistant is it for?', `Give one of ${CLIENTS.join(', ')}.`)
  }
  const launch = { command: process.execPath, args: listArguments(configuration()) }
  return describeClient(client, launch, cli)
}

/** Asks where there is somebody to ask; returns the path of the backup, or null where there was no file. */
async function changeSettings(
  { cli: { confirm, now }, flags }: CommandContext,
  path: string,
  { question, change }: { readonly question: string; readonly change: (text: string) => string },
): Promise<string | null> {
  const exists = existsSync(path)
  const changed = change(exists ? readFileSync(path, 'utf8') : '')
  if (confirm !== null && flags.yes !== true && !(await confirm(question))) {
    throw badInput('Nothing was written.', 'Answer y, or give --yes.')
  }
  const stamp = new Date(now()).toISOString().replace(/\D/g, '').slice(0, 14)
  const backup = exists ? `${path}.${stamp}.bak` : null
  replaceFile(path, changed, {
    message: `The settings in ${path} cannot be written.`,
    hint: '`cairn mcp install --print` shows what belongs there.',
    backup,
  })
  return backup
}

function renderBackup(backup: string | null, style: Style): string {
  return backup === null ? '' : style.dim(`What was there is kept in ${backup}\n`)
}

/**
 * With absolute paths: an assistant starts in a folder of its own, without this shell's environment. It reads the
 * user's configuration file itself.
 */
function listArguments({ getGiven, getOrigin }: Configuration): string[] {
  const args = [resolve(process.argv[1] ?? 'cairn'), 'mcp']
  const readHere = <Name extends SettingName>(name: Name) =>
    getOrigin(name).kind === 'user' ? undefined : getGiven(name)
  const [db, namespace] = [readHere('db'), readHere('namespace')]
  if (db !== undefined) args.push('--db', resolve(db))
  if (namespace !== undefined) args.push('--namespace', namespace)
  if (readHere('pinned') === true) args.push('--pinned')
  return args
}
