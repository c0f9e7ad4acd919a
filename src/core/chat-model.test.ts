/** Whatever a server of language models does, the caller gets a text or one clear sentence, and no key ever shows. */

import { describe, expect, test } from 'vitest'
import { type Behaviour, type ChatServer, serveChat } from '../../test/support/chat-server.js'
import { adaptChatModel, type ChatConfig, createChatModel, parseReply } from './chat-model.js'
import { CairnError } from './errors.js'
import { REAL_TIMERS } from './http-client.js'

const KEY = 'sk-very-secret-0123456789'
const QUESTION = { system: 'Be brief.', user: 'How are the pears?' }
const TEXT = 'Die Birnen sind reif 🍐🍐, à point – und süß.'

const slept: number[] = []
const timers = { ...REAL_TIMERS, sleep: async (delayMs: number) => void slept.push(delayMs) }

function open(config: ChatConfig) {
  return createChatModel(config, { CAIRN_LLM_KEY: KEY }, timers)
}

async function failureOf(work: Promise<unknown>): Promise<CairnError> {
  const error = await work.then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(CairnError)
  const { message, hint, cause } = error as CairnError
  expect(`${message} ${hint} ${cause}`).not.toContain('secret')
  return error
}

describe.each(['ollama', 'openai'] as const)('%s', (provider) => {
  const serve = async (...behaviours: readonly Behaviour[]): Promise<[ChatServer, ChatConfig]> => {
    const server = await serveChat(behaviours)
    return [server, server[provider]]
  }

  test('a whole reply has its text, its tokens and its time, and the key goes to OpenAI alone', async () => {
    const [{ asked }, config] = await serve(TEXT)
    const reply = await open(config).complete(QUESTION)
    expect(reply).toMatchObject({ text: TEXT, isWhole: true, tokens: { prompt: 120, reply: 24 } })
    expect(reply.tookMs).toBeGreaterThan(0)
    expect(asked[0]).toMatchObject({ ...QUESTION, isStream: false, schema: undefined })
    expect(asked[0]?.authorization).toBe(provider === 'openai' ? `Bearer ${KEY}` : undefined)
  })

  test('a stream is the same reply, however its bytes are split', async () => {
    for (const pieceBytes of [1, 2, 7, 100_000]) {
      const [{ asked }, config] = await serve({ text: TEXT, pieceBytes })
      let streamed = ''
      const onText = (text: string) => {
        streamed += text
      }
      const reply = await open(config).complete(QUESTION, { onText })
      expect(reply).toMatchObject({ text: TEXT, isWhole: true, tokens: { prompt: 120, reply: 24 } })
      expect(streamed).toBe(TEXT)
      expect(asked[0]?.isStream).toBe(true)
    }
  })

  test('a schema is sent along, and JSON is read from a fence too', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } }
    const [{ asked }, config] = await serve('```json\n{"ok":true}\n```')
    const reply = await open(config).complete({ ...QUESTION, schema })
    expect(asked[0]?.schema).toEqual(schema)
    expect(parseReply(reply)).toEqual({ ok: true })
    expect(parseReply({ text: 'Sure! {"ok":', isWhole: true })).toBeUndefined()
    expect(parseReply({ text: '{"ok":true}', isWhole: false })).toBeUndefined()
  })

  test('a server that is busy is asked again when it says so', async () => {
    slept.length = 0
    const busy = { status: 429, headers: { 'retry-after': '2' } }
    const [{ asked }, config] = await serve(busy, { status: 503 }, TEXT)
    expect((await open(config).complete(QUESTION)).text).toBe(TEXT)
    expect(asked).toHaveLength(3)
    expect(slept[0]).toBe(2000)
  })

  test('where the time runs out between attempts, the last answer of the server is told', async () => {
    const [, config] = await serve({ status: 503, headers: { 'retry-after': '5' } })
    const model = createChatModel({ ...config, timeoutMs: 500 }, {}, REAL_TIMERS)
    expect((await failureOf(model.complete(QUESTION))).message).toContain('with status 503')
  })

  test('a refusal is not repeated, and its reason is shown without the key', async () => {
    const raw = JSON.stringify({ error: { message: `The key ${KEY} may not do that.` } })
    const [{ asked }, config] = await serve({ status: 403, raw })
    const { code, message } = await failureOf(open(config).complete(QUESTION))
    expect(code).toBe('llm_unavailable')
    expect(message).toContain('answered with status 403: The key … may not do that.')
    expect(asked).toHaveLength(1)
  })

  test.each([true, false])(
    'a server that hangs costs its time once, streaming: %s',
    async (isStream) => {
      const [{ asked }, config] = await serve({ delayMs: Number.POSITIVE_INFINITY })
      const onText = isStream ? () => {} : undefined
      const work = open({ ...config, timeoutMs: 300 }).complete(QUESTION, { onText })
      const { message, cause } = await failureOf(work)
      expect(message).toContain('did not answer within 300 ms')
      expect(Object(cause).name).toBe('TimeoutError')
      expect(asked).toHaveLength(1)
    },
  )

  test('a reply that is cut off, too long or late keeps what has arrived, and says that it is not whole', async () => {
    const text = 'The pears are ripe. '.repeat(20)
    for (const behaviour of [{ cutAfterBytes: 1500 }, { isLong: true }]) {
      const [{ asked }, config] = await serve({ text, ...behaviour })
      const reply = await open(config).complete(QUESTION, { onText: () => {} })
      expect(reply.isWhole).toBe(false)
      expect(reply.text.length).toBeGreaterThan(5)
      expect(text.startsWith(reply.text)).toBe(true)
      expect(asked).toHaveLength(1)
    }
    const [, config] = await serve({ text, cutAfterBytes: 40 })
    expect((await failureOf(open(config).complete(QUESTION))).message).toContain(
      'cannot be reached',
    )
  })

  test('what is no JSON, no text or too large is one sentence', async () => {
    const cases: [Behaviour, string][] = [
      [{ raw: '<html>hello</html>' }, 'answered with something that is not JSON'],
      [{ raw: '{"error":"the model is on fire"}' }, 'without a text: the model is on fire.'],
      [{ raw: '[]' }, 'without a text.'],
      ['', 'without a text.'],
      [{ raw: `{"x":"${'x'.repeat(5_000_000)}"}`, pieceBytes: 100_000 }, 'that is too long'],
    ]
    for (const [behaviour, sentence] of cases) {
      const [, config] = await serve(behaviour)
      expect((await failureOf(open(config).complete(QUESTION))).message).toContain(sentence)
      if (typeof behaviour === 'object' && behaviour.raw?.startsWith('<')) continue
      const streamed = open(config).complete(QUESTION, { onText: () => {} })
      expect((await failureOf(streamed)).code).toBe('llm_unavailable')
    }
  })

  test('a caller that gives up gets its own reason', async () => {
    const [, config] = await serve({ delayMs: Number.POSITIVE_INFINITY })
    const work = open(config).complete(QUESTION, { signal: AbortSignal.abort(new Error('enough')) })
    await expect(work).rejects.toThrow('enough')
  })

  test('nobody at the address is one sentence', async () => {
    const [{ stop }, config] = await serve('')
    await stop()
    expect((await failureOf(open(config).complete(QUESTION))).message).toContain(
      'cannot be reached',
    )
  })
})

test('OpenAI itself needs a key, which is missed when it is used', async () => {
  const model = createChatModel({ provider: 'openai', model: 'large' }, {}, timers)
  expect((await failureOf(model.complete(QUESTION))).message).toContain('needs a key')
})

test("a program's own model has errors and a time limit of ours", async () => {
  const fine = adaptChatModel({ id: 'mine', complete: async ({ user }) => ({ text: user }) })
  expect(await fine.complete(QUESTION)).toMatchObject({ text: QUESTION.user, isWhole: true })
  const broken = adaptChatModel({ id: 'mine', complete: () => Promise.reject(new Error('Oh.')) })
  expect((await failureOf(broken.complete(QUESTION))).message).toBe(
    'The language model "mine" failed: Oh.',
  )
  const hanging = adaptChatModel({ id: 'mine', complete: () => new Promise(() => {}) })
  expect((await failureOf(hanging.complete(QUESTION, { timeoutMs: 20 }))).code).toBe(
    'llm_unavailable',
  )
})
