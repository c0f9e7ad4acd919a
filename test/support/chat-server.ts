/** A language model on this machine that speaks the protocols of Ollama and OpenAI over real HTTP, and does what a test says. */

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { ChatConfig } from '../../src/index.js'

export type ChatAsked = {
  readonly protocol: 'ollama' | 'openai'
  readonly system: string
  readonly user: string
  readonly isStream: boolean
  /** The JSON schema that was asked for. */
  readonly schema: unknown
  readonly authorization: string | undefined
  readonly body: Record<string, unknown>
}

/** What the model does with one request. A text is a reply that is sent well. */
export type Behaviour =
  | string
  | {
      readonly text?: string
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      /** Instead of the body that the protocol has. */
      readonly raw?: string
      /** Waits so long before it answers; `Infinity`: for ever. */
      readonly delayMs?: number
      /** A stream arrives in pieces of so many bytes, split wherever that is. */
      readonly pieceBytes?: number
      /** The connection is lost after so many bytes. */
      readonly cutAfterBytes?: number
      /** The reply ends because it is too long. */
      readonly isLong?: boolean
    }

export type ChatServer = {
  readonly asked: ChatAsked[]
  readonly baseUrl: string
  /** For `openCairn({ llm })`. */
  readonly ollama: ChatConfig
  readonly openai: ChatConfig
  /** How many requests were given up by the client. */
  readonly hangUps: () => number
  readonly stop: () => Promise<void>
}

const TOKENS = { prompt: 120, reply: 24 }

/** `behave` gets each request; a list is worked off in turn, and its last one stays. */
export async function serveChat(
  behave: ((asked: ChatAsked) => Behaviour) | readonly Behaviour[],
): Promise<ChatServer> {
  const asked: ChatAsked[] = []
  let hangUps = 0
  const choose = (one: ChatAsked): Behaviour =>
    typeof behave === 'function' ? behave(one) : (behave[asked.length - 1] ?? behave.at(-1) ?? '')
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const one = readRequest(request.url ?? '', request.headers.authorization, JSON.parse(text))
    asked.push(one)
    response.once('close', () => {
      if (!response.writableEnded) hangUps += 1
    })
    await reply(response, one, choose(one)).catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const stop = () =>
    new Promise<void>((done) => {
      server.closeAllConnections()
      server.close(() => done())
    })
  onTestFinished(stop)
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    asked,
    baseUrl,
    ollama: { provider: 'ollama', model: 'tiny', baseUrl },
    hangUps: () => hangUps,
    openai: { provider: 'openai', model: 'tiny', baseUrl: `${baseUrl}/v1` },
    stop,
  }
}

type Body = Record<string, unknown> & { readonly messages: { role: string; content: string }[] }

function readRequest(url: string, authorization: string | undefined, body: Body): ChatAsked {
  const protocol = url === '/api/chat' ? 'ollama' : 'openai'
  if (protocol === 'openai' && url !== '/v1/chat/completions') throw new Error(`no path ${url}`)
  const read = (role: string) => body.messages.find((one) => one.role === role)?.content ?? ''
  const format = body.response_format as { json_schema: { schema: unknown } } | undefined
  return {
    protocol,
    system: read('system'),
    user: read('user'),
    isStream: body.stream === true,
    schema: protocol === 'ollama' ? body.format : format?.json_schema.schema,
    authorization,
    body,
  }
}

async function reply(response: ServerResponse, asked: ChatAsked, behaviour: Behaviour) {
  const does = typeof behaviour === 'string' ? { text: behaviour } : behaviour
  const { status = 200, headers = {}, delayMs = 0, pieceBytes = 64, cutAfterBytes } = does
  if (delayMs === Number.POSITIVE_INFINITY) return
  if (delayMs > 0) await wait(delayMs)
  const isFine = status === 200
  const written = isFine ? writeReply(asked, does.text ?? '', does.isLong ?? false) : '{}'
  const bytes = Buffer.from(does.raw ?? written)
  const isStream = asked.isStream && isFine
  const type = asked.protocol === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'
  response.writeHead(status, { 'content-type': isStream ? type : 'application/json', ...headers })
  const end = Math.min(cutAfterBytes ?? bytes.length, bytes.length)
  const step = isStream ? pieceBytes : bytes.length
  for (let at = 0; at < end; at += step) {
    response.write(bytes.subarray(at, Math.min(at + step, end)))
    if (isStream) await new Promise((done) => setImmediate(done))
  }
  if (cutAfterBytes === undefined) response.end()
  else response.destroy()
}

function writeReply({ protocol, isStream }: ChatAsked, text: string, isLong: boolean): string {
  const end = isLong ? 'length' : 'stop'
  // Three UTF-16 units a piece: surrogate pairs are split too.
  const pieces = isStream ? (text.match(/[\s\S]{1,3}/g) ?? []) : [text]
  if (protocol === 'ollama') {
    const last = { done_reason: end, prompt_eval_count: TOKENS.prompt, eval_count: TOKENS.reply }
    const message = (content: string) => ({ message: { role: 'assistant', content } })
    if (!isStream) return JSON.stringify({ ...message(text), done: true, ...last })
    const lines = pieces.map((piece) => ({ ...message(piece), done: false }))
    const all = [...lines, { ...message(''), done: true, ...last }]
    return all.map((line) => `${JSON.stringify(line)}\n`).join('')
  }
  const usage = { prompt_tokens: TOKENS.prompt, completion_tokens: TOKENS.reply }
  if (!isStream) {
    const message = { role: 'assistant', content: text }
    return JSON.stringify({ choices: [{ index: 0, message, finish_reason: end }], usage })
  }
  const events = [
    ...pieces.map((content) => ({ choices: [{ delta: { content }, finish_reason: null }] })),
    { choices: [{ delta: {}, finish_reason: end }] },
    { choices: [], usage },
  ]
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`)
  return `: a comment\r\n\r\n${lines.join('')}data: [DONE]\r\n\r\n`
}
