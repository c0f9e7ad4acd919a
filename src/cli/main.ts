/** The entry point: connects the command line to the process, its streams, environment and exit code. */

import { once } from 'node:events'
import { fstatSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { isatty } from 'node:tty'
import { runCli } from './run.js'

const out = openOutput(1)
let errors: Output | null = null

void runCli(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  home: homedir(),
  platform: process.platform,
  // Some terminals say that they have no columns.
  columns: out.stream?.columns || 100,
  isTerminal: out.stream?.isTTY === true,
  // isatty, because reading `process.stdin` would open it for commands that never use it.
  get readStdin() {
    return isatty(0) ? null : readAll
  },
  now: Date.now,
  stopSignal,
  writeOut: out.write,
  outDrained: async () => {
    if (out.stream?.writableNeedDrain) await once(out.stream, 'drain')
  },
  writeError: (text) => {
    errors ??= openOutput(2)
    errors.write(text)
  },
  get confirm() {
    return isatty(0) && isatty(2) ? confirm : null
  },
}).then((code) => {
  process.exitCode = code
  // Everything is written and closed: to wait for what V8 still compiles takes 4 ms. Terminals of Windows write later.
  const isWritten = out.stream === null && !errors?.stream
  if (process.platform !== 'win32' || isWritten) process.exit()
})

type Output = ReturnType<typeof openOutput>

/** A pipe and a file are written to at once, without a stream: to load what it needs takes 4 ms. */
function openOutput(target: 1 | 2) {
  const status = fstatSync(target)
  const isPlain = status.isFIFO() || status.isFile() || status.isSocket()
  const stream = isPlain ? null : target === 1 ? process.stdout : process.stderr
  const fail = (error: NodeJS.ErrnoException): void => {
    if (target === 2) return
    // `cairn list | head` closes the pipe early, which is no error. Windows says EOF.
    if (error.code === 'EPIPE' || error.code === 'EOF') process.exit(0)
    throw error
  }
  stream?.on('error', fail)
  const writeAll = (text: string): void => {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(target, bytes, at)
      } catch (error) {
        // Another program has made the pipe one that does not wait, and it is full.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      }
    }
  }
  const write = (text: string): void => {
    try {
      if (stream === null) writeAll(text)
      else stream.write(text)
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
    }
  }
  return { stream, write }
}

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  return /^y(?:es)?$/i.test(answer.trim())
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
