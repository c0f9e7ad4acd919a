/** Remote models that hang, refuse or are slow: a search goes on by words, soon, and says so on every interface. */

import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openCairn } from '../src/index.js'
import { temporaryFile } from './support/library.js'
import { jsonOf, terminal } from './support/terminal.js'

type Behaviour = 'answer' | 'hang' | 'slow'
const SLOW_MS = 150

/** A real server with the API of Ollama. */
async function serveModel() {
  const state = { behaviour: 'answer' as Behaviour, asked: 0 }
  const server: Server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    state.asked++
    const { input } = JSON.parse(text) as { input: string[] }
    if (state.behaviour === 'slow') setTimeout(() => answer(response, input), SLOW_MS)
    else if (state.behaviour === 'answer') answer(response, input)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const stop = () =>
    new Promise<void>((done) => {
      server.closeAllConnections()
      server.close(() => done())
    })
  onTestFinished(stop)
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}`, state, stop }
}

function answer(response: ServerResponse, input: readonly string[]): void {
  response.end(JSON.stringify({ embeddings: input.map((text) => [text.length, 1, 0]) }))
}

/** A file whose model is at the server; the time-out that it remembers is long. */
async function fileOf(baseUrl: string): Promise<string> {
  const file = temporaryFile()
  const vectors = { provider: 'ollama', model: 'mine', baseUrl, timeoutMs: 20_000 } as const
  const cairn = await openCairn({ file, vectors })
  await cairn.add({ body: 'the pear tree' })
  expect((await cairn.search('pear')).degraded).toBeNull()
  await cairn.close()
  return file
}

type Answer = { degraded: { reason: string; message: string } | null; hits: unknown[] }

test('[A3] a server that hangs costs its time-out once; the commands of the next minute go on by words and say so', async () => {
  const { baseUrl, state } = await serveModel()
  const file = await fileOf(baseUrl)
  state.behaviour = 'hang'
  state.asked = 0
  let now = Date.parse('2026-03-02T09:00:00Z')
  // Given now, and not what the file remembers.
  const cairn = terminal(file, {
    env: { CAIRN_DB: file, CAIRN_MODEL_TIMEOUT_MS: '80' },
    now: () => now,
  })
  const first = await cairn('search', 'pear')
  expect(first.out).toContain('the *pear* tree')
  expect(first.out + first.err).toContain('did not answer within 80 ms. These are matches by words')
  expect(state.asked).toBe(1)

  now += 30_000
  const { degraded, hits } = await jsonOf(cairn)<Answer>('search', 'tree')
  expect(degraded?.reason).toBe('embedder_unavailable')
  expect(degraded?.message).toContain('it is asked again in 30 s. These are matches by words.')
  expect(hits).toHaveLength(1)
  await cairn('add', 'another tree')
  expect(state.asked).toBe(1)

  now += 31_000
  state.behaviour = 'answer'
  expect((await jsonOf(cairn)<Answer>('search', 'tree')).degraded?.reason).toBe('partly_embedded')
  await cairn('embed')
  expect((await jsonOf(cairn)<Answer>('search', 'tree')).degraded).toBeNull()
})

test('[A3] a slow server is waited for, unless the time-out that is given now is shorter', async () => {
  const { baseUrl, state } = await serveModel()
  const file = await fileOf(baseUrl)
  state.behaviour = 'slow'
  const patient = await openCairn({ file, cache: false })
  onTestFinished(() => patient.close())
  expect((await patient.search('pear')).degraded).toBeNull()
  const vectors = { provider: 'static', timeoutMs: SLOW_MS / 5 } as const
  const hasty = await openCairn({ file, cache: false, vectors })
  onTestFinished(() => hasty.close())
  expect((await hasty.search('pear')).degraded?.message).toContain('did not answer within 30 ms')
})

test('[A3] a server that refuses costs nothing, and an address that is given now leads to another one', async () => {
  const { baseUrl, stop } = await serveModel()
  const file = await fileOf(baseUrl)
  await stop()
  const cairn = terminal(file)
  const refused = await jsonOf(cairn)<Answer>('search', 'pear')
  expect(refused.degraded?.message).toContain('cannot be reached')
  const elsewhere = await serveModel()
  const moved = terminal(file, { env: { CAIRN_DB: file, CAIRN_MODEL_URL: elsewhere.baseUrl } })
  expect((await jsonOf(moved)<Answer>('search', 'pear')).degraded).toBeNull()
  // The file keeps its own address.
  expect((await jsonOf(cairn)<Answer>('search', 'pear')).degraded).not.toBeNull()
  // The address of one provider is not where the texts of another are sent.
  const openai = { CAIRN_PROVIDER: 'openai', CAIRN_API_KEY: 'k' }
  const env = { CAIRN_DB: file, CAIRN_MODEL_URL: elsewhere.baseUrl, ...openai }
  const other = terminal(file, { env })
  expect((await jsonOf(other)<Answer>('search', 'pear')).degraded).not.toBeNull()
})
