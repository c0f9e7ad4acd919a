#!/usr/bin/env node
/** The only place that touches the process: its streams, its environment and its exit. */

import { once } from 'node:events'
import { homedir } from 'node:os'
import process from 'node:process'
import { isatty } from 'node:tty'
import { runCli } from './run.js'

// `cairn list | head` closes the pipe early: that is an answer, not a fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})
process.stderr.on('error', () => {})

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  home: homedir(),
  platform: process.platform,
  columns: process.stdout.columns ?? 100,
  isTerminal: process.stdout.isTTY === true,
  // Asked of the system: to touch `process.stdin` would open it, for commands that never read it.
  readStdin: isatty(0) ? null : readAll,
  now: Date.now,
  stopSignal,
  writeOut: (text) => void process.stdout.write(text),
  outDrained,
  writeError: (text) => void process.stderr.write(text),
})

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
