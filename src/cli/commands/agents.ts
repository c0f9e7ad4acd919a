/** Commands for assistants, programs and browsers: serve and mcp. */

import { openLog, toOpenOptions } from '../../config/load-configuration.js'
import { badInput } from '../../core/errors.js'
import type { CommandContext, FlagValues, Outcome } from '../command.js'
import { readTextFile } from '../files.js'
import { openByDefault } from './open-file.js'

const DONE: Outcome = { json: null, text: () => '', isPrinted: true }

export async function runServeCommand(context: CommandContext): Promise<Outcome> {
  const { flags, cli, open } = context
  const settings = context.configuration()
  const token = settings.getGiven('mcp.token')
  const { createMetrics, runServe } = await import('../../http/server.js')
  const metrics = createMetrics()
  await runServe({
    cairn: await open({ create: true, cachesResults: true, onLog: metrics.readLog }),
    metrics,
    log: openLog(settings, cli.now, cli.writeError),
    port: Number(settings.get('http.port')),
    ...(typeof flags.host === 'string' ? { host: flags.host } : {}),
    ...(token !== undefined && token !== '' ? { token } : {}),
    rate: typeof flags.rate === 'number' ? flags.rate : undefined,
    tls: await readTls(flags),
    trustProxy: typeof flags['trust-proxy'] === 'string' ? flags['trust-proxy'] : undefined,
    onListening: ({ url }) => {
      cli.writeOut(flags.json === true ? `${JSON.stringify({ url })}\n` : `Cairn is at ${url}\n`)
      if (flags.open === true) openByDefault(url, cli)
    },
  })
  return DONE
}

async function readTls({ cert, key }: FlagValues) {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) throw badInput('--cert and --key belong together.')
  const hint = 'Check the path, and who may read the file.'
  return {
    cert: await readTextFile(String(cert), hint),
    key: await readTextFile(String(key), hint),
  }
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
