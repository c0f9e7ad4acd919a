/** Starts `cairn serve` as a process of its own, and sends it requests as clients do. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const CAIRN = fileURLToPath(new URL('../../dist/cairn.cjs', import.meta.url))

export async function serveCairn(address) {
  const serve = [CAIRN, 'serve', '--db', address, '--port', '0', '--json']
  const { url, ...server } = await start(serve)
  return { ...server, port: Number(new URL(url).port) }
}

/** Runs a program that prints one line of JSON once it listens; the line is what is known of the server. */
export async function start(command) {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  for await (const line of createInterface({ input: child.stdout })) {
    return { ...JSON.parse(line), stop }
  }
  throw new Error('the server did not start')
}

/** An object is sent as JSON; without a body it is a GET. */
export function send({ port, path, body, headers, agent, method }) {
  const isJson = typeof body === 'object'
  const options = {
    host: '127.0.0.1',
    port,
    path,
    agent,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: isJson ? { 'content-type': 'application/json', ...headers } : headers,
  }
  return new Promise((resolve, reject) => {
    const sent = request(options, async (response) => {
      try {
        const parts = []
        for await (const part of response) parts.push(part)
        resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() })
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject)
    sent.end(isJson ? JSON.stringify(body) : body)
  })
}
