/** No page of another site and no program without the token gets at anything. */

import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { send as sendTo, serve } from '../../test/support/http.js'
import { libraryOf } from '../../test/support/library.js'
import { createToken } from '../cairn/tokens.js'
import { assertHost } from './guard.js'
import { startServer } from './server.js'

const TOKEN = createToken()
const JSON_ANSWER = { 'content-type': /json/, 'cache-control': 'no-store' }
const ADD = { body: { body: 'Written by a stranger.' } }

test.each([80, 443])('the usual port %i needs no number', (port) => {
  const at = { host: '127.0.0.1', port }
  expect(() => assertHost({ host: 'localhost' }, at)).not.toThrow()
  expect(() => assertHost({ host: 'localhost' }, { ...at, port: 8080 })).toThrow('not served')
})

describe('another site', () => {
  test('whose name was pointed at this machine is refused everywhere', async () => {
    const { port, send } = await serve()
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      '127.0.0.1:1',
      '127.0.0.1',
      `user@127.0.0.1:${port}`,
      `[::1]evil:${port}`,
    ]
    for (const host of hosts) {
      for (const path of ['/', '/api/stats', '/openapi.json', '/assets/x.js']) {
        expect({ host, path, status: (await send(path, { headers: { host } })).status }).toEqual({
          host,
          path,
          status: 403,
        })
      }
    }
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      expect((await send('/api/stats', { headers: { host } })).status).toBe(200)
    }
  })

  test('that names another host in the line of the request gains nothing', async () => {
    const { port } = await serve()
    const raw = (lines: string) =>
      new Promise<string>((resolve) => {
        let text = ''
        const socket = connect(port, '127.0.0.1', () => socket.end(lines))
        socket.on('data', (part) => {
          text += part
        })
        socket.on('close', () => resolve(text))
      })
    const end = 'connection: close\r\n\r\n'
    const absolute = `GET http://127.0.0.1:${port}/api/stats HTTP/1.1\r\nhost: evil.example\r\n${end}`
    expect(await raw(absolute)).toMatch(/^HTTP\/1\.1 403/)
    expect(await raw(`GET /api/stats HTTP/1.1\r\n${end}`)).toMatch(/^HTTP\/1\.1 400/)
    const twice = `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nhost: evil.example\r\n${end}`
    expect(await raw(twice)).toMatch(/^HTTP\/1\.1 (?:200|400)/)
    expect(await raw(`OPTIONS * HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${end}`)).toMatch(
      /^HTTP\/1\.1 (?:204|4\d\d)/,
    )
  })

  test('that sends requests through the browser of a visitor is refused, by origin and by site', async () => {
    const { cairn, port, send } = await serve()
    const own = `http://127.0.0.1:${port}`
    const origins = [
      'https://evil.example',
      'null',
      'http://localhost:3000',
      `http://localhost:${port}`,
      `http://127.0.0.1:${port}.evil.example`,
      'file://',
    ]
    for (const origin of origins) {
      expect((await send('/api/records', { ...ADD, headers: { origin } })).status).toBe(403)
      expect((await send('/api/import?name=a.md', { body: 'x', headers: { origin } })).status).toBe(
        403,
      )
      expect((await send('/api/stats', { headers: { origin } })).status).toBe(403)
    }
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site }
      expect((await send('/api/records', { ...ADD, headers })).status).toBe(403)
      expect((await send('/api/search?query=x', { headers })).status).toBe(403)
      expect((await send('/openapi.json', { headers })).status).toBe(403)
      // To be led to the page by a link is no harm.
      expect((await send('/', { headers })).status).toBe(200)
    }
    expect((await cairn.list()).records).toEqual([])
    const headers = { origin: own, 'sec-fetch-site': 'same-origin' }
    expect((await send('/api/records', { ...ADD, headers })).status).toBe(200)
  })

  test('finds no other spelling of a path that the guard reads differently from the router', async () => {
    const { port, send } = await serve(['An apple is red.'])
    const paths = [
      '/%61pi/search?query=apple',
      '/%61%70%69/stats',
      '/x/../api/stats',
      '/x/%2e%2e/api/stats',
      '/./api/stats',
      '/openapi%2ejson',
      `http://127.0.0.1:${port}/api/search?query=apple`,
    ]
    const headers = { origin: 'https://evil.example' }
    for (const path of paths) {
      const own = await send(path)
      expect({ path, ...own }).toMatchObject({ path, status: 200, headers: JSON_ANSWER })
      expect({ path, status: (await send(path, { headers })).status }).toEqual({
        path,
        status: 403,
      })
    }
    // What is not an answer of the API is the page, which a link of another site may lead to.
    for (const path of ['//api/stats', '/%2561pi/stats', '/api%2fstats', '/API/stats']) {
      const { headers } = await send(path)
      expect({ path, ...headers }).toMatchObject({ path, 'content-type': /text\/html/ })
    }
  })

  test('cannot name another host in the target of a request', async () => {
    const { port, send } = await serve()
    const host = `127.0.0.1:${port}`
    const absolute = (name: string) => send(`http://${name}/api/stats`, { headers: { host } })
    expect((await absolute('evil.example')).status).toBe(403)
    expect((await absolute(host)).status).toBe(200)
    expect((await send('http://[bad/api/stats')).status).toBe(404)
  })

  test('cannot post a form: only JSON is read', async () => {
    const { cairn, send } = await serve()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const headers = { 'content-type': type }
      const body = '{"body":"Written by a form."}'
      expect((await send('/api/records', { headers, body })).status).toBe(415)
    }
    expect((await cairn.list()).records).toEqual([])
  })

  test('gets no leave from the answers: no CORS, no frames, nothing but our own scripts', async () => {
    const { send } = await serve()
    const paths = ['/', '/api/stats', '/api/nothing', '/openapi.json']
    for (const path of paths) {
      const { headers } = await send(path)
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    const refused = await send('/api/stats', { headers: { host: 'evil.example' } })
    expect(refused.headers['content-security-policy']).toContain("default-src 'none'")
  })
})

describe('the token', () => {
  test('is asked for everywhere once there is one', async () => {
    const { send, port } = await serve([], { token: TOKEN })
    const wrong = ['', 'Bearer ', `Bearer ${TOKEN}x`, TOKEN, `Basic ${TOKEN}`, `bearer ${TOKEN}`]
    for (const path of ['/', '/api/stats', '/openapi.json', '/assets/x.js']) {
      expect((await send(path)).status).toBe(401)
      for (const authorization of wrong) {
        expect((await send(path, { headers: { authorization } })).status).toBe(401)
      }
      expect((await send(path, { headers: { cookie: `cairn_${port}=${TOKEN}` } })).status).toBe(401)
    }
    const { headers, json } = await send('/api/stats')
    expect(headers['www-authenticate']).toBe('Bearer')
    expect(json.error.code).toBe('unauthorized')
    const authorization = `Bearer ${TOKEN}`
    expect((await send('/api/stats', { headers: { authorization } })).status).toBe(200)
  })

  test('becomes a cookie that scripts cannot read, and leaves the address', async () => {
    const { send } = await serve([], { token: TOKEN })
    const first = await send(`/records/01?token=${TOKEN}&q=pool`)
    expect(first).toMatchObject({ status: 303, headers: { location: '/records/01?q=pool' } })
    const [cookie = ''] = first.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(cookie).not.toContain(TOKEN)
    const [pair = ''] = cookie.split(';')
    expect((await send('/', { headers: { cookie: `other=1; ${pair}` } })).status).toBe(200)
    expect((await send('/api/stats', { headers: { cookie: pair } })).status).toBe(200)
    const headers = { cookie: pair, 'sec-fetch-site': 'cross-site' }
    expect((await send('/api/records', { ...ADD, headers })).status).toBe(403)
  })

  test('leads only to an address of ours, and only for the right one', async () => {
    const { send } = await serve([], { token: TOKEN })
    for (const path of ['//evil.example/', '/\\evil.example', '///evil.example']) {
      const { headers } = await send(`${path}?token=${TOKEN}`)
      expect(headers.location ?? '/').toMatch(/^\/(?![/\\])/)
    }
    expect((await send('/?token=wrong')).status).toBe(401)
    expect((await send(`/api/stats?token=${TOKEN}`)).status).toBe(401)
    const person = await send('/', { headers: { accept: 'text/html' } })
    expect(person).toMatchObject({ status: 401, headers: { 'content-type': /text\/plain/ } })
    expect(person.text).toContain('cairn serve')
  })

  test('is needed beyond this machine, and must be worth the name', async () => {
    const cairn = await libraryOf([])
    const start = (host: string, token?: string) => startServer({ cairn, port: 0, host, token })
    await expect(start('0.0.0.0')).rejects.toThrow('needs a token')
    await expect(start('192.0.2.1')).rejects.toThrow('needs a token')
    await expect(start('127.0.0.1', 'short')).rejects.toThrow('at least 16 characters')
    const wide = await start('0.0.0.0', TOKEN)
    const headers = { authorization: `Bearer ${TOKEN}` }
    expect((await sendTo(wide.port, '/api/stats', { headers })).status).toBe(200)
    expect((await sendTo(wide.port, '/api/stats')).status).toBe(401)
    const named = { ...headers, host: `evil.example:${wide.port}` }
    expect((await sendTo(wide.port, '/api/stats', { headers: named })).status).toBe(403)
    const mapped = { ...headers, host: '192.0.2.7:8080' }
    expect((await sendTo(wide.port, '/api/stats', { headers: mapped })).status).toBe(200)
    await wide.close()
  })
})
