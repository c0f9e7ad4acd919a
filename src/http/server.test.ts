/** Over HTTP an answer is what the library gives, and a mistake is one shape with the right status. */

import { request } from 'node:http'
import { connect } from 'node:net'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { serve } from '../../test/support/http.js'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { openCairn } from '../index.js'

const problem = (code: string, message: string | RegExp) => ({
  error: { code, message: typeof message === 'string' ? message : expect.stringMatching(message) },
})

describe('answers', () => {
  test('[M1] a search takes every option as JSON, or in the query string, and answers alike', async () => {
    const now = () => Date.UTC(2026, 5, 1)
    const pools = [
      { body: 'The pool has ten connections.', tags: ['infra'] },
      { body: 'A pool of cars.', tags: ['fleet'] },
    ]
    const { cairn, send } = await serve([], {
      cairn: await libraryOf(pools, { now, cache: false }),
    })
    const input = { query: 'pool', tags: ['infra'], mode: 'keyword', facets: true, limit: 1 }
    const byPost = await send('/api/search', { body: { ...input, body: true } })
    const options = 'query=pool&tags=infra&mode=keyword&facets=true&limit=1&body=true'
    const byGet = await send(`/api/search?${options}`)
    const { tookMs: _, ...direct } = JSON.parse(JSON.stringify(await cairn.search(input as never)))
    for (const { status, json } of [byPost, byGet]) {
      expect(status).toBe(200)
      expect(json).toMatchObject(direct)
    }
    expect(byPost.json.hits).toHaveLength(1)
  })

  test('ten hits have at most 20 kB, unless whole texts are asked for', async () => {
    const spans = Array.from({ length: 200 }, (_, i) => ({ page: i + 1, start: i, end: i + 1 }))
    const texts = Array.from({ length: 10 }, (_, i) => ({
      body: `The harbour of day ${i} was windy, and nobody went out. `.repeat(120),
      title: `Harbour ${i}`,
      metadata: { pages: spans },
      tags: ['sea', 'weather'],
    }))
    const { send } = await serve(texts)
    const ask = async (more: object) =>
      (await send('/api/search', { body: { query: 'windy harbour', ...more } })).json
    const small = await ask({})
    expect(small.hits).toHaveLength(10)
    expect(JSON.stringify(small).length).toBeLessThanOrEqual(20_000)
    expect(small.hits[0].record.body).toBeUndefined()
    expect(small.hits[0].chunks[0].text).toBe('')
    expect(small.hits[0].snippet.text).toContain('harbour')
    const [{ id }] = small.hits
    const similar = (await send(`/api/records/${id}/similar`)).json
    expect(JSON.stringify(similar).length).toBeLessThanOrEqual(20_000)
    const whole = await ask({ body: true, marks: true })
    expect(whole.hits[0].record.body).toHaveLength(texts[0]?.body.length ?? 0)
    expect(whole.hits[0].snippet.text).toContain('<mark>')
  })

  test('[M4] a search leaves no trace unless it is given a session', async () => {
    const { cairn, send } = await serve(['We deploy on Thursdays.'])
    await cairn.sessions.start({ id: 'talk' })
    await send('/api/search', { body: { query: 'deploy' } })
    expect((await cairn.replay()).queries).toEqual([])
    await send('/api/search', { body: { query: 'deploy', recallSession: 'talk' } })
    expect((await cairn.replay()).queries).toMatchObject([{ query: 'deploy' }])
  })

  test('records are added, read, changed and removed under their addresses', async () => {
    const { send } = await serve()
    const added = await send('/api/records', { body: { body: 'We deploy on Thursdays.' } })
    const { id } = added.json
    expect(added).toMatchObject({ status: 200, json: { created: true } })
    expect((await send(`/api/records/${id}`)).json.records[0].body).toBe('We deploy on Thursdays.')
    const patch = { method: 'PATCH', body: { body: 'We deploy on Fridays.' } }
    expect((await send(`/api/records/${id}`, patch)).json.body).toBe('We deploy on Fridays.')
    expect((await send(`/api/records/${id}/history`)).json.revisions).toHaveLength(1)
    expect((await send(`/api/records/${id}/undo`, { method: 'POST' })).json.body).toContain('Thurs')
    expect((await send(`/api/records/${id}`, { method: 'DELETE' })).json.deleted).toEqual([id])
    expect(await send(`/api/records/${id}`)).toMatchObject({
      status: 404,
      json: problem('not_found', `No record has the id "${id}".`),
    })
    expect((await send('/api/records/get', { body: { ids: [id] } })).json.missing).toEqual([id])
    expect((await send(`/api/records/${id}/restore`, { method: 'POST' })).status).toBe(200)
    expect((await send('/api/records?limit=1')).json.records).toHaveLength(1)
  })

  test('what is answered is never kept by a browser, and HEAD has no body', async () => {
    const { send } = await serve(['one'])
    const { headers } = await send('/api/stats')
    expect(headers['cache-control']).toBe('no-store')
    const head = await send('/api/stats', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '' })
    expect((await send('/api/explore', { method: 'HEAD' })).status).toBe(405)
  })
})

describe('mistakes', () => {
  test('a wrong option is named', async () => {
    const { send } = await serve()
    const wrong = [
      [{ limit: 0 }, 'limit must be at least 1, not "0".'],
      [{ nothing: 1 }, 'There is no option "nothing".'],
      [{ mode: 'odd' }, /^mode must be one of/],
    ] as const
    for (const [body, message] of wrong) {
      const { status, json } = await send('/api/search', { body })
      expect({ status, json }).toMatchObject({ status: 400, json: problem('bad_input', message) })
    }
    expect((await send('/api/search?limit=0')).json).toMatchObject(
      problem('bad_input', 'limit must be at least 1, not "0".'),
    )
    const { id } = (await send('/api/records', { body: { body: 'x' } })).json
    const twice = await send(`/api/records/${id}`, { method: 'PATCH', body: { id, body: 'y' } })
    expect(twice.json).toMatchObject(problem('bad_input', 'id is in the path already.'))
  })

  test('a path that is not there is 404, a method that it has not is 405 with those it has', async () => {
    const { send } = await serve()
    for (const path of ['/api', '/api/', '/api/nothing', '/api/records/a/b/c', '/api/../x']) {
      expect((await send(path)).status, path).toBe(path === '/api/../x' ? 200 : 404)
    }
    const refused = await send('/api/records', { method: 'PUT', body: {} })
    expect(refused).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS, POST' },
      json: problem('method_not_allowed', '/api/records has no method PUT.'),
    })
    expect((await send('/anything', { method: 'POST', body: {} })).status).toBe(405)
    expect(await send('/api/records/01', { method: 'OPTIONS' })).toMatchObject({
      status: 204,
      headers: { allow: 'DELETE, GET, HEAD, OPTIONS, PATCH' },
    })
    expect((await send('/api/records', { method: 'TRACE' })).status).toBe(405)
  })

  test('a body that is no JSON object is refused, and one that is none of ours as well', async () => {
    const { send } = await serve()
    const type = { 'content-type': 'application/json' }
    for (const body of ['{', '[]', 'null', '"x"', '\u0000', '{"a":1}{"b":2}']) {
      const { status, json } = await send('/api/search', { headers: type, body })
      expect({ status, json }).toMatchObject({ status: 400, json: problem('bad_input', /body/) })
    }
    const bytes = Uint8Array.from([123, 34, 255, 34, 58, 49, 125])
    expect((await send('/api/search', { headers: type, body: bytes })).json).toMatchObject(
      problem('bad_input', 'The body is not UTF-8.'),
    )
    for (const other of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      const headers = { 'content-type': other }
      expect((await send('/api/search', { headers, body: '{}' })).status).toBe(415)
      expect((await send('/api/embed', { method: 'POST', headers })).status).toBe(415)
    }
    expect((await send('/api/search', { body: '{}' })).status).toBe(415)
    const packed = { ...type, 'content-encoding': 'gzip' }
    expect((await send('/api/search', { headers: packed, body: '{}' })).status).toBe(415)
    expect((await send('/api/search', { headers: type, body: ' ' })).status).toBe(200)
  })

  test('a body that is too large is refused, announced or not, and the server goes on', async () => {
    const { send } = await serve([], { limits: { bodyBytes: 1000 } })
    const body = JSON.stringify({ query: 'x'.repeat(2000) })
    const type = { 'content-type': 'application/json' }
    const ways = [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]
    for (const headers of ways) {
      expect(await send('/api/search', { headers: { ...type, ...headers }, body })).toMatchObject({
        status: 413,
        json: problem('too_large', 'A request has at most 1000 bytes here.'),
      })
    }
    expect((await send('/api/stats')).status).toBe(200)
  })

  test('a body that does not come is not waited for', async () => {
    const { port } = await serve([], { limits: { bodyMs: 100 } })
    const headers = { 'content-type': 'application/json', 'content-length': '100' }
    const status = await new Promise((resolve, reject) => {
      const asked = { host: '127.0.0.1', port, path: '/api/search', method: 'POST', headers }
      const slow = request(asked, (response) => resolve(response.statusCode))
      slow.on('error', reject)
      slow.write('{"query":')
    })
    expect(status).toBe(408)
  })

  test('headers that do not come are not waited for', async () => {
    const { port } = await serve([], { limits: { headersMs: 200 } })
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /api/stats HTTP/1.1\r\nHo'))
      socket.on('data', (part) => {
        text += part
      })
      socket.on('close', () => resolve(text))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 408/)
  })

  test('ids that several records have are 409, and a file that is busy is 503, without its path', async () => {
    const file = temporaryFile()
    const cairn = await openCairn({ file, busyTimeoutMs: 50 })
    const { send } = await serve([], { cairn })
    await send('/api/records/batch', { body: { records: [{ body: 'a' }, { body: 'b' }] } })
    const [first, second] = (await cairn.list()).records.map(({ id }) => id)
    const shared = [...(first ?? '')].findIndex((letter, i) => letter !== second?.[i])
    const ambiguous = await send(`/api/records/${first?.slice(0, shared)}`)
    expect(ambiguous).toMatchObject({ status: 409, json: problem('ambiguous_id', /Several/) })
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    const busy = await send('/api/records', { body: { body: 'c' } })
    other.exec('ROLLBACK')
    other.close()
    expect(busy).toMatchObject({ status: 503, json: problem('locked', /Cairn file/) })
    expect(busy.text).not.toContain(file)
    await cairn.close()
    expect(await send('/api/stats')).toMatchObject({ status: 503, json: problem('closed', /./) })
  })

  test('a fault says that it is one, and nothing of the machine', async () => {
    const lines: string[] = []
    const { cairn, send } = await serve(['one'], {
      log: (level, event, details) => lines.push(JSON.stringify({ level, event, ...details })),
    })
    Object.assign(cairn, {
      stats: () => Promise.reject(new TypeError(`no such thing in ${import.meta.filename}`)),
    })
    const { status, text, json } = await send('/api/stats')
    expect({ status, json }).toMatchObject({
      status: 500,
      json: problem('fault', /fault of Cairn/),
    })
    expect(text).not.toMatch(/TypeError|http\.test|\bat /)
    expect(lines.join()).toContain('no such thing')
  })
})

describe('many at once', () => {
  test('fifty clients search while another imports, and nothing fails', async () => {
    const records = Array.from({ length: 100 }, (_, i) => `note ${i} about pool ${i % 7}`)
    const { url } = await serve(records)
    const lines = Array.from({ length: 120 }, (_, i) =>
      JSON.stringify({ body: `imported line ${i} about lake ${i % 5}` }),
    )
    let isDone = false
    const importing = fetch(`${url}/api/import?name=more.jsonl`, {
      method: 'POST',
      body: lines.join('\n'),
    }).finally(() => {
      isDone = true
    })
    const headers = { 'content-type': 'application/json' }
    let whileImporting = 0
    const clients = Array.from({ length: 50 }, async (_, i) => {
      do {
        const body = JSON.stringify({ query: `pool ${i % 7}`, mode: 'keyword', limit: 3 })
        const response = await fetch(`${url}/api/search`, { method: 'POST', headers, body })
        const answer = (await response.json()) as { hits: unknown[] }
        expect({ status: response.status, hits: answer.hits.length }).toEqual({
          status: 200,
          hits: 3,
        })
        if (!isDone) whileImporting++
      } while (!isDone)
    })
    await Promise.all(clients)
    const { reports } = (await (await importing).json()) as { reports: { created: number }[] }
    expect(reports).toMatchObject([{ created: 120 }])
    // The import gave way: they were answered before it was done.
    expect(whileImporting).toBeGreaterThan(0)
  })
})
