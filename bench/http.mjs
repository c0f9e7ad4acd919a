/** Measures searches per second of the server, and the longest wait while another client imports. */

import { Agent } from 'node:http'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { send, start } from './lib/clients.mjs'
import { createCorpus } from './lib/corpus.mjs'
import { loadFile } from './lib/load.mjs'
import { compare, quantile, round } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const SERVER = fileURLToPath(new URL('lib/http-server.mjs', import.meta.url))
const PEER = 'bare Hono handler, same call'
/** Checks, headers and routes may cost at most as much as the search itself. */
const BAR = 0.5
const BAR_WAIT_MS = 1000
const CLIENTS = 50

const FULL = { size: 50_000, questions: 500, seconds: 4, rounds: 4, imported: 5000 }
const QUICK = { size: 2000, questions: 100, seconds: 1, rounds: 2, imported: 300 }

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const plan = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const file = join(folder, 'http.cairn')
    say(`adding ${plan.size} records`)
    const corpus = createCorpus()
    const { cairn } = await loadFile(file, corpus.records(plan.size))
    await cairn.close()
    const questions = corpus.questions(plan.questions).map((one) => one.text ?? one)
    const server = await start([SERVER, file])
    try {
      say('asking')
      const searches = await searchBoth(server, questions, plan)
      say('asking while another imports')
      const crowd = await searchWhileImporting(server.ours, questions, plan)
      return { name: 'http', cases: [searches, crowd] }
    } finally {
      await server.stop()
    }
  })
}

/** In turns of some seconds, so that load on the machine affects both. */
async function searchBoth(ports, questions, { size, seconds, rounds }) {
  const contenders = {
    ours: { port: ports.ours, path: '/api/search' },
    peer: { port: ports.bare, path: '/search' },
  }
  const samples = { ours: [], peer: [] }
  const rates = { ours: [], peer: [] }
  for (let i = -1; i < rounds; i++) {
    const names = i % 2 === 0 ? ['ours', 'peer'] : ['peer', 'ours']
    for (const name of names) {
      const { waits, failures, ms } = await askFor(contenders[name], questions, seconds * 1000)
      if (failures > 0) throw new Error(`${failures} searches failed`)
      if (i < 0) continue
      samples[name].push(...waits)
      rates[name].push((waits.length / ms) * 1000)
    }
  }
  const [ours, peer] = [mean(rates.ours), mean(rates.peer)]
  const one = compare(`search, ${CLIENTS} clients, ${size} records`, { ...samples, peerName: PEER })
  Object.assign(one.metrics, {
    perSecond: round(ours),
    peerPerSecond: round(peer),
    p99Ms: round(quantile(samples.ours, 0.99)),
    peerP99Ms: round(quantile(samples.peer, 0.99)),
    share: round(ours / peer),
  })
  one.bar = { says: `at least ${BAR * 100} % of the searches a second`, met: ours / peer >= BAR }
  return one
}

async function searchWhileImporting(port, questions, { imported }) {
  const lines = [...createCorpus(7).records(imported)].map((record) => JSON.stringify(record))
  const started = performance.now()
  let isDone = false
  const importing = send({
    port,
    path: '/api/import?name=more.jsonl',
    body: lines.join('\n'),
    headers: { 'content-type': 'application/octet-stream' },
  }).finally(() => {
    isDone = true
  })
  const { waits, failures } = await ask({ port, path: '/api/search' }, questions, () => isDone)
  const { status, text } = await importing
  if (status !== 200) throw new Error(`the import failed: ${text}`)
  const longest = Math.max(...waits)
  return {
    case: `search, ${CLIENTS} clients, while another imports ${imported} records`,
    ours: { medianMs: round(quantile(waits, 0.5)), p95Ms: round(quantile(waits, 0.95)) },
    peer: null,
    ratio: null,
    bar: {
      says: `nobody is refused or waits ${BAR_WAIT_MS} ms`,
      met: failures === 0 && longest < BAR_WAIT_MS,
    },
    metrics: {
      searches: waits.length,
      failures,
      p99Ms: round(quantile(waits, 0.99)),
      longestMs: round(longest),
      importSeconds: round((performance.now() - started) / 1000),
    },
  }
}

async function askFor(at, questions, forMs) {
  const end = performance.now() + forMs
  const started = performance.now()
  const asked = await ask(at, questions, () => performance.now() >= end)
  return { ...asked, ms: performance.now() - started }
}

/** Many clients, each with its own connection, that send the next request as soon as they are answered. */
async function ask({ port, path }, questions, isOver) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const waits = []
  let failures = 0
  let next = 0
  const client = async () => {
    while (!isOver()) {
      const query = questions[next++ % questions.length]
      const started = performance.now()
      const { status } = await send({ port, path, agent, body: { query } })
      waits.push(performance.now() - started)
      if (status !== 200) failures++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  agent.destroy()
  return { waits, failures }
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
