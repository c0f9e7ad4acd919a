/** Whatever an agent's client sends, over standard input or HTTP, the server answers what can be answered and lives on. */

import { join } from 'node:path'
import { tellInputs, tryInputs } from './lib/fuzz.mjs'
import { startHttpServer } from './lib/http-server.mjs'
import { startServer } from './lib/mcp-client.mjs'
import { brokenRequest, brokenText } from './lib/mcp-messages.mjs'

export const about = 'messages of agents with broken parameters, broken JSON and broken HTTP'
export const seconds = 30
export const tell = (figures) =>
  ['stdio', 'http']
    .map((way) => `${way}: ${tellInputs((key) => figures[`${way} ${key}`])}`)
    .join('; ')

/** What a reply says where something failed that should not have. */
const FAULT = /This is a fault of Cairn/
const TOKEN = 'a-token-for-stress-tests'

export async function run({ seconds: lasting, seed, folder, problem }) {
  const stdio = await overStdio({
    seconds: lasting / 2,
    seed,
    file: join(folder, 'stdio.cairn'),
    problem,
  })
  const http = await overHttp({
    seconds: lasting / 2,
    seed: seed + 1,
    file: join(folder, 'http.cairn'),
    problem,
  })
  const named = (figures, name) =>
    Object.entries(figures).map(([key, value]) => [`${name} ${key}`, value])
  return Object.fromEntries([...named(stdio, 'stdio'), ...named(http, 'http')])
}

async function overStdio({ seconds: lasting, seed, file, problem }) {
  const server = await startServer(file)
  await server.call('remember', { text: 'The apple in the harbour.' })
  const figures = await tryInputs({
    seconds: lasting,
    seed,
    problem,
    inputs: (chance) =>
      chance.share() < 0.3 ? { line: brokenText(chance) } : brokenRequest(chance),
    tryOne: async ({ line, method, params }) => {
      if (line !== undefined) {
        server.sendLine(line)
        // What is no message need not be answered; what comes after it must be.
        await server.ask('ping', {})
        return
      }
      const answer = JSON.stringify(await server.ask(method, params))
      if (FAULT.test(answer)) throw new Error(answer.slice(0, 300))
    },
  })
  if (server.child.exitCode !== null) problem(`the server ended: ${server.errors().slice(-500)}`)
  await server.close()
  return figures
}

async function overHttp({ seconds: lasting, seed, file, problem }) {
  const server = await startHttpServer([
    'mcp',
    '--http',
    '--port',
    '0',
    '--token',
    TOKEN,
    '--db',
    file,
  ])
  if (server === null) return { skipped: 'the server did not start' }
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const send = (body, more = {}) =>
    fetch(server.url, {
      method: 'POST',
      headers: { ...headers, ...more },
      body,
      signal: AbortSignal.timeout(60_000),
    })
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'stress', version: '1' },
  }
  const greeted = await send(
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello }),
  )
  await greeted.text()
  const session = greeted.headers.get('mcp-session-id')
  const figures = await tryInputs({
    seconds: lasting,
    seed,
    problem,
    inputs: (chance) => ({
      body:
        chance.share() < 0.5
          ? brokenText(chance)
          : JSON.stringify({ jsonrpc: '2.0', id: 1, ...brokenRequest(chance) }),
      more: chance.pick([
        { 'mcp-session-id': session },
        { 'mcp-session-id': session },
        {},
        { 'mcp-session-id': 'x' },
        { 'content-type': 'text/plain' },
      ]),
    }),
    tryOne: async ({ body, more }) => {
      const response = await send(body, more)
      const answer = await response.text()
      if (response.status >= 500 || FAULT.test(answer))
        throw new Error(`${response.status} ${answer.slice(0, 300)}`)
    },
  })
  if (server.child.exitCode !== null) problem(`the server ended: ${server.errors().slice(-500)}`)
  await server.close()
  return figures
}
