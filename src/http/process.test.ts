/** `cairn serve` as a process finishes what it accepted before it ends, and a second signal ends it at once. Windows has no signals. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../test/support/library.js'
import { openCairn } from '../index.js'

const CLI = join(import.meta.dirname, '../../dist/cairn.cjs')

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

async function start(file: string, ...args: string[]) {
  const child = spawn(
    process.execPath,
    [CLI, 'serve', '--db', file, '--port', '0', '--json', ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  children.push(child)
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, ended, url: (JSON.parse(line) as { url: string }).url }
  }
  throw new Error('the server did not start')
}

const left = ({ pid }: ChildProcess): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`cairn-upload-${pid}-`))

const headers = { 'content-type': 'application/json' }
const lines = (count: number): string =>
  Array.from({ length: count }, (_, i) =>
    JSON.stringify({ body: `line ${i} ${'of words that take a while to read '.repeat(20)}` }),
  ).join('\n')

const SERVER = process.env.CAIRN_TEST_POSTGRES ?? ''

const schemas: string[] = []
afterAll(async () => {
  if (SERVER === '') return
  const client = new pg.Client(SERVER)
  await client.connect()
  for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await client.end()
})

function makeUrl(): string {
  const schema = `test_stop_${process.pid}_${schemas.length}`
  schemas.push(schema)
  return `${SERVER}?schema=${schema}`
}

const BACKENDS = [
  { backend: 'SQLite', makeAddress: temporaryFile },
  ...(SERVER === '' ? [] : [{ backend: 'PostgreSQL', makeAddress: makeUrl }]),
]

/** How a server ends whose database does not answer any more: it takes twenty seconds, in which other tests run. */
let cutOff: Awaited<ReturnType<typeof start>>['ended']
beforeAll(async () => {
  if (SERVER === '') return
  const address = new URL(makeUrl())
  const sockets: Socket[] = []
  const proxy = createServer((near) => {
    const far = connect(Number(address.port || 5432), address.hostname)
    for (const socket of [near, far]) socket.on('error', () => {})
    sockets.push(near, far)
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { child, ended, url } = await start(
    address.href.replace(address.host, `127.0.0.1:${(proxy.address() as AddressInfo).port}`),
  )
  await fetch(`${url}/api/stats`)
  for (const socket of sockets) socket.unpipe().pause()
  fetch(`${url}/api/stats`).catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, 500))
  child.kill('SIGTERM')
  cutOff = ended
  return () => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  }
})

test.skipIf(process.platform === 'win32').each(BACKENDS)(
  '[F8] SIGINT ends it after what was accepted: searches, recalls, the batch of an import ($backend)',
  async ({ makeAddress }) => {
    const file = makeAddress()
    const { child, ended, url } = await start(file)
    const post = (path: string, body: object) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    await post('/api/records', { body: 'We deploy on Thursdays.' })
    await post('/api/sessions', { id: 'talk' })
    const importing = await fetch(`${url}/api/import?name=lines.jsonl`, {
      method: 'POST',
      body: lines(20_000),
      headers: { accept: 'text/event-stream' },
    })
    const reader = importing.body?.pipeThrough(new TextDecoderStream()).getReader()
    let told = ''
    const read = async (until: string): Promise<void> => {
      while (!told.includes(until)) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: '' }
        if (done) return
        told += value
      }
    }
    await read('"phase":"reading"')
    const searches = Array.from({ length: 10 }, () =>
      post('/api/search', { query: 'deploy', mode: 'keyword', recallSession: 'talk' }),
    )
    await Promise.race(searches)
    child.kill('SIGINT')
    await read('event: error')
    expect(told).toContain('what was written up to then stays')
    const answered = (await Promise.allSettled(searches)).filter(
      (one) => one.status === 'fulfilled' && one.value.status === 200,
    )
    expect(await ended).toEqual({ code: 0, signal: null })
    await expect(fetch(`${url}/api/stats`)).rejects.toThrow()
    expect(left(child)).toEqual([])
    const cairn = await openCairn({ file })
    onTestFinished(() => cairn.close())
    const counts = [...told.matchAll(/"read":(\d+),"created":(\d+)/g)].map(([, , one]) =>
      Number(one),
    )
    const { records, waiting } = await cairn.stats()
    // No batch is stored without its vectors.
    expect(waiting).toBe(0)
    // Whole batches, and all that was told of.
    expect((records.document + records.memory - 1) % 50).toBe(0)
    expect(records.document + records.memory - 1).toBeGreaterThanOrEqual(Math.max(...counts))
    expect((await cairn.replay({ limit: 100 })).queries.length).toBeGreaterThanOrEqual(
      answered.length,
    )
    expect(answered.length).toBeGreaterThan(0)
    expect((await cairn.doctor()).ok).toBe(true)
  },
)

test.skipIf(process.platform === 'win32')(
  'a second signal ends it at once, and the next server clears away what that one left',
  async () => {
    const file = temporaryFile()
    const { child, ended, url } = await start(file)
    // A request whose body never comes keeps it waiting.
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
    })
    const options = { method: 'POST', body, duplex: 'half' } as RequestInit
    fetch(`${url}/api/import?name=never.md`, options).catch(() => {})
    await expect.poll(() => left(child).length).toBe(1)
    child.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(child.exitCode).toBeNull()
    child.kill('SIGTERM')
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' })
    expect(left(child)).toHaveLength(1)
    const next = await start(file)
    await expect.poll(() => left(child)).toEqual([])
    next.child.kill('SIGTERM')
    expect(await next.ended).toMatchObject({ code: 0 })
  },
)

test.skipIf(process.platform === 'win32')(
  'beyond this machine it makes a token, and says where the page is',
  async () => {
    const { child, ended, url } = await start(temporaryFile(), '--host', '0.0.0.0')
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+\/\?token=[\w-]{43}$/)
    const { origin, searchParams } = new URL(url)
    const local = origin.replace('0.0.0.0', '127.0.0.1')
    expect((await fetch(`${local}/api/stats`)).status).toBe(401)
    const authorization = `Bearer ${searchParams.get('token')}`
    expect((await fetch(`${local}/api/stats`, { headers: { authorization } })).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0 })
  },
)

test.skipIf(process.platform === 'win32')(
  'a port that is taken and one that is none are refused in one sentence',
  async () => {
    const { child, ended, url } = await start(temporaryFile())
    const run = (port: string) =>
      new Promise<{ code: number | null; text: string }>((resolve) => {
        const other = spawn(process.execPath, [
          CLI,
          'serve',
          '--db',
          temporaryFile(),
          '--port',
          port,
        ])
        let text = ''
        other.stderr.on('data', (part) => {
          text += part
        })
        other.on('close', (code) => resolve({ code, text }))
      })
    expect(await run(new URL(url).port)).toMatchObject({
      code: 2,
      text: /taken by another program/,
    })
    expect(await run('70000')).toMatchObject({ code: 2, text: /from 0 to 65535/ })
    child.kill('SIGTERM')
    await ended
  },
)

test.skipIf(SERVER === '')(
  'a database that does not answer any more keeps it for twenty seconds at most',
  async () => {
    expect(await cutOff).toEqual({ code: null, signal: 'SIGTERM' })
  },
)
