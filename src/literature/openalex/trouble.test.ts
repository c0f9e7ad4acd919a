/** Whatever the server does, the caller gets works or one clear sentence, and no key ever shows. */

import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { CairnError } from '../../core/errors.js'
import { LONGEST_RETRY_AFTER_MS } from './failures.js'
import { createOpenAlex } from './openalex.js'
import { type Answer, fixture, NOW, page, send, serve, stopServers } from './server.fixture.js'

afterEach(stopServers)

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

  test.each([500, 502, 503, 504])('the status %d is tried again', async (status) => {
    const server = await serve(failing(status), fine)
    expect(await server.connect().work('W1')).not.toBeNull()
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

  test('there are four retries unless told otherwise', async () => {
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
    ['400', failing(400), 'bad_input', /status 400: Something is wrong/, /filter/],
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

describe('giving up', () => {
  test('works during a request, during a wait and before either', async () => {
    const hanging = await serve(hang)
    const giveUp = new AbortController()
    const waiting = hanging.connect().work('W1', { signal: giveUp.signal })
    setTimeout(() => giveUp.abort(new Error('changed my mind')), 30)
    await expect(waiting).rejects.toThrow('changed my mind')

    const late = new AbortController()
    const busy = await serve((response, asked) => {
      failing(429, { 'retry-after': '30' })(response, asked)
      late.abort(new Error('too slow'))
    })
    const searching = busy.connect().search('fog', { limit: 5, signal: late.signal })
    await expect(searching).rejects.toThrow('too slow')
    expect(busy.asked).toHaveLength(1)

    const never = await serve(fine)
    const signal = AbortSignal.abort(new Error('not today'))
    await expect(never.connect().works(['W1'], { signal })).rejects.toThrow('not today')
    expect(never.asked).toEqual([])
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

  test('it is eight requests a second unless told otherwise', async () => {
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
