/** A command that serves over HTTP runs in a process of its own, and its address is known once it listens. */

import { spawn } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { LIBRARY, pause } from './children.mjs'

const COMMAND = fileURLToPath(new URL('cairn.cjs', LIBRARY))

/** Null where it ended before it listened: there may be no such command. */
export async function startHttpServer(words, env = {}) {
  const child = spawn(process.execPath, [COMMAND, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      said += part
    })
  }
  const ended = new Promise((resolve) => child.on('close', resolve))
  for (;;) {
    const [url] = /http:\/\/[^\s"]+/.exec(said) ?? []
    if (url !== undefined)
      return { url, child, errors: () => said, close: () => close(child, ended) }
    if (child.exitCode !== null) return null
    await pause(20)
  }
}

async function close(child, ended) {
  child.kill('SIGTERM')
  await ended
}
