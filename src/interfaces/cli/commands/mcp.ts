/** Promise: `cairn mcp` serves agents until it is told to end; `cairn mcp install` tells an assistant how to start it. */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'
import { badInput, CairnError } from '../../../core/errors.js'
import { CLIENTS, configFor } from '../../mcp/clients.js'
import { runMcp } from '../../mcp/main.js'
import { mergeConfig } from '../../mcp/merge-config.js'
import type { Context, FlagValues, Outcome, World } from '../command.js'
import { databaseFile, openLog } from '../open.js'

const DONE: Outcome = { json: null, text: () => '', isPrinted: true }

export async function runMcpCommand({ flags, world }: Context): Promise<Outcome> {
  const token = flags.token ?? world.env.CAIRN_TOKEN
  await runMcp({
    file: databaseFile(flags, world),
    env: world.env,
    log: openLog(flags, world),
    http: flags.http === true,
    pinned: flags.pinned === true,
    ...(typeof flags.namespace === 'string' ? { namespace: flags.namespace } : {}),
    ...(typeof flags.port === 'number' ? { port: flags.port } : {}),
    ...(typeof token === 'string' ? { token } : {}),
    // Standard output belongs to the protocol.
    onListening: (at) => world.writeError(`Listening at ${at.url}\nToken: ${at.token}\n`),
  })
  return DONE
}

export async function runMcpInstall({ words, flags, world }: Context): Promise<Outcome> {
  const [client] = words
  if (client === undefined) {
    throw badInput('Which assistant is it for?', `Give one of ${CLIENTS.join(', ')}.`)
  }
  const launch = { command: process.execPath, args: launchArguments(flags, world) }
  const config = configFor(client, launch, world.platform, world.home)
  const { path, title, ownCommand, key, value } = config
  if (flags.write !== true) {
    const own = ownCommand === null ? '' : `or run: ${ownCommand.map(quoted).join(' ')}\n`
    return {
      json: { client, path, key, value, ownCommand, written: false, backup: null },
      text: (style) =>
        `${config.text.trimEnd()}\n\n` +
        style.dim(`This belongs into ${path}; --write puts it there.\n${own}`),
    }
  }
  const backup = writeKeepingBackup(path, mergeConfig(readText(path), config), world.now())
  return {
    json: { client, path, key, value, ownCommand, written: true, backup },
    text: (style) =>
      `${title} starts Cairn from now on: ${path}\n` +
      (backup === null ? '' : style.dim(`What was there is kept in ${backup}\n`)),
  }
}

/** With whole paths: an assistant starts in a folder of its own, without this shell's environment. */
function launchArguments(flags: FlagValues, world: World): string[] {
  const args = [resolve(process.argv[1] ?? 'cairn'), 'mcp']
  if (flags.db ?? world.env.CAIRN_DB) args.push('--db', resolve(databaseFile(flags, world)))
  if (typeof flags.namespace === 'string') args.push('--namespace', flags.namespace)
  if (flags.pinned === true) args.push('--pinned')
  return args
}

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** The old file stays beside the new one; the new one is there whole or not at all. */
function writeKeepingBackup(path: string, text: string, now: number): string | null {
  try {
    mkdirSync(dirname(path), { recursive: true })
    const stamp = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14)
    const backup = existsSync(path) ? `${path}.${stamp}.bak` : null
    if (backup !== null) copyFileSync(path, backup)
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
    return backup
  } catch (cause) {
    throw new CairnError('unreadable_file', {
      message: `The settings in ${path} cannot be written.`,
      hint: 'Leave --write out, and add what is printed by hand.',
      cause,
    })
  }
}

function quoted(word: string): string {
  return /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
