/** Measures how long an agent waits for the handshake, for the first search, and for a search when all is warm. */

import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openCairn } from '../dist/index.js'
import { createCorpus } from './lib/corpus.mjs'
import { loadFile } from './lib/load.mjs'
import { median, race, round, summarise } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const PROGRAM = pathOf('../dist/cairn.cjs')
const NOTHING = pathOf('lib/nothing.mjs')
/** A client starts its servers one after the other, and a person waits for it. */
const BAR = 2
/** What the protocol may cost, compared with the same search in the library. */
const SEARCH_BAR = 1.5

const FULL = { size: 10_000, spawns: 21, searches: 400 }
const QUICK = { size: 1000, spawns: 5, searches: 40 }
const WARM_UP = 40

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
}
const INITIALIZED = { method: 'notifications/initialized' }
const LIST = { id: 2, method: 'tools/list' }

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const { size, spawns, searches } = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const file = join(folder, 'mcp.cairn')
    say(`adding ${size} records`)
    const corpus = createCorpus()
    const { cairn } = await loadFile(file, corpus.records(size))
    await cairn.close()
    const search = callOf('search', { query: corpus.lemmas.slice(0, 2).join(' '), recall: false })
    // The compiled code of this build alone, stored by the server that ends here: later starts use it.
    process.env.XDG_CACHE_HOME = folder
    say('searching')
    const warm = await searchByTurns(file, corpus.questions(WARM_UP + searches))
    say('starting servers')
    const samples = await race(
      {
        node: () => void spawnSync(process.execPath, [NOTHING]),
        handshake: () => talk(file, [LIST]),
        answer: () => talk(file, [LIST, search]),
      },
      [null],
      { rounds: spawns, warmUp: 2 },
    )
    const node = { name: 'node, start and exit', samples: samples.node }
    const library = { name: 'the library', samples: warm.library }
    return {
      name: 'mcp',
      cases: [
        caseOf('spawn to initialize and tools/list answered', samples.handshake, node, BAR),
        caseOf('spawn to the first search answered', samples.answer, node),
        caseOf('a search, with its recall logged', warm.mcp, library, SEARCH_BAR),
      ],
    }
  })
}

/** Each question once, so that no answer comes from a cache. */
async function searchByTurns(file, questions) {
  const cairn = await openCairn({ file, create: false })
  const client = new Client({ name: 'bench', version: '1' })
  const args = [PROGRAM, 'mcp', '--db', file]
  const server = { command: process.execPath, args, env: { ...process.env } }
  await client.connect(new StdioClientTransport(server))
  const contenders = {
    library: (query) => cairn.search(query),
    mcp: async (query) => {
      const { isError, content } = await client.callTool({ name: 'search', arguments: { query } })
      if (isError) throw new Error(content[0].text)
    },
  }
  try {
    const once = { rounds: 1, warmUp: 0 }
    await race(contenders, questions.slice(0, WARM_UP), once)
    return await race(contenders, questions.slice(WARM_UP), once)
  } finally {
    await client.close()
    await cairn.close()
  }
}

function caseOf(name, ours, { name: peer, samples }, bar) {
  const ratio = median(ours) / median(samples)
  return {
    case: name,
    ours: summarise(ours),
    peer: { name: peer, ...summarise(samples) },
    ratio: round(ratio),
    ...(bar !== undefined && { bar: { says: `at most ${bar} times as long`, met: ratio <= bar } }),
    metrics: {},
  }
}

function callOf(name, args) {
  return { id: 3, method: 'tools/call', params: { name, arguments: args } }
}

/** Starts a server, sends one request after the other, and ends it after the last answer. */
async function talk(file, requests) {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', '--db', file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const waiting = [INITIALIZE, ...requests]
  send(INITIALIZE)
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = JSON.parse(line)
    if (answer.error !== undefined || answer.id !== waiting.shift()?.id) {
      throw new Error(`an unexpected answer: ${line.slice(0, 200)}`)
    }
    if (answer.id === INITIALIZE.id) send(INITIALIZED)
    if (waiting[0] === undefined) break
    send(waiting[0])
  }
  // The client has its answer, so nothing later is measured.
  child.kill('SIGKILL')
}

function pathOf(relative) {
  return fileURLToPath(new URL(relative, import.meta.url))
}
