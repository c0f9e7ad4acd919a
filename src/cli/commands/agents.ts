/** Commands for assistants, programs and browsers: serve, mcp and mcp install. */

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
    // Standard output belongs to the protocol.
    onListening: (at) => cli.writeError(`Listening at ${at.url}\nToken: ${at.token}\n`),
  })
  return DONE
}

export async function runMcpInstall(context: CommandContext): Promise<Outcome> {
  const { positionals, flags, cli } = context
  const { CLIENTS, describeClient, mergeConfig } = await import('../../mcp/clients.js')
  const [client] = positionals
  if (client === undefined) {
    throw badInput('Which assistant is it for?', `Give one of ${CLIENTS.join(', ')}.`)
  }
  const launch = { command: process.execPath, args: listArguments(context.configuration()) }
  const config = describeClient(client, launch, cli)
  const { path, title, ownCommand, key, value } = config
  const json = { client, path, key, value, ownCommand }
  if (flags.write !== true) {
    const own = ownCommand === null ? '' : `or run: ${formatShellLine(ownCommand)}\n`
    return {
      json: { ...json, written: false, backup: null },
      text: (style) =>
        `${config.text.trimEnd()}\n\n` +
        style.dim(`This belongs into ${path}; --write puts it there.\n${own}`),
    }
  }
  const exists = existsSync(path)
  const stamp = new Date(cli.now()).toISOString().replace(/\D/g, '').slice(0, 14)
  const backup = exists ? `${path}.${stamp}.bak` : null
  replaceFile(path, mergeConfig(exists ? readFileSync(path, 'utf8') : '', config), {
    message: `The settings in ${path} cannot be written.`,
    hint: 'Leave --write out, and add what is printed by hand.',
    backup,
  })
  return {
    json: { ...json, written: true, backup },
    text: (style) =>
      `${title} starts Cairn from now on: ${path}\n` +
      (backup === null ? '' : style.dim(`What was there is kept in ${backup}\n`)),
  }
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
