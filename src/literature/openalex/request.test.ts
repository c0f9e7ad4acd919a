/** Failures of the server end in a retry or in one clear error; errors and cached files never hold the key. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CairnError } from '../../core/errors.js'
import { createOpenAlex } from './openalex.js'
import { createResponseCache, LONGEST_RETRY_AFTER_MS } from './request.js'
import { type Answer, fixture, NOW, page, send, serve, stopServers } from './server.fixture.js'

const DAY_MS = 86_400_000
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-openalex-'))
})
afterEach(async () => {
  await stopServers()
  rmSync(folder, { recursive: true, force: true })
})

const KEY = 'oa-very-secret-0123456789'
const fine = send(fixture('work'))
const failing = (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  send({ error: 'Oops', message: 'Something is wrong.' }, status, headers)
const hang: Answer = () => {}
const hangUp: Answer = (response) => void response.destroy()
const cutOff: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
  response.write('{"id":"https://openalex.org/W1",', () => response.destroy())
}
const raw =
  (text: string, type = 'application/json'): Answer =>
  (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': type }).end(text)

async function failureOf(work: Promise<unknown>): Promise<CairnError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof CairnError)) throw new Error(`expected a CairnError, got ${error}`)
  return error
}

const everything = (error: unknown): string =>
  error instanceof Error
    ? [error.message, error.stack, JSON.stringify(error), everything(error.cause)].join('\n')
    : String(error)

describe('trouble that passes', () => {
  test('too many requests: waits as long as the server asks, in seconds or until a date, but not for ever', async () => {
    const until = new Date(NOW + 2_000 + 5_000).toUTCString()
    const server = await serve(
      failing(429, { 'retry-after': '2' }),
      failing(429, { 'retry-after': until }),
      failing(503, { 'retry-after': '86400' }),
      fine,
    )
    expect(await server.connect().work('W1')).not.toBeNull()
    expect(server.slept).toEqual([2_000, 5_000, LONGEST_RETRY_AFTER_MS])
  })

  test('a wait that the server asks of one call holds back the others', async () => {
    const { slept, connect } = await serve(failing(429, { 'retry-after': '10' }), fine)
    const openAlex = connect({
      sleep: async (delayMs) => {
        slept.push(delayMs)
        if (slept.length === 1) await openAlex.work('W2')
      },
    })
    await openAlex.work('W1')
    // The first waits to try again, the second for the first, and on a clock that stands still the first once more.
    expect(slept).toEqual([10_000, 10_000, 10_000])
  })

  test('an error of the server is tried again, later each time', async () => {
    const server = await serve(failing(500), failing(500), fine)
    expect((await server.connect().work('W1'))?.openAlexId).toBe('W4000000001')
    expect(server.slept).toEqual([187.5, 375])
  })

  test.each([
    ['a connection that is reset', hangUp],
    ['a body that is cut off', cutOff],
    ['JSON that ends too early', raw('{"id":"https://openalex.org/W1"')],
    ['no body at all', raw('')],
  ])('%s is tried again', async (_, answer) => {
    const server = await serve(answer, fine)
    expect(await server.connect().work('W1')).not.toBeNull()
    expect(server.asked).toHaveLength(2)
  })

  test('a server that hangs is left after the time-out and asked again', async () => {
    const server = await serve(hang, (response) => void response.writeHead(200).write('{'), fine)
    expect(await server.connect({ timeoutMs: 150 }).work('W1')).not.toBeNull()
    expect(server.asked).toHaveLength(3)
  })

  test('a page in the middle of a list that fails is asked for again, and nothing is lost', async () => {
    const work = (id: string) => ({ id: `https://openalex.org/${id}`, title: id })
    const server = await serve(page([work('W1')], 'next'), failing(502), page([work('W2')]))
    const works = await server.connect().search('fog', { limit: 10 })
    expect(works.map(({ openAlexId }) => openAlexId)).toEqual(['W1', 'W2'])
  })
})

describe('trouble that does not pass', () => {
  test.each([
    ['500', failing(500), /^OpenAlex answered with status 500: Something is wrong\.$/, /try again/],
    ['429', failing(429), /^OpenAlex answered with status 429/, /OPENALEX_API_KEY/],
    ['cut', cutOff, /^OpenAlex at 127\.0\.0\.1:\d+ cannot be reached\.$/, /connection/],
    [
      'text',
      raw('oops'),
      /^OpenAlex at 127\.0\.0\.1:\d+ answered with something that is not JSON\.$/,
      /later/,
    ],
  ])(
    'ends after the first try and the retries, with one sentence: %s',
    async (_, answer, message, hint) => {
      const server = await serve(answer)
      const failure = await failureOf(server.connect({ retries: 2 }).work('W1'))
      expect(failure.code).toBe('service_unavailable')
      expect(failure.message).toMatch(message)
      expect(failure.hint).toMatch(hint)
      expect(server.asked).toHaveLength(3)
    },
  )

  test('there are four retries by default', async () => {
    const server = await serve(failing(500))
    await failureOf(server.connect().work('W1'))
    expect(server.asked).toHaveLength(5)
  })

  test('a server that always hangs gets its time in the sentence', async () => {
    const server = await serve(hang)
    const failure = await failureOf(server.connect({ timeoutMs: 30, retries: 1 }).work('W1'))
    expect(failure.message).toMatch(/did not answer within 30 ms\.$/)
  })

  test.each([
    ['403', failing(403), 'service_unavailable', /status 403/, /OPENALEX_API_KEY/],
    ['401', failing(401), 'service_unavailable', /status 401/, /OPENALEX_API_KEY/],
    ['400', failing(400), 'bad_input', /status 400: Something is wrong/, /search text/],
    [
      'a web page',
      raw('<html>sign in</html>', 'text/html; charset=utf-8'),
      'service_unavailable',
      /web page instead of data/,
      /proxy/,
    ],
    [
      'something else',
      raw('{"hello":"world"}'),
      'service_unavailable',
      /data that is not a work/,
      /address/,
    ],
    ['nothing', raw('null'), 'service_unavailable', /data that is not a work/, /address/],
  ])('is not tried again: %s', async (_, answer, code, message, hint) => {
    const server = await serve(answer)
    const failure = await failureOf(server.connect().work('W1'))
    expect(failure.code).toBe(code)
    expect(failure.message).toMatch(message)
    expect(failure.hint).toMatch(hint)
    expect(server.asked).toHaveLength(1)
  })

  test('a list without results is refused', async () => {
    const server = await serve(raw('{"meta":{},"results":null}'))
    const failure = await failureOf(server.connect().search('fog', { limit: 5 }))
    expect(failure.message).toMatch(/data that is not a list of works/)
  })

  test('an answer without end is left at 20 MB', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(1_000_000, ' ')
      const pump = (): void => void (response.destroyed || response.write(chunk, pump))
      pump()
    })
    const failure = await failureOf(server.connect().work('W1'))
    expect(failure.message).toMatch(/sent more than 20 MB in one answer\.$/)
    expect(server.asked).toHaveLength(1)
  })

  test('a redirect to another host is not followed, and one without end is left', async () => {
    const elsewhere = await serve(fine)
    const away = await serve(send({}, 302, { location: `${elsewhere.baseUrl}/works/W1` }))
    const failure = await failureOf(away.connect({ apiKey: KEY }).work('W1'))
    expect(failure.message).toMatch(/redirects to 127\.0\.0\.1:\d+, which is not followed\.$/)
    expect(elsewhere.asked).toEqual([])
    const circle = await serve(send({}, 302, { location: '/works/W1' }))
    expect((await failureOf(circle.connect().work('W1'))).message).toMatch(/without end/)
    expect(circle.asked).toHaveLength(4)
  })

  test('a server that is not there gets one sentence', async () => {
    const server = await serve(fine)
    await stopServers()
    const failure = await failureOf(server.connect().work('W1'))
    expect(failure.message).toMatch(/^OpenAlex at 127\.0\.0\.1:\d+ cannot be reached\.$/)
    expect(server.slept).toHaveLength(4)
  })
})

describe('the pace', () => {
  test('calls that come together leave one after the other', async () => {
    const server = await serve(fine)
    const openAlex = server.connect({
      requestsPerSecond: 8,
      sleep: async (ms) => void server.slept.push(ms),
    })
    await Promise.all(['W1', 'W2', 'W3', 'W4'].map((id) => openAlex.work(id)))
    expect(server.slept).toEqual([125, 250, 375])
    expect(server.asked).toHaveLength(4)
  })

  test('it is eight requests a second by default', async () => {
    const { baseUrl, slept } = await serve(fine)
    const sleep = async (delayMs: number) => void slept.push(delayMs)
    const openAlex = createOpenAlex({
      baseUrl,
      mailto: null,
      cacheDir: null,
      now: () => NOW,
      sleep,
    })
    await Promise.all([openAlex.work('W1'), openAlex.work('W2')])
    expect(slept).toEqual([125])
  })
})

describe('the key', () => {
  test.each<[string, Answer]>([
    ['repeats it', send({ message: `Wrong api_key=${KEY}.` }, 403)],
    ['puts it in a page', raw(`<p>${KEY}</p>`, 'text/html')],
    ['sends it as no JSON', raw(`{${KEY}`)],
    ['hangs up', hangUp],
    ['hangs', hang],
    ['redirects with it', send({}, 302, { location: `https://elsewhere.example/?k=${KEY}` })],
  ])('never shows in an error when the server %s', async (_, answer) => {
    const server = await serve(answer)
    const openAlex = server.connect({ apiKey: KEY, timeoutMs: 100, retries: 1 })
    expect(everything(await failureOf(openAlex.work('W1')))).not.toMatch(/very|6789/)
    expect(server.asked[0]?.params.get('api_key')).toBe(KEY)
  })
})

const files = () => readdirSync(folder).map((name) => join(folder, name))

describe('a cached response', () => {
  test('is not asked for again, by this client or by another', async () => {
    const server = await serve(fine)
    const openAlex = server.connect({ cacheDir: folder })
    const first = await openAlex.work('W4000000001')
    expect(await openAlex.work('https://openalex.org/w4000000001')).toEqual(first)
    const other = server.connect({ cacheDir: folder, apiKey: 'k2', mailto: 'you@example.org' })
    expect(await other.work('W4000000001')).toEqual(first)
    expect(server.asked).toHaveLength(1)
    expect(openAlex.counts()).toEqual({ requests: 1, fromCache: 1, skipped: 0 })
    expect(other.counts()).toEqual({ requests: 0, fromCache: 1, skipped: 0 })
  })

  test('is asked for again after a week', async () => {
    const server = await serve(fine)
    const openAlex = server.connect({ cacheDir: folder })
    await openAlex.work('W1')
    server.clock.nowMs = NOW + 7 * DAY_MS - 1
    await openAlex.work('W1')
    expect(server.asked).toHaveLength(1)
    server.clock.nowMs = NOW + 7 * DAY_MS
    await openAlex.work('W1')
    expect(server.asked).toHaveLength(2)
    await openAlex.work('W1')
    expect(server.asked).toHaveLength(2)
  })

  test('is asked for again when the clock was set back', async () => {
    const server = await serve(fine)
    await server.connect({ cacheDir: folder }).work('W1')
    server.clock.nowMs = NOW - DAY_MS
    await server.connect({ cacheDir: folder }).work('W1')
    expect(server.asked).toHaveLength(2)
  })

  test('is not shared by two addresses', async () => {
    const [one, other] = [await serve(fine), await serve(fine)]
    await one.connect({ cacheDir: folder }).work('W1')
    await other.connect({ cacheDir: folder }).work('W1')
    expect(other.asked).toHaveLength(1)
  })
})

describe('a file of the cache', () => {
  test.each([
    ['empty', ''],
    ['cut off', '{"url":"http'],
    ['of another address', `{"url":"x","storedAtMs":${NOW},"answer":{"id":"W1"}}`],
    ['without an answer', `{"storedAtMs":${NOW}}`],
  ])('that is %s is ignored and written anew', async (_, content) => {
    const server = await serve(fine)
    await server.connect({ cacheDir: folder }).work('W1')
    const [path = ''] = files()
    writeFileSync(path, content)
    expect(await server.connect({ cacheDir: folder }).work('W1')).not.toBeNull()
    expect(await server.connect({ cacheDir: folder }).work('W1')).not.toBeNull()
    expect(server.asked).toHaveLength(2)
    expect(files()).toEqual([path])
  })

  test('whose answer is no work is ignored', async () => {
    const server = await serve(fine)
    await server.connect({ cacheDir: folder }).work('W1')
    const [path = ''] = files()
    const entry = JSON.parse(readFileSync(path, 'utf8')) as object
    writeFileSync(path, JSON.stringify({ ...entry, answer: { hello: 'world' } }))
    expect(await server.connect({ cacheDir: folder }).work('W1')).not.toBeNull()
    expect(server.asked).toHaveLength(2)
  })

  test('is not written for missing, refused or malformed responses', async () => {
    const server = await serve(send({}, 404), send({}, 403), send({ hello: 'world' }))
    const openAlex = server.connect({ cacheDir: folder })
    expect(await openAlex.work('W1')).toBeNull()
    await expect(openAlex.work('W1')).rejects.toThrow()
    await expect(openAlex.work('W1')).rejects.toThrow()
    expect(files()).toEqual([])
  })

  test('holds neither the key nor the mail address, even when an answer repeats them', async () => {
    const [key, mailto] = ['oa-secret-zebra', 'someone+alex@example.org']
    const echo = { ...(fixture('work') as object), note: `for ${mailto}` }
    const echoedKey = { ...(fixture('work') as object), api_url: `?api_key=${key}` }
    const server = await serve(fine, page([fixture('work')]), send(echo), send(echoedKey))
    const openAlex = server.connect({ cacheDir: folder, apiKey: key, mailto })
    await openAlex.work('W1')
    await openAlex.search('fog', { limit: 1 })
    await openAlex.work('W2')
    await openAlex.work('W3')
    expect(server.asked.every(({ params }) => params.get('api_key') === key)).toBe(true)
    expect(files()).toHaveLength(2)
    const written = files()
      .map((path) => path + readFileSync(path, 'utf8'))
      .join('\n')
    expect(written).toContain('"url"')
    expect(written).not.toMatch(/oa-secret|zebra|someone|api_key|mailto/)
  })

  test('is whole however many write it at once', async () => {
    const cache = createResponseCache(folder, () => NOW)
    const answers = Array.from({ length: 10 }, (_, i) => ({ id: i, text: 'x'.repeat(20_000 + i) }))
    const reads = await Promise.all(
      answers.map(async (answer) => {
        await cache.write('http://openalex.example/', answer)
        return cache.read('http://openalex.example/')
      }),
    )
    expect(
      reads.every((read) =>
        answers.some((answer) => JSON.stringify(answer) === JSON.stringify(read)),
      ),
    ).toBe(true)
    expect(files()).toHaveLength(1)
  })

  test('that cannot be written costs nothing but a request', async () => {
    const server = await serve(fine)
    const taken = join(folder, 'taken')
    writeFileSync(taken, 'a file where the folder would be')
    expect(await server.connect({ cacheDir: taken }).work('W1')).not.toBeNull()
    expect(await server.connect({ cacheDir: taken }).work('W1')).not.toBeNull()
    expect(server.asked).toHaveLength(2)
  })

  test('is not there before an answer is', async () => {
    const server = await serve(send({}, 404))
    const later = join(folder, 'later')
    expect(await server.connect({ cacheDir: later }).work('W1')).toBeNull()
    expect(existsSync(later)).toBe(false)
  })
})
