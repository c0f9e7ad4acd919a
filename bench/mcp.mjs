/** Measures how long an agent waits for the handshake and for the first search. */

import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createCorpus } from './lib/corpus.mjs'
import { loadFile } from './lib/load.mjs'
import { median, race, round, summarise } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const PROGRAM = pathOf('../dist/cairn.cjs')
const NOTHING = pathOf('lib/nothing.mjs')
/** A client starts its servers one after the other, and a person waits for it. */
const BAR = 2

const FULL = { size: 10_000, spawns: 21 }
const QUICK = { size: 1000, spawns: 5 }

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
  const { size, spawns } = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const file = join(folder, 'mcp.cairn')
    say(`adding ${size} records`)
    const corpus = createCorpus()
    const { cairn } = await loadFile(file, corpus.records(size))
    await cairn.close()
    const search = callOf('search', { query: corpus.lemmas.slice(0, 2).join(' '), recall: false })
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
    return {
      name: 'mcp',
      cases: [
        {
          ...caseOf('spawn to initialize and tools/list answered', samples.handshake, samples.node),
          bar: {
            says: `at most ${BAR} times as long`,
            met: median(samples.handshake) <= BAR * median(samples.node),
          },
        },
        caseOf('spawn to the first search answered', samples.answer, samples.node),
      ],
    }
  })
}

function caseOf(name, ours, node) {
  return {
    case: name,
    ours: summarise(ours),
    peer: { name: 'node, start and exit', ...summarise(node) },
    ratio: round(median(ours) / median(node)),
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
