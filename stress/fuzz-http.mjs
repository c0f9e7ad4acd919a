/** Whatever a program sends to the HTTP interface, it answers with an answer or a reason, and never with a fault. */

import { join } from 'node:path'
import { tellInputs, tryInputs } from './lib/fuzz.mjs'
import { startHttpServer } from './lib/http-server.mjs'
import { mutateBytes, mutateValue } from './lib/mutate.mjs'

export const about =
  'paths, parameters and bodies of the HTTP interface that no program should send'
export const seconds = 30
export const tell = (figures) => tellInputs((key) => figures[key])

/** A request that was refused must leave nothing behind that keeps the process alive. */
const STOP_MS = 5000
const ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const REQUESTS = [
  ['GET', '/api/search?query=apple&limit=3', null],
  ['POST', '/api/search', { query: 'apple', mode: 'semantic', facets: true }],
  ['GET', '/api/records?limit=5', null],
  ['POST', '/api/records', { body: 'An apple in the harbour.', tags: ['fruit'] }],
  ['GET', `/api/records/${ID}`, null],
  ['PATCH', `/api/records/${ID}`, { body: 'changed' }],
  ['DELETE', `/api/records/${ID}`, null],
  ['POST', '/api/links', { from: ID, to: ID, type: 'CITES' }],
  ['POST', '/api/facts', { record: ID, subject: 'a', predicate: 'b', object: 'c' }],
  ['POST', '/api/sessions', { title: 'a talk' }],
  ['POST', '/api/works', { works: [{ title: 'A work', doi: '10.1000/1' }] }],
  ['POST', '/api/import?name=notes.jsonl', { id: 'a', body: 'An apple.', tags: ['fruit'] }],
  ['GET', '/api/timeline?since=7d', null],
  ['GET', '/openapi.json', null],
  ['GET', '/', null],
]

export async function run({ seconds: lasting, seed, folder, problem }) {
  const server = await startHttpServer(['serve', '--port', '0', '--db', join(folder, 'http.cairn')])
  if (server === null) return { skipped: 'there is no `cairn serve` here' }
  const { origin } = new URL(server.url)
  const figures = await tryInputs({
    seconds: lasting,
    seed,
    problem,
    inputs: brokenRequest,
    tryOne: async ({ method, path, body }) => {
      const response = await fetch(new URL(path, origin), {
        method,
        signal: AbortSignal.timeout(60_000),
        ...(body === null ? {} : { body, headers: { 'content-type': 'application/json' } }),
      })
      const answer = await response.text()
      // 503 and 507 are refusals with a code: a model, a file or a disk that is not there.
      if (response.status === 500) throw new Error(`${response.status} ${answer.slice(0, 300)}`)
    },
  })
  if (server.child.exitCode !== null) problem(`the server ended: ${server.errors().slice(-500)}`)
  const start = performance.now()
  await server.close()
  const tookMs = Math.round(performance.now() - start)
  if (tookMs > STOP_MS) problem(`the server took ${tookMs} ms to stop`)
  return figures
}

function brokenRequest(chance) {
  const [method, path, body] = chance.pick(REQUESTS)
  const isPathBroken = chance.share() < 0.4
  // What no program can send, since an address is made of other characters.
  const broken = mutateBytes(Buffer.from(path.slice(1)), chance).toString()
  const sent = body === null ? null : JSON.stringify(mutateValue(body, chance))
  return {
    method: chance.share() < 0.9 ? method : chance.pick(['PUT', 'OPTIONS', 'DELETE', 'PATCH']),
    path: isPathBroken ? `/${encodeURI(broken.toWellFormed())}`.replace(/\/+/g, '/') : path,
    body: sent === undefined || method === 'GET' ? null : sent,
  }
}
