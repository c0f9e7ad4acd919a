/** A server gives no stranger an answer, lets no question keep it busy, and goes on after a message that is too long. */

import { request } from 'node:http'
import { join } from 'node:path'
import { LIBRARY, pause } from './lib/children.mjs'
import { startHttpServer } from './lib/http-server.mjs'
import { startServer } from './lib/mcp-client.mjs'

export const about = 'requests that try to pass the guard, to keep a server busy or to end it'
export const seconds = 60
export const tell = ({ refused, questions, slowest, stops, slowestStop }) =>
  `${refused} requests of another site refused, ${questions} expensive questions answered, the slowest after ${slowest} ms, ` +
  `${stops} stops during one, the slowest after ${slowestStop} ms`

const RECORDS = 800
const LIMIT_MS = 1000
/** What a busy machine may add, and what SQLite does before its first row. */
const SPARE_MS = 3000
/** A stop is obeyed at the next pause of a search; a busy machine may take as long again. */
const STOP_MS = 2000
const WORDS = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu'.split(' ')

export async function run({ seconds: lasting, folder, problem }) {
  const until = performance.now() + lasting * 1000
  const file = join(folder, 'servers.cairn')
  await fill(file)
  const figures = { refused: 0, questions: 0, slowest: 0, stops: 0, slowestStop: 0 }
  do {
    await tryHttp({ file, figures, problem, until })
  } while (performance.now() < until)
  await sendLongMessage(file, problem)
  return figures
}

/** Each record holds most of the words, so every question is expensive. */
async function fill(file) {
  const { openCairn } = await import(LIBRARY)
  const cairn = await openCairn({ file, vectors: false })
  const word = (n) => WORDS[Math.floor(Math.abs(Math.sin(n) * 1e4)) % WORDS.length]
  const body = (i) => Array.from({ length: 60 }, (_, k) => word(i * 61 + k)).join(' ')
  await cairn.addMany(Array.from({ length: RECORDS }, (_, i) => ({ body: `${i} ${body(i)}` })))
  await cairn.close()
}

async function tryHttp({ file, figures, problem, until }) {
  const env = { CAIRN_TIME_LIMIT_MS: `${LIMIT_MS}`, CAIRN_VECTORS: 'false' }
  const server = await startHttpServer(['serve', '--port', '0', '--db', file], env)
  const { port } = new URL(server.url)
  const origin = 'https://evil.example'
  for (const path of listSpellings(port)) {
    const { status } = await ask(port, path, { origin })
    if (status !== 403) problem(`${path} was answered with ${status} to a page of another site`)
    figures.refused += 1
  }
  for (const [name, query] of Object.entries(listQuestions())) {
    if (figures.questions > 0 && performance.now() > until) break
    const start = performance.now()
    const { status, text } = await ask(port, '/api/search', {}, { query, facets: true })
    const tookMs = Math.round(performance.now() - start)
    figures.questions += 1
    figures.slowest = Math.max(figures.slowest, tookMs)
    if (status !== 200) problem(`${name} was answered with ${status}: ${text.slice(0, 200)}`)
    else if (JSON.parse(text).degraded?.reason !== 'too_expensive')
      problem(`${name} went unnoticed`)
    if (tookMs > LIMIT_MS + SPARE_MS) problem(`${name} took ${tookMs} ms`)
  }
  await stopDuring(server, Object.values(listQuestions()), { figures, problem })
}

/** Several questions at once, so that some of them have not begun when the signal comes. */
async function stopDuring(server, queries, { figures, problem }) {
  const { port } = new URL(server.url)
  const asked = queries.map((query) =>
    ask(port, '/api/search', {}, { query, explain: figures.stops % 2 === 0 }).catch(() => null),
  )
  await pause(100 * (1 + (figures.stops % 8)))
  const start = performance.now()
  await server.close()
  const tookMs = Math.round(performance.now() - start)
  figures.stops += 1
  figures.slowestStop = Math.max(figures.slowestStop, tookMs)
  if (tookMs > STOP_MS) problem(`the server took ${tookMs} ms to stop`)
  await Promise.all(asked)
}

function listSpellings(port) {
  return [
    '/api/search?query=alpha',
    '/%61pi/search?query=alpha',
    '/x/../api/stats',
    '/x/%2e%2e/api/stats',
    '/openapi%2ejson',
    `http://127.0.0.1:${port}/api/search?query=alpha`,
  ]
}

function listQuestions() {
  const near = (first, words) =>
    `NEAR(${Array.from({ length: words }, (_, i) => WORDS[(first + 5 * i) % WORDS.length]).join(' ')}, 30)`
  const many = (times, write, by = ' ') =>
    Array.from({ length: times }, (_, i) => write(i)).join(by)
  return {
    pairs: `NEAR(${many(800, () => 'alpha beta')}, 10)`,
    nears: many(200, (i) => near(i, 8)),
    prefixes: many(200, (i) => `${WORDS[i % 12].slice(0, 1 + (i % 3))}*`),
    phrases: many(100, (i) => `"${many(20, (k) => WORDS[(i + k) % 12])}"`, ' OR '),
    refusals: `alpha ${many(100, (i) => `-${near(i, 8)}`)}`,
  }
}

function ask(port, path, headers, body) {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...type },
    }
    const sent = request(options, (response) => {
      let text = ''
      response.on('data', (part) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function sendLongMessage(file, problem) {
  const server = await startServer(file)
  const long = await server.call('remember', { text: 'x'.repeat(11 * 1024 * 1024) })
  if (!long.text.includes('at most')) problem(`a message of 11 MB was answered with ${long.text}`)
  const next = await server.call('search', { query: 'alpha' })
  if (next.isError) problem(`after a long message: ${next.text}`)
  await server.close()
}
