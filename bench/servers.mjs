/** Two servers on one PostgreSQL: fifty clients write through one and search through the other; nothing is lost or stale. */

import { Agent } from 'node:http'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import pg from 'pg'
import { send as sendTo, serveCairn } from './lib/clients.mjs'
import { createCorpus } from './lib/corpus.mjs'
import { loadFile } from './lib/load.mjs'
import { quantile, round } from './lib/measure.mjs'

const SCHEMA = 'cairn_servers'
/** Of five requests of a client, one writes. */
const SEARCHES_PER_WRITE = 4
const FULL = { records: 20_000, clients: 50, seconds: 60 }
const QUICK = { records: 500, clients: 10, seconds: 5 }

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const server = process.env.CAIRN_TEST_POSTGRES
  if (!server) {
    say('left out: CAIRN_TEST_POSTGRES names no server')
    return { name: 'servers', cases: [] }
  }
  const plan = { ...(quick ? QUICK : FULL), ...given }
  const client = new pg.Client(server)
  await client.connect()
  const drop = () => client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
  await drop()
  const address = `${server}?schema=${SCHEMA}`
  say(`adding ${plan.records} records`)
  const corpus = createCorpus()
  const { cairn } = await loadFile(address, corpus.records(plan.records))
  await cairn.optimize()
  await cairn.close()
  const servers = [await serveCairn(address), await serveCairn(address)]
  try {
    say(`${plan.clients} clients for ${plan.seconds} seconds`)
    const questions = corpus.questions(200).map((one) => one.text ?? one)
    return { name: 'servers', cases: [await measure(servers, questions, plan)] }
  } finally {
    for (const { stop } of servers) await stop()
    await drop()
    await client.end()
  }
}

async function measure(servers, questions, { clients, seconds, records }) {
  const waits = { search: [], write: [] }
  const tally = { failures: 0, stale: 0, lost: 0 }
  const endMs = performance.now() + seconds * 1000
  const agent = new Agent({ keepAlive: true })
  const send = async (kind, at, body) => {
    const start = performance.now()
    const path = kind === 'write' ? '/api/records' : '/api/search'
    const { status, text } = await sendTo({ port: servers[at].port, path, body, agent })
    waits[kind].push(performance.now() - start)
    if (status !== 200) tally.failures += 1
    return JSON.parse(text)
  }
  /** The word of a client is in what it wrote and nowhere else, so the total of a search tells what is missing. */
  const countOwn = async (at, word) => {
    const { total } = await send('search', at, {
      query: word,
      mode: 'keyword',
      limit: 1,
    })
    return total?.value
  }
  const act = async (number) => {
    const word = `zq${number.toString(36)}xq`
    let written = 0
    for (let i = number; performance.now() < endMs; i++) {
      const at = i % 2
      await send('write', at, {
        body: `${word} note ${i} of client ${number}: ${questions[i % questions.length]}`,
      })
      written += 1
      if ((await countOwn(1 - at, word)) !== written) tally.stale += 1
      for (let more = 1; more < SEARCHES_PER_WRITE; more++) {
        const query = questions[(i * SEARCHES_PER_WRITE + more) % questions.length]
        await send('search', more % 2, { query })
      }
    }
    tally.lost += written - (await countOwn(0, word))
  }
  const startMs = performance.now()
  await Promise.all(Array.from({ length: clients }, (_, number) => act(number)))
  const ms = performance.now() - startMs
  agent.destroy()
  const perSecond = (list) => round((list.length / ms) * 1000)
  return {
    case: `${clients} clients, two servers, ${records} records`,
    ours: {
      medianMs: round(quantile(waits.search, 0.5)),
      p95Ms: round(quantile(waits.search, 0.95)),
    },
    peer: null,
    ratio: null,
    bar: {
      says: 'no write is lost, no answer is stale, nothing fails',
      met: Object.values(tally).every((count) => count === 0),
    },
    metrics: {
      searchesPerSecond: perSecond(waits.search),
      writesPerSecond: perSecond(waits.write),
      writeMs: round(quantile(waits.write, 0.5)),
      p99Ms: round(quantile(waits.search, 0.99)),
      ...tally,
    },
  }
}
