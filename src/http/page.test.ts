/** The page is served with the right types, quickly again, and nothing else of the disk is. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { serve } from '../../test/support/http.js'
import { temporaryFolder } from '../../test/support/library.js'

const INDEX =
  '<!doctype html><title>Cairn</title><script type="module" src="/assets/app-B7x2kQ9f.js"></script>'
const SCRIPT = `export const words = ${JSON.stringify(Array.from({ length: 400 }, (_, i) => `w${i}`))}\n`

async function servePage() {
  const folder = temporaryFolder()
  const page = join(folder, 'page')
  mkdirSync(join(page, 'assets'), { recursive: true })
  writeFileSync(join(page, 'index.html'), INDEX)
  writeFileSync(join(page, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(page, 'assets/app-B7x2kQ9f.js'), SCRIPT)
  writeFileSync(join(page, 'assets/style-Zz81kk0a.css'), 'body { margin: 0 }')
  writeFileSync(join(page, 'assets/app-B7x2kQ9f.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(page, 'assets/app-B7x2kQ9f.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(page, 'assets/plain.js'), 'export {}')
  writeFileSync(join(folder, 'secret.txt'), 'the secret')
  symlinkSync(join(folder, 'secret.txt'), join(page, 'assets/link.txt'))
  symlinkSync(folder, join(page, 'out'))
  return { folder, ...(await serve([], { page })) }
}

test('every address but the API and the assets is the page', async () => {
  const { send } = await servePage()
  for (const path of [
    '/',
    '/index.html',
    '/search?q=pool',
    '/records/01K9ZQ3F',
    '/apiary',
    '/a.b',
  ]) {
    const { status, headers, text } = await send(path)
    expect({ path, status, text }).toEqual({ path, status: 200, text: INDEX })
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag: /^".+"$/,
    })
  }
  expect((await send('/assets/nothing-B7x2kQ9f.js')).status).toBe(404)
  expect((await send('/api/nothing')).headers['content-type']).toBe('application/json')
  expect(await send('/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
})

test('what has its content in its name is kept for ever, the rest is asked for again', async () => {
  const { send } = await servePage()
  const script = await send('/assets/app-B7x2kQ9f.js')
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  expect(script.text).toBe(SCRIPT)
  const types = [
    ['/assets/style-Zz81kk0a.css', 'text/css; charset=utf-8'],
    ['/favicon.svg', 'image/svg+xml; charset=utf-8'],
  ]
  for (const [path = '', type] of types) {
    expect((await send(path)).headers['content-type']).toBe(type)
  }
  expect((await send('/assets/plain.js')).headers['cache-control']).toBe('no-cache')
  const { etag = '' } = (await send('/')).headers
  for (const given of [etag, `W/${etag}`, `"other", ${etag}`]) {
    expect(await send('/', { headers: { 'if-none-match': given } })).toMatchObject({
      status: 304,
      text: '',
      headers: { etag },
    })
  }
  expect((await send('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
})

test('a browser gets what the build packed, where it can unpack it', async () => {
  const { url } = await servePage()
  const path = `${url}/assets/app-B7x2kQ9f.js`
  const brotli = await fetchPacked(path, 'gzip, deflate, br')
  expect(brotli.encoding).toBe('br')
  expect(brotliDecompressSync(brotli.bytes).toString()).toBe(SCRIPT)
  const zipped = await fetchPacked(path, 'gzip, br;q=0')
  expect(zipped.encoding).toBe('gzip')
  expect(gunzipSync(zipped.bytes).toString()).toBe(SCRIPT)
  expect((await fetchPacked(path, 'identity')).encoding).toBeUndefined()
  expect((await fetchPacked(`${url}/assets/plain.js`, 'br')).encoding).toBeUndefined()
})

test('long answers are compressed, short ones and those for others are not', async () => {
  const { url } = await servePage()
  const plain = await fetchPacked(`${url}/openapi.json`, 'identity')
  expect(plain.encoding).toBeUndefined()
  const brotli = await fetchPacked(`${url}/openapi.json`, 'gzip, br')
  expect(brotli.encoding).toBe('br')
  expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 4)
  expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true)
  const zipped = await fetchPacked(`${url}/openapi.json`, 'gzip')
  expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true)
  expect((await fetchPacked(`${url}/api/records`, 'br')).encoding).toBeUndefined()
})

function fetchPacked(
  url: string,
  encoding: string,
): Promise<{ encoding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { 'accept-encoding': encoding } }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () =>
        resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(parts) }),
      )
    })
      .on('error', reject)
      .end()
  })
}

test('nothing but the files of the page is served, however it is asked for', async () => {
  const { folder, send } = await servePage()
  const paths = [
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/%252e%252e%252fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/....//secret.txt',
    '/assets/link.txt',
    '/out/secret.txt',
    '/secret.txt%00.js',
    '/%00',
    '/assets/app-B7x2kQ9f.js%00.html',
    `/${folder}/secret.txt`,
    `//${folder}/secret.txt`,
    '/file:///etc/passwd',
    '/assets/packed-Aa00bb11.js.gz',
    '/%',
    '/%c0%ae%c0%ae/secret.txt',
  ]
  for (const path of paths) {
    const { status, text } = await send(path)
    expect({ path, isRefusedOrPage: status === 404 || status === 400 || text === INDEX }).toEqual({
      path,
      isRefusedOrPage: true,
    })
    expect(text).not.toContain('the secret')
  }
})

test('where it is not built, one sentence says so', async () => {
  for (const page of ['', join(temporaryFolder(), 'nothing')]) {
    const { send } = await serve([], { page })
    const { status, text, headers } = await send('/')
    expect({ status, type: headers['content-type'] }).toMatchObject({
      status: 200,
      type: /text\/html/,
    })
    expect(text).toContain('The page of Cairn is not built here')
  }
})
