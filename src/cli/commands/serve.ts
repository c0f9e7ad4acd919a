/** `cairn serve` answers programs and a browser until it is told to end. */

import { spawn } from 'node:child_process'
import { openLog } from '../../config/load-configuration.js'
import { runServe } from '../../http/server.js'
import type { CliContext, CommandContext, Outcome } from '../command.js'

const DONE: Outcome = { json: null, text: () => '', isPrinted: true }

export async function runServeCommand(context: CommandContext): Promise<Outcome> {
  const { flags, cli, open } = context
  const settings = context.configuration()
  const token = settings.getGiven('mcp.token')
  await runServe({
    cairn: await open({ create: true, cachesResults: true }),
    log: openLog(settings, cli.now, cli.writeError),
    port: settings.get('http.port'),
    ...(typeof flags.host === 'string' ? { host: flags.host } : {}),
    ...(token !== undefined && token !== '' ? { token } : {}),
    onListening: ({ url }) => {
      cli.writeOut(flags.json === true ? `${JSON.stringify({ url })}\n` : `Cairn is at ${url}\n`)
      if (flags.open === true) openBrowser(url, cli)
    },
  })
  return DONE
}

/** The browser of the system; where there is none, the address has been printed. */
function openBrowser(url: string, { platform, writeError }: CliContext): void {
  const [command, ...args] =
    platform === 'win32'
      ? ['cmd', '/c', 'start', '""', url.replaceAll('&', '^&')]
      : [platform === 'darwin' ? 'open' : 'xdg-open', url]
  const child = spawn(command ?? '', args, { detached: true, stdio: 'ignore' })
  child.once('error', () => writeError('cairn: there is no browser to open; use the address.\n'))
  child.unref()
}
