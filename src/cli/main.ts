/** The entry point: connects the command line to the process, its streams, environment and exit code. */

import { once } from 'node:events'
import { homedir } from 'node:os'
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { isatty } from 'node:tty'
import { runCli } from './run.js'

// `cairn list | head` closes the pipe early, which is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Windows says EOF.
  if (error.code === 'EPIPE' || error.code === 'EOF') process.exit(0)
  throw error
})
process.stderr.on('error', () => {})

void runCli(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  home: homedir(),
  platform: process.platform,
  // Some terminals say that they have no columns.
  columns: process.stdout.columns || 100,
  isTerminal: process.stdout.isTTY === true,
  // isatty, because reading `process.stdin` would open it for commands that never use it.
  readStdin: isatty(0) ? null : readAll,
  now: Date.now,
  stopSignal,
  writeOut: (text) => void process.stdout.write(text),
  outDrained,
  writeError: (text) => void process.stderr.write(text),
  confirm: isatty(0) && isatty(2) ? confirm : null,
}).then((code) => {
  process.exitCode = code
})

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  return /^y(?:es)?$/i.test(answer.trim())
}

async function outDrained(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
}

function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort())
  }
  return controller.signal
}

async function readAll(): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of process.stdin) parts.push(part as Uint8Array)
  return Buffer.concat(parts)
}
