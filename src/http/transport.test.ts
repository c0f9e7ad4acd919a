/** A server speaks HTTPS with a certificate, believes the proxy that it was told of, and takes a socket from systemd. */

import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { send as sendTo, serve } from '../../test/support/http.js'
import { libraryOf, temporaryFolder } from '../../test/support/library.js'
import { createToken } from '../cairn/tokens.js'
import { startServer } from './server.js'

const TOKEN = createToken()

/** Made for these tests alone. */
const FILES = join(import.meta.dirname, '../../test/fixtures/tls')
const tls = {
  cert: readFileSync(join(FILES, 'cert.pem'), 'utf8'),
  key: readFileSync(join(FILES, 'key.pem'), 'utf8'),
}

describe('TLS', () => {
  test('answers over HTTPS, and sets its cookie for HTTPS alone', async () => {
    const { url, port } = await serve([], { tls, token: TOKEN })
    expect(url).toBe(`https://127.0.0.1:${port}`)
    const ask = (path: string) =>
      new Promise<{ status: number | undefined; cookie: string[] | undefined }>(
        (resolve, reject) => {
          get(`https://localhost:${port}${path}`, { ca: tls.cert }, (response) => {
            response.resume()
            resolve({ status: response.statusCode, cookie: response.headers['set-cookie'] })
          }).on('error', reject)
        },
      )
    expect((await ask('/healthz')).status).toBe(200)
    expect((await ask('/api/stats')).status).toBe(401)
    expect((await ask(`/?token=${TOKEN}`)).cookie?.[0]).toContain('; Secure')
  })

  test('a key that does not belong to the certificate is refused before it listens', async () => {
    const cairn = await libraryOf([])
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const wrong = {
      cert: tls.cert,
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    }
    await expect(startServer({ cairn, port: 0, tls: wrong })).rejects.toThrow(
      'cannot be used for TLS',
    )
  })
})

describe('behind a proxy', () => {
  test('the name and the client are those that the proxy says; others are refused as before', async () => {
    const clients: unknown[] = []
    const { port, send } = await serve([], {
      token: TOKEN,
      trustProxy: 'cairn.example.org',
      log: (_, event, fields) => event === 'http.request' && clients.push(fields?.client),
    })
    const authorization = `Bearer ${TOKEN}`
    const from = (headers: Record<string, string>) =>
      send('/api/stats', { headers: { authorization, ...headers } })
    const named = { host: 'cairn.example.org', origin: 'https://cairn.example.org' }
    expect((await from({ ...named, 'x-forwarded-for': '6.6.6.6, 203.0.113.7' })).status).toBe(200)
    expect(clients).toEqual(['203.0.113.7'])
    const forwarded = {
      host: `127.0.0.1:${port}`,
      'x-forwarded-host': 'cairn.example.org',
      origin: 'https://cairn.example.org',
    }
    expect((await from(forwarded)).status).toBe(200)
    expect((await from({ host: 'evil.example' })).status).toBe(403)
    expect((await from({ ...named, origin: 'https://evil.example' })).status).toBe(403)
    expect((await send('/api/stats', { headers: { host: 'cairn.example.org' } })).status).toBe(401)
  })

  test('a server that believes no proxy ignores what a request says of one', async () => {
    const { send } = await serve()
    const headers = { host: 'evil.example', 'x-forwarded-host': '127.0.0.1' }
    expect((await send('/api/stats', { headers })).status).toBe(403)
  })

  test('it needs a token', async () => {
    const cairn = await libraryOf([])
    for (const trustProxy of ['https://cairn.example.org', 'cairn.example.org/notes', '']) {
      const starting = startServer({ cairn, port: 0, token: TOKEN, trustProxy })
      await expect(starting).rejects.toThrow('is not a name under which a proxy can serve it')
    }
    await expect(startServer({ cairn, port: 0, trustProxy: 'cairn.example.org' })).rejects.toThrow(
      'needs a token',
    )
  })
})

test.skipIf(process.platform === 'win32')(
  'listens on the socket that systemd hands over',
  async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    // biome-ignore lint/suspicious/noExplicitAny: Node tells nobody the number of the file
    const { fd } = (server as any)._handle
    // The shell stays the same process when it becomes the server, so its number can be given beforehand.
    const cairn = join(import.meta.dirname, '../../dist/cairn.cjs')
    const file = join(temporaryFolder(), 'socket.cairn')
    const script = `LISTEN_PID=$$ LISTEN_FDS=1 exec "${process.execPath}" "${cairn}" serve --db "${file}" --json`
    const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit', fd] })
    try {
      await new Promise((resolve) => child.stdout?.once('data', resolve))
      server.close()
      expect((await sendTo(port, '/healthz')).json).toEqual({ alive: true })
    } finally {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
    }
  },
)
