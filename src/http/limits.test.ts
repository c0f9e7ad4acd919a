/** No caller of a server can keep it from the others: by many requests, many imports, long reads, or by hanging up. */

import { request } from 'node:http'
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { send, serve } from '../../test/support/http.js'
import { libraryOf } from '../../test/support/library.js'
import { createToken } from '../cairn/tokens.js'
import type { OwnEmbedder } from '../index.js'
import { OPERATIONS } from '../operations/operations.js'
import { createRateLimit, DEFAULT_RATE, MOST_IMPORTS } from './limits.js'
import { listEndpoints } from './routes.js'

test('a bucket lets through what a plain count of the last second would, and says when there is room', () => {
  const pauses = fc.array(fc.nat(400), { maxLength: 60 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), pauses, (perSecond, gaps) => {
      let nowMs = 0
      const take = createRateLimit(perSecond, () => nowMs)
      const passed: number[] = []
      for (const gap of gaps) {
        nowMs += gap
        const waitMs = take('one')
        if (waitMs === 0) passed.push(nowMs)
        else {
          // One millisecond more: times are rounded.
          nowMs += waitMs + 1
          expect(take('one')).toBe(0)
          passed.push(nowMs)
        }
        // Whoever else asks is not affected.
        expect(createRateLimit(perSecond, () => nowMs)('other')).toBe(0)
      }
      for (const [i, ms] of passed.entries()) {
        const within = passed.slice(i).filter((one) => one - ms < 1000)
        expect(within.length).toBeLessThanOrEqual(2 * perSecond)
      }
    }),
  )
})

test('callers who were quiet are forgotten', () => {
  let nowMs = 0
  const take = createRateLimit(1, () => nowMs)
  expect([take('a'), take('a'), take('b')]).toEqual([0, 1000, 0])
  nowMs = 1000
  expect([take('a'), take('a')]).toEqual([0, 1000])
})

/** So that no time passes, however slow the machine is. */
function stopClock(): void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => clock.mockRestore())
}

test('too many requests of one caller are refused with the seconds to wait; the page and probes are not counted', async () => {
  stopClock()
  const { send } = await serve(['We deploy on Thursdays.'], { rate: 2 })
  const statuses: number[] = []
  for (let i = 0; i < 2; i += 1) statuses.push((await send('/api/stats')).status)
  const refused = await send('/api/stats')
  expect(statuses).toEqual([200, 200])
  expect(refused).toMatchObject({ status: 429, json: { error: { code: 'too_many_requests' } } })
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.json.error.hint).toBe('Send it again in 1 s.')
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect((await send(path)).status, path).toBe(200)
  }
  expect((await send('/metrics')).text).toMatch(/operation="unknown",status="429"/)
})

test('with a token the default is fifty a second, without one there is none', async () => {
  stopClock()
  const token = createToken()
  const headers = { authorization: `Bearer ${token}` }
  const ask = async (options: { token?: string }) => {
    const { send } = await serve([], options)
    const sent = Array.from({ length: DEFAULT_RATE + 1 }, () => send('/api/nothing', { headers }))
    return (await Promise.all(sent)).filter(({ status }) => status === 429).length
  }
  expect(await ask({})).toBe(0)
  expect(await ask({ token })).toBe(1)
})

test('two imports of one caller run, a third waits for one of them', async () => {
  const { port, send } = await serve()
  const open = Array.from({ length: MOST_IMPORTS }, () => {
    const path = '/api/import?name=never.md'
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST' })
    sent.on('error', () => {})
    sent.write('# A beginning')
    onTestFinished(() => void sent.destroy())
    return sent
  })
  const third = () => send('/api/import?name=a.md', { body: '# A note', method: 'POST' })
  await expect.poll(async () => (await third()).status).toBe(429)
  const refused = await third()
  expect(refused.json.error).toMatchObject({
    code: 'too_many_requests',
    message: '2 imports of one caller are running already.',
  })
  expect(refused.headers['retry-after']).toBe('5')
  open[0]?.destroy()
  await expect.poll(async () => (await third()).status).toBe(200)
})

test('a read that takes longer than the server allows is stopped, whichever it is', async () => {
  const cairn = await libraryOf(['We deploy on Thursdays.'], { timeLimitMs: 1e-6, cache: false })
  const { send } = await serve([], { cairn })
  const paths = OPERATIONS.filter(({ effect, name }) => effect === 'reads' && name !== 'search')
    .flatMap(listEndpoints)
    .filter(({ method, parameters }) => method === 'GET' && parameters.length === 0)
    .map(({ path }) => path)
  expect(paths.length).toBeGreaterThan(8)
  for (const path of paths) {
    const { status, json } = await send(path)
    expect([path, status, json.error?.code]).toEqual([path, 422, 'too_expensive'])
  }
  const searched = await send('/api/search?query=deploy&facets=true&sort=newest')
  expect(searched).toMatchObject({
    status: 200,
    json: { degraded: { reason: 'too_expensive' }, facets: null },
  })
  // What writes is not stopped half-way.
  expect((await send('/api/records', { body: { body: 'Another.' } })).status).toBe(200)
})

/** A library whose searches wait, once the first was reached, until they are let go. */
async function openSlowLibrary() {
  const [reached, reach] = createGate()
  const [free, letGo] = createGate()
  const embedder: OwnEmbedder = {
    id: 'slow',
    dimensions: 2,
    embed: async (texts, role) => {
      if (role === 'query') {
        reach()
        await free
      }
      return texts.map(() => [1, 0])
    },
  }
  const cairn = await libraryOf(['We deploy on Thursdays.'], { embedder })
  return { cairn, reached, letGo }
}

function createGate(): readonly [Promise<void>, () => void] {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return [opened, () => open()]
}

test('what a client asked to read is cancelled when it hangs up', async () => {
  const { cairn, reached, letGo } = await openSlowLibrary()
  const logged: unknown[] = []
  const { port } = await serve([], {
    cairn,
    log: (_, event, fields) => event === 'http.request' && logged.push(fields?.status),
  })
  const sent = request({ host: '127.0.0.1', port, path: '/api/search?query=deploy' })
  sent.on('error', () => {})
  sent.end()
  await reached
  sent.destroy()
  // The server hears of it in one of the next turns of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 100))
  letGo()
  await expect.poll(() => logged).toEqual([499])
})

test('a server that stops answers what is under way, refuses what comes after it, and says so to probes', async () => {
  const { cairn, reached, letGo } = await openSlowLibrary()
  const { port, close } = await serve([], { cairn })
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  socket.write(ask('/api/search?query=deploy'))
  await reached
  const closed = close()
  socket.write(ask('/readyz') + ask('/api/stats'))
  await expect(send(port, '/api/stats')).rejects.toThrow()
  letGo()
  await closed
  await expect
    .poll(() => text.match(/HTTP\/1.1 \d+/g))
    .toEqual(['HTTP/1.1 200', 'HTTP/1.1 503', 'HTTP/1.1 503'])
  expect(text).toContain('"ready":false')
  expect(text).toContain('The server is stopping.')
})
