/** Two hundred clients search and write without a pause: how many are served, how long they wait, and whether memory stays. */

import { Agent } from 'node:http'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { send, serveCairn, start } from './lib/clients.mjs'
import { createCorpus } from './lib/corpus.mjs'
import { loadFile } from './lib/load.mjs'
import { compare, median, quantile, round } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const FLOOR = fileURLToPath(new URL('lib/fts-server.mjs', import.meta.url))
const PEER = 'bare Hono handler, one FTS5 query'
const SCHEMA = 'cairn_load'
const BYTES_PER_MB = 1_048_576
const SAMPLE_MS = 500
/** The caches fill up and the code is compiled in the first part. */
const WARM_UP_SHARE = 0.25
/** What was written meanwhile takes memory too: its vectors and words are searched there. */
const MOST_GROWTH = 1.2

const FULL = { records: 20_000, clients: 200, seconds: 120 }
const QUICK = { records: 2000, clients: 200, seconds: 8 }

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const plan = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const file = join(folder, 'floor.db')
    say(`the floor: ${plan.clients} clients for ${plan.seconds} seconds`)
    const floor = await start([FLOOR, file, String(plan.records)])
    const peer = await measure(floor, searchPlainly, plan).finally(floor.stop)
    const cases = [await measureCairn('SQLite', join(folder, 'load.cairn'), { plan, peer, say })]
    const database = process.env.CAIRN_TEST_POSTGRES
    if (!database) say('PostgreSQL is left out: CAIRN_TEST_POSTGRES names no server')
    else {
      const measureThere = (address) => measureCairn('PostgreSQL', address, { plan, peer, say })
      cases.push(await withSchema(database, measureThere))
    }
    return { name: 'load', cases }
  })
}

async function withSchema(database, work) {
  const client = new pg.Client(database)
  await client.connect()
  const drop = () => client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
  await drop()
  try {
    return await work(`${database}?schema=${SCHEMA}`)
  } finally {
    await drop()
    await client.end()
  }
}

async function measureCairn(backend, address, { plan, peer, say }) {
  const { records, clients, seconds } = plan
  say(`${backend}: adding ${records} records`)
  const { cairn } = await loadFile(address, createCorpus().records(records))
  await cairn.optimize()
  await cairn.close()
  say(`${backend}: ${clients} clients for ${seconds} seconds`)
  const server = await serveCairn(address)
  const ours = await measure(server, searchAndWrite, plan).finally(server.stop)
  const { search, write } = ours.waits
  const label = `${clients} clients, ${backend}, ${records} records`
  const one = compare(label, { ours: search, peer: peer.waits.search, peerName: PEER })
  const growth = ours.memory.end / ours.memory.warm
  Object.assign(one.metrics, {
    perSecond: round(ours.perSecond),
    peerPerSecond: round(peer.perSecond),
    p99Ms: round(quantile(search, 0.99)),
    peerP99Ms: round(quantile(peer.waits.search, 0.99)),
    writesPerSecond: round(write.length / seconds),
    writeMs: round(median(write)),
    writeP95Ms: round(quantile(write, 0.95)),
    writeP99Ms: round(quantile(write, 0.99)),
    failures: ours.failures + peer.failures,
    memoryMB: round(ours.memory.warm),
    memoryMBLast: round(ours.memory.end),
  })
  one.bar = {
    says: `nothing fails, and memory grows by at most ${Math.round((MOST_GROWTH - 1) * 100)} %`,
    met: one.metrics.failures === 0 && growth <= MOST_GROWTH,
  }
  return one
}

/** Each client has its own connection and sends the next request as soon as it is answered. */
async function measure(server, act, { clients, seconds }) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const questions = createCorpus().questions(2000)
  const waits = { search: [], write: [] }
  const samples = []
  let failures = 0
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  const ask = async (kind, path, body, method) => {
    const sentMs = performance.now()
    try {
      const { status, text } = await send({ port: server.port, path, body, method, agent })
      if (status === 200) return JSON.parse(text)
      failures += 1
    } catch {
      failures += 1
    } finally {
      waits[kind].push(performance.now() - sentMs)
    }
    return null
  }
  const client = async (number) => {
    for (let i = number; performance.now() < endMs; i += clients) {
      await act(ask, i, questions)
    }
  }
  const watch = setInterval(async () => {
    const megabytes = await readMemory(server)
    if (megabytes !== null) samples.push({ ms: performance.now() - startMs, megabytes })
  }, SAMPLE_MS)
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  clearInterval(watch)
  const tookMs = performance.now() - startMs
  agent.destroy()
  const isWarm = ({ ms }) => ms >= tookMs * WARM_UP_SHARE
  const warm = samples.filter(isWarm).map(({ megabytes }) => megabytes)
  const part = Math.ceil(warm.length / 4)
  return {
    waits,
    failures,
    perSecond: ((waits.search.length + waits.write.length) / tookMs) * 1000,
    memory: { warm: median(warm.slice(0, part)), end: median(warm.slice(-part)) },
  }
}

/** On a connection of its own; null where the server has no figures. */
async function readMemory({ port }) {
  const { status, text } = await send({ port, path: '/metrics' }).catch(() => ({ status: 0 }))
  if (status !== 200) return null
  return Number(/^cairn_process_resident_bytes (\d+)/m.exec(text)?.[1]) / BYTES_PER_MB
}

async function searchPlainly(ask, i, questions) {
  await ask('search', '/search', { query: questions[i % questions.length] })
}

/** Of ten requests, one adds a record, one edits it, and eight search: by words and vectors, by words alone, and in one topic. */
async function searchAndWrite(ask, i, questions) {
  const question = (more) => questions[(i * 8 + more) % questions.length]
  const search = (options) => ask('search', '/api/search', options)
  const added = await ask('write', '/api/records', { body: `Note ${i}: ${question(0)}` })
  for (let more = 0; more < 4; more += 1) await search({ query: question(more) })
  if (added !== null) {
    const path = `/api/records/${added.id}`
    await ask('write', path, { title: `Note ${i}`, tags: ['load'] }, 'PATCH')
  }
  for (let more = 4; more < 7; more += 1) {
    await search({ query: question(more), mode: 'keyword' })
  }
  await search({ query: question(7), tags: [`topic-${i % 250}`] })
}
