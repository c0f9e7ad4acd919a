/** Over HTTP only a program of this machine with the token gets in, and each gets a session of its own. */

import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { talkTo } from '../../test/support/mcp.js'
import { createToken } from '../cairn/tokens.js'
import { badInput } from '../core/errors.js'
import { startHttp } from './http.js'

const TOKEN = createToken()

async function serve(records: string[] = []) {
  const cairn = await libraryOf(records)
  const serving = await startHttp({ open: async () => cairn, port: 0, token: TOKEN })
  onTestFinished(() => serving.close())
  return { cairn, serving, url: serving.url, port: serving.port }
}

type Sent = { status: number; body: string }

/** As any program might ask, with headers that a browser would not let it set. */
function send(
  port: number,
  headers: Record<string, string>,
  body = '{}',
  path = '/mcp',
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      let text = ''
      response.on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

describe('a conversation', () => {
  for (const mode of ['legacy', 'auto'] as const) {
    test(`[M8] is a session, in the ${mode === 'legacy' ? 'older' : 'newer'} protocol`, async () => {
      const { cairn, serving, url } = await serve()
      const { client, call } = await talkTo(url, TOKEN, { versionNegotiation: { mode } })
      expect((await client.listTools()).tools).toHaveLength(8)
      const kept = await call('remember', { text: 'The kettle is blue.' })
      const [{ id }] = kept.data.records
      expect((await call('search', { query: 'kettle' })).data.hits[0].id).toBe(id)
      expect((await call('get', { ids: [id] })).text).toContain('The kettle is blue.')
      expect((await call('timeline', { anchor: id })).data.entries[0]).toMatchObject({
        isAnchor: true,
      })
      expect((await call('forget', { ids: [id] })).isError).toBe(false)
      expect((await call('explore', { id, relation: 'why' })).text).toContain('forgotten')
      expect((await call('update', { action: 'restore', id })).isError).toBe(false)
      const open = (await cairn.sessions.list()).sessions
      expect(open).toMatchObject([{ title: 'http-client 1.0.0', state: 'open' }])
      await serving.close()
      expect((await cairn.sessions.list()).sessions).toMatchObject([
        { state: 'ended', counts: { created: 1, recalled: 1 } },
      ])
    })
  }

  for (const mode of ['legacy', 'auto'] as const) {
    test(`[M8] with a named token sees its namespace and signs what it writes: ${mode}`, async () => {
      const { cairn, url } = await serve(['The kettle is red.'])
      const options = { versionNegotiation: { mode } }
      const writer = { name: 'ada', role: 'write', namespaces: 'a' } as const
      const ada = await talkTo(url, (await cairn.tokens.add(writer)).token, options, 'one')
      const kept = await ada.call('remember', { text: 'The kettle is blue.' })
      const [{ id }] = kept.data.records
      expect((await cairn.get([id])).records).toMatchObject([{ namespace: 'a' }])
      expect((await ada.call('search', { query: 'kettle' })).data.hits).toHaveLength(1)
      const reader = { name: 'bo', namespaces: ['a'] }
      const bo = await talkTo(url, (await cairn.tokens.add(reader)).token, options, 'one')
      expect((await bo.call('search', { query: 'kettle' })).data.hits).toHaveLength(1)
      const refused = await bo.call('remember', { text: 'The kettle is green.' })
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('"write"') })
      const entries = (await cairn.log()).entries.filter(({ action }) => action === 'add')
      expect(entries.map(({ author }) => author)).toEqual(['ada', null])
      const { sessions } = await cairn.sessions.list()
      expect(sessions).toMatchObject([{ namespace: 'a', counts: { created: 1, recalled: 1 } }])
    })
  }

  test('[M8] ends when the client says so, and others go on', async () => {
    const { cairn, url } = await serve()
    const one = await talkTo(url, TOKEN, {}, 'one')
    const two = await talkTo(url, TOKEN, {}, 'two')
    await Promise.all([
      one.call('remember', { text: 'An apple is red.' }),
      two.call('remember', { text: 'A pear is green.' }),
    ])
    await one.transport.terminateSession()
    const states = (await cairn.sessions.list()).sessions.map(({ title, state }) => [title, state])
    expect(Object.fromEntries(states)).toEqual({ 'one 1.0.0': 'ended', 'two 1.0.0': 'open' })
    expect((await two.call('search', { query: 'apple' })).data.total.value).toBe(1)
    await expect(one.call('status')).rejects.toThrow()
  })

  test('of ChatGPT has search and fetch in its shapes', async () => {
    const cairn = await libraryOf([
      { body: 'The kettle is blue.', title: 'Kettle', source: 'https://example.org/kettle' },
    ])
    const serving = await startHttp({
      open: async () => cairn,
      port: 0,
      token: TOKEN,
      profile: 'chatgpt',
    })
    onTestFinished(() => serving.close())
    const { client, call } = await talkTo(serving.url, TOKEN)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search', 'fetch'])
    const { results } = JSON.parse((await call('search', { query: 'kettle' })).text)
    const named = { title: 'Kettle', url: 'https://example.org/kettle' }
    expect(results).toEqual([{ id: expect.stringMatching(/^01\w{24}$/), ...named }])
    const fetched = await call('fetch', { id: results[0].id })
    expect(JSON.parse(fetched.text)).toMatchObject({ ...results[0], text: 'The kettle is blue.' })
    expect(fetched.data).toEqual(JSON.parse(fetched.text))
    expect((await call('fetch', { id: '01ZZZZZZZZ' })).text).toContain('No record has the id')
  })

  test('a client may cancel and ask again', async () => {
    const { url } = await serve()
    const { client, call } = await talkTo(url, TOKEN)
    const stop = new AbortController()
    const records = Array.from({ length: 100 }, (_, i) => ({ text: `note ${i} that may be cut` }))
    const pending = client.callTool(
      { name: 'remember', arguments: { records } },
      { signal: stop.signal },
    )
    setTimeout(() => stop.abort(), 20)
    await expect(pending).rejects.toThrow()
    expect((await call('timeline')).isError).toBe(false)
  })
})

describe('the door', () => {
  test('a request without the token, or with a wrong one, is refused', async () => {
    const { port, url } = await serve()
    const wrong = [undefined, 'Bearer ', `Bearer ${TOKEN}x`, TOKEN, `Basic ${TOKEN}`]
    for (const authorization of wrong) {
      const { authorization: _, ...rest } = HEADERS
      const headers = authorization === undefined ? rest : { ...rest, authorization }
      expect((await send(port, headers)).status).toBe(401)
    }
    await expect(talkTo(url, 'wrong-token-wrong-token')).rejects.toThrow()
  })

  test('a file that cannot be opened is reported as the library says it', async () => {
    const open = async () => {
      throw badInput('This is no Cairn file.', 'Name another one.')
    }
    const serving = await startHttp({ open, port: 0, token: TOKEN })
    onTestFinished(() => serving.close())
    const { body } = await send(serving.port, { authorization: `Bearer ${createToken()}` })
    expect(JSON.parse(body).error.message).toBe('This is no Cairn file. Name another one.')
  })

  test('a page of another site is refused by the name it came by, whatever it knows', async () => {
    const { port } = await serve()
    const hosts = ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1:1']
    for (const host of hosts) {
      expect((await send(port, { ...HEADERS, host })).status).toBe(403)
    }
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
      expect((await send(port, { ...HEADERS, origin })).status).toBe(403)
    }
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`]) {
      expect((await send(port, { ...HEADERS, host })).status).toBe(400)
    }
    const origin = 'http://localhost:3000'
    expect((await send(port, { ...HEADERS, origin })).status).toBe(400)
  })

  test('only one path is served', async () => {
    const { port } = await serve()
    expect((await send(port, HEADERS, '{}', '/')).status).toBe(404)
    for (const path of ['/mcp/../etc', '//', '/%', '/mcp/', '*']) {
      expect((await send(port, HEADERS, '{}', path)).status).toBe(404)
    }
  })

  test('more than four megabytes are refused, whether announced or not', async () => {
    const { port } = await serve()
    const large = 'x'.repeat(4 * 1024 * 1024 + 1)
    expect(
      (await send(port, { ...HEADERS, 'content-length': String(large.length) }, large)).status,
    ).toBe(413)
    expect((await send(port, { ...HEADERS, 'transfer-encoding': 'chunked' }, large)).status).toBe(
      413,
    )
  })

  test('nonsense is answered and does no harm', async () => {
    const { port, url } = await serve()
    for (const body of ['', '{', '[]', 'null', '{"jsonrpc":"2.0"}', '\u0000']) {
      expect((await send(port, HEADERS, body)).status).toBe(400)
    }
    const session = { ...HEADERS, 'mcp-session-id': 'no-such' }
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect((await send(port, session, call)).status).toBe(404)
    expect((await (await talkTo(url, TOKEN)).call('timeline')).isError).toBe(false)
  })

  test('it opens to this machine alone, with a token worth the name', async () => {
    const cairn = await libraryOf([])
    const start = (token: string, port = 0) => startHttp({ open: async () => cairn, port, token })
    await expect(start('short')).rejects.toThrow('at least 16 characters')
    await expect(start('')).rejects.toThrow('at least 16 characters')
    const { serving, port } = await serve()
    expect(serving.url).toBe(`http://127.0.0.1:${port}/mcp`)
    await expect(start(TOKEN, port)).rejects.toThrow('taken by another program')
    await serving.close()
  })
})
