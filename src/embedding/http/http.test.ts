/** Whatever a server does, the caller gets checked vectors or a clear error, and no error shows the key. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { CairnError } from '../../core/errors.js'
import { REAL_TIMERS, type Timers } from '../../core/http-client.js'
import { cutToTokens, estimateTokens } from './remote-embedder.js'
import {
  LONGEST_RETRY_AFTER_MS,
  openOllama,
  openOpenAi,
  type RemoteConfig,
} from './remote-models.js'

const KEY = 'sk-very-secret-0123456789'
const NOW = Date.parse('2026-01-02T03:04:05Z')

type Question = { model: string; input: string[]; dimensions?: number }
type Asked = { path: string; authorization: string | undefined; body: Question }
type Answer = (asked: Asked, response: ServerResponse) => void

const running: Server[] = []
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

/** Starts a real server that uses each of `answers` once, and repeats the last one. */
async function serve(...answers: readonly Answer[]) {
  const asked: Asked[] = []
  const slept: number[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = ''
    for await (const part of request) text += part
    const { authorization } = request.headers
    asked.push({ path: request.url ?? '', authorization, body: JSON.parse(text) })
    answers[Math.min(asked.length, answers.length) - 1]?.(asked.at(-1)!, response)
  })
  running.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const timers: Timers = {
    now: () => NOW,
    random: () => 0.5,
    sleep: async (delayMs, signal) => {
      slept.push(delayMs)
      signal?.throwIfAborted()
    },
  }
  return { baseUrl: `http://127.0.0.1:${port}`, asked, slept, timers }
}

const send = (response: ServerResponse, body: unknown, status = 200, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
const vectorFor = (text: string) => [text.length, 1, 0]
const fine: Answer = ({ path, body }, response) =>
  path.endsWith('/api/embed')
    ? send(response, { embeddings: body.input.map(vectorFor) })
    : send(response, {
        // In reverse, because only the index matters.
        data: body.input.map((text, index) => ({ index, embedding: vectorFor(text) })).reverse(),
      })
const failing =
  (status: number, headers = {}, body: unknown = { error: { message: 'try later' } }): Answer =>
  (_, response) =>
    send(response, body, status, headers)
const answering =
  (body: unknown): Answer =>
  (_, response) =>
    send(response, body)

type Served = Awaited<ReturnType<typeof serve>>
const ollama = ({ baseUrl, timers }: Served, config: RemoteConfig = {}) =>
  openOllama({ dimensions: 3, baseUrl, ...config }, timers)
const openai = ({ baseUrl, timers }: Served, config: RemoteConfig = {}) =>
  openOpenAi({ dimensions: 3, baseUrl, ...config }, { env: { OPENAI_API_KEY: KEY }, timers })

async function failureOf(work: Promise<unknown>): Promise<CairnError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof CairnError)) throw new Error(`expected a CairnError, got ${error}`)
  return error
}

describe('Ollama', () => {
  test('[A3] queries and passages carry the prefixes that nomic-embed-text was trained with', async () => {
    const server = await serve(fine)
    const embedder = await ollama(server)
    await embedder.embed(['how to ship'], { as: 'query' })
    await embedder.embed(['tag a release'], { as: 'passage' })
    expect(server.asked.map(({ path, body }) => [path, body])).toEqual([
      ['/api/embed', { model: 'nomic-embed-text', input: ['search_query: how to ship'] }],
      ['/api/embed', { model: 'nomic-embed-text', input: ['search_document: tag a release'] }],
    ])
  })

  test('[A3] nomic-embed-text has 768 dimensions without asking the server', async () => {
    const server = await serve(fine)
    const embedder = await openOllama({ baseUrl: server.baseUrl }, server.timers)
    expect(embedder.model).toMatchObject({ id: 'ollama/nomic-embed-text@768', dimensions: 768 })
    expect(server.asked).toHaveLength(0)
  })

  test('an unknown model is asked once for its dimensions', async () => {
    const server = await serve(fine)
    const config = { baseUrl: server.baseUrl, model: 'mine:latest' }
    expect((await openOllama(config, server.timers)).model.id).toBe('ollama/mine:latest@3')
    expect(server.asked).toHaveLength(1)
  })

  test('the hint for a missing model is the command that fetches it', async () => {
    const server = await serve(failing(404, {}, { error: 'model "nomic-embed-text" not found' }))
    const embedder = await ollama(server)
    expect(await failureOf(embedder.embed(['a'], { as: 'query' }))).toMatchObject({
      code: 'embedder_unavailable',
      message: 'Ollama answered with status 404: model "nomic-embed-text" not found.',
      hint: 'Fetch the model with `ollama pull nomic-embed-text`.',
    })
    expect(server.asked).toHaveLength(1)
  })

  test('the error for a server that is not running has one sentence and a next step', async () => {
    const server = await serve(fine)
    running[0]!.close()
    const embedder = await ollama({ ...server, baseUrl: 'http://127.0.0.1:9' })
    const failure = await failureOf(embedder.embed(['a'], { as: 'query' }))
    expect(failure.message).toBe('Ollama at 127.0.0.1:9 cannot be reached.')
    expect(failure.hint).toMatch(/ollama serve/)
    expect(server.slept).toEqual([187.5])
  })
})

describe('an OpenAI-compatible server', () => {
  test('[A3] vectors are returned in the order of the texts, at length 1, in whatever order the server sends them', async () => {
    const server = await serve(fine)
    const texts = ['a', 'bbb', '', 'cc']
    const vectors = await (await openai(server)).embed(texts, { as: 'passage' })
    for (const [i, text] of texts.entries()) {
      if (text !== '') expect(vectors[i]![0]! / vectors[i]![1]!).toBeCloseTo(text.length, 5)
      expect(Math.hypot(...vectors[i]!)).toBeCloseTo(text === '' ? 0 : 1, 5)
    }
    expect(server.asked[0]).toMatchObject({
      path: '/embeddings',
      authorization: `Bearer ${KEY}`,
      body: { model: 'text-embedding-3-small', input: ['a', 'bbb', 'cc'], dimensions: 3 },
    })
  })

  test('[A3] known models have known dimensions, which are sent only if configured', async () => {
    const server = await serve(answering({ data: [{ index: 0, embedding: Array(3072).fill(1) }] }))
    const config = { baseUrl: server.baseUrl, model: 'text-embedding-3-large' }
    const embedder = await openOpenAi(config, {
      env: { CAIRN_API_KEY: KEY },
      timers: server.timers,
    })
    const small = await openOpenAi({}, { env: { OPENAI_API_KEY: KEY }, timers: server.timers })
    expect([embedder.model.dimensions, small.model.dimensions]).toEqual([3072, 1536])
    await embedder.embed(['a'], { as: 'query' })
    expect(server.asked[0]?.body).not.toHaveProperty('dimensions')
  })

  test('many texts are sent in batches below the limit', async () => {
    const server = await serve(fine)
    const texts = Array.from({ length: 600 }, (_, i) => 'x'.repeat(1 + (i % 9)))
    const vectors = await (await openai(server)).embed(texts, { as: 'passage' })
    expect(server.asked.map(({ body }) => body.input.length)).toEqual([256, 256, 88])
    expect(vectors).toHaveLength(600)
  })

  test('a text longer than the window is cut', async () => {
    const server = await serve(fine)
    await (await openai(server)).embed(['word '.repeat(20_000)], { as: 'passage' })
    expect(server.asked[0]!.body.input[0]!.length).toBeLessThan(8191 * 5)
  })

  test('[A3] without a key no request is sent to the official server, while a local one needs no key', async () => {
    expect(await failureOf(openOpenAi({}, { env: {}, timers: REAL_TIMERS }))).toMatchObject({
      code: 'embedder_unavailable',
      hint: expect.stringContaining('OPENAI_API_KEY'),
    })
    const server = await serve(fine)
    const { baseUrl, timers } = server
    await (await openOpenAi({ baseUrl, dimensions: 3 }, { env: {}, timers })).embed(['a'], {
      as: 'query',
    })
    expect(server.asked[0]?.authorization).toBeUndefined()
  })
})

describe('a server in trouble', () => {
  test('[A3] after status 429 the client waits as long as the server asks, in seconds or until a date, up to a limit', async () => {
    const later = new Date(NOW + 5_000).toUTCString()
    const server = await serve(
      failing(429, { 'retry-after': '2' }),
      failing(429, { 'retry-after': later }),
      failing(503, { 'retry-after': '86400' }),
      fine,
    )
    await (await openai(server)).embed(['a'], { as: 'passage' })
    expect(server.slept).toEqual([2000, 5000, LONGEST_RETRY_AFTER_MS.passage])
  })

  test('[A3] a query is retried once, after a second at most', async () => {
    const server = await serve(failing(429, { 'retry-after': '20' }))
    await failureOf((await openai(server)).embed(['a'], { as: 'query' }))
    expect(server.slept).toEqual([LONGEST_RETRY_AFTER_MS.query])
    expect(server.asked).toHaveLength(2)
  })

  test('[A3] a server error is retried after growing delays', async () => {
    const server = await serve(failing(500), failing(502), fine)
    await (await openai(server)).embed(['a'], { as: 'passage' })
    expect(server.slept).toEqual([187.5, 375])
  })

  test('after four attempts the last error is thrown', async () => {
    const server = await serve(failing(500))
    const failure = await failureOf((await openai(server)).embed(['a'], { as: 'passage' }))
    expect(failure.message).toBe(
      'The OpenAI-compatible server answered with status 500: try later.',
    )
    expect(server.asked).toHaveLength(4)
  })

  test.each(['query', 'passage'] as const)(
    '[A3] a request to a server that hangs times out and is not retried for a %s',
    async (as) => {
      const server = await serve(() => {})
      const embedder = await openai(server, { timeoutMs: 40 })
      const failure = await failureOf(embedder.embed(['a'], { as }))
      expect(failure.message).toMatch(/did not answer within 40 ms\.$/)
      expect(server.asked).toHaveLength(1)
    },
  )

  test('an incomplete body is retried', async () => {
    const server = await serve(
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' })
        response.write('{"data":[', () => response.destroy())
      },
      (_, response) => response.end('{"data":['),
      fine,
    )
    const embedder = await openai(server)
    expect(await embedder.embed(['a'], { as: 'passage' })).toHaveLength(1)
    expect(server.asked).toHaveLength(3)
  })

  test.each([
    ['too few vectors', { data: [] }, /0 vectors for 1 texts/],
    ['too many vectors', { data: [{ index: 0 }, { index: 1 }] }, /2 vectors for 1 texts/],
    ['null in a vector', { data: [{ index: 0, embedding: [1, null, 0] }] }, /not a number/],
    ['a word in a vector', { data: [{ index: 0, embedding: ['NaN', 1, 0] }] }, /not a number/],
    ['no vector', { data: [{ index: 0 }] }, /without numbers/],
    ['an empty vector', { data: [{ index: 0, embedding: [] }] }, /without numbers/],
    ['an index out of range', { data: [{ index: 7, embedding: [1, 0, 0] }] }, /order/],
    ['no index', { data: [{ embedding: [1, 0, 0] }] }, /order/],
    ['something else', { hello: 'world' }, /without embeddings/],
    ['nothing', null, /without embeddings/],
  ])('an answer with %s is rejected without a retry', async (_, body, message) => {
    const server = await serve(answering(body))
    const failure = await failureOf((await openai(server)).embed(['a'], { as: 'query' }))
    expect(failure.code).toBe('embedder_unavailable')
    expect(failure.message).toMatch(message)
    expect(server.asked).toHaveLength(1)
  })

  test('the error for vectors of other dimensions names both numbers', async () => {
    const server = await serve(answering({ embeddings: [[1, 2, 3, 4]] }))
    const failure = await failureOf((await ollama(server)).embed(['a'], { as: 'query' }))
    expect(failure).toMatchObject({
      code: 'dimension_mismatch',
      message: 'The model "ollama/nomic-embed-text@3" sent vectors of 4 numbers; 3 were expected.',
    })
  })

  test('the caller can abort during a request and during a wait', async () => {
    const hanging = await serve(() => {})
    const giveUp = new AbortController()
    const embedder = await openai(hanging)
    const waiting = embedder.embed(['a'], { as: 'query', signal: giveUp.signal })
    setTimeout(() => giveUp.abort(new Error('changed my mind')), 30)
    await expect(waiting).rejects.toThrow('changed my mind')

    const busy = await serve(failing(429, { 'retry-after': '30' }))
    const { baseUrl } = busy
    const real = await openOpenAi({ baseUrl, dimensions: 3 }, { env: {}, timers: REAL_TIMERS })
    const signal = AbortSignal.timeout(50)
    const started = performance.now()
    await expect(real.embed(['a'], { as: 'query', signal })).rejects.toThrow(/abort/i)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test('a redirect is not followed, so texts and keys are not sent elsewhere', async () => {
    const elsewhere = await serve(fine)
    const server = await serve(failing(307, { location: `${elsewhere.baseUrl}/embeddings` }))
    await failureOf((await openai(server)).embed(['a'], { as: 'query' }))
    expect(elsewhere.asked).toHaveLength(0)
  })
})

describe('the key', () => {
  const everything = (error: unknown): string =>
    error instanceof Error
      ? [error.message, error.stack, JSON.stringify(error), everything(error.cause)].join('\n')
      : String(error)

  test.each([
    ['repeats it', failing(401, {}, { error: { message: `Incorrect API key provided: ${KEY}.` } })],
    ['stars it out', failing(401, {}, { error: { message: 'Wrong key sk-very***6789.' } })],
    ['puts it in a page', (_: Asked, response: ServerResponse) => response.end(`<p>${KEY}</p>`)],
    ['hangs up', (_: Asked, response: ServerResponse) => response.destroy()],
  ])('[A3] never shows in an error when the server %s', async (_, answer) => {
    const server = await serve(answer as Answer)
    const failure = await failureOf((await openai(server)).embed(['a'], { as: 'query' }))
    expect(everything(failure)).not.toMatch(/very|6789/)
  })

  test('[A3] never shows in an error when it has invalid characters', async () => {
    const failure = await failureOf(
      openOpenAi({}, { env: { OPENAI_API_KEY: 'sk-very\nsecret' }, timers: REAL_TIMERS }),
    )
    expect(everything(failure)).not.toMatch(/very/)
  })

  test('an address with a password is rejected, and the error does not show the password', async () => {
    const failure = await failureOf(
      openOllama({ baseUrl: 'http://me:very@127.0.0.1' }, REAL_TIMERS),
    )
    expect(failure.code).toBe('bad_input')
    expect(everything(failure)).not.toMatch(/very/)
    await expect(openOllama({ baseUrl: 'file:///etc' }, REAL_TIMERS)).rejects.toThrow(/not an http/)
  })
})

test('[L3] the estimate is at least one token per English word and one per CJK character', () => {
  expect(estimateTokens('')).toBe(2)
  expect(estimateTokens('The cat sat on the mat.')).toBe(9)
  expect(estimateTokens('東京都')).toBe(5)
})

test('a cut text is a prefix of the text and fits', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.integer({ min: 3, max: 40 }),
      (text, most) => {
        const cut = cutToTokens(text, most)
        expect(text.startsWith(cut)).toBe(true)
        expect(estimateTokens(cut)).toBeLessThanOrEqual(most)
        if (estimateTokens(text) <= most) expect(cut).toBe(text)
      },
    ),
  )
})

test('a text of one very long word is cut inside the word', () => {
  const cut = cutToTokens('a'.repeat(1000), 12)
  expect(cut.length).toBe(40)
})
