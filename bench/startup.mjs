/** Compares one `cairn` command with the minimum that Node and SQLite need. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { createCorpus } from './lib/corpus.mjs'
import { loadFile } from './lib/load.mjs'
import { median, race, round, summarise } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const PROGRAM = pathOf('../dist/cairn.cjs')
const OPEN_ONLY = pathOf('lib/open-only.cjs')
const NOTHING = pathOf('lib/nothing.mjs')
/** The default number of hits; with fewer, the query is relaxed. */
const SHOWN = 20
/** A command may take at most this many times what opening the file takes. */
const BAR = 2
/** An assistant waits for a hook, at most so long. */
const HOOK_BAR_MS = 300

const FULL = { size: 10_000, spawns: 21 }
const QUICK = { size: 2000, spawns: 7 }

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const options = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const file = join(folder, 'startup.cairn')
    say(`adding ${options.size} records`)
    const commands = await prepare(file, options.size)
    // The compiled code of this build alone, stored by the first rounds, which do not count.
    process.env.XDG_CACHE_HOME = folder
    say(`starting ${Object.keys(commands).join(', ')}`)
    return { name: 'startup', cases: await measure(file, commands, options) }
  })
}

/** The commands, with words and ids that are in the file. */
async function prepare(file, size) {
  const corpus = createCorpus()
  const { cairn, ids } = await loadFile(file, corpus.records(size))
  try {
    const { lemmas } = corpus
    const found = await findPair(
      cairn,
      lemmas,
      (answer) => !answer.query.relaxed && answer.total.value >= SHOWN,
    )
    const relaxed = await findPair(cairn, lemmas, hasRelaxedWithAllWordsKnown)
    return {
      search: ['search', found],
      'search, semantic': ['search', found, '--mode', 'semantic'],
      'search, keyword': ['search', found, '--mode', 'keyword'],
      'search, keyword, relaxed': ['search', relaxed, '--mode', 'keyword'],
      'search, keyword, unknown word': [
        'search',
        `${found.split(' ')[0]} ${misspell(found.split(' ')[1])}`,
        '--mode',
        'keyword',
      ],
      get: ['get', ids[Math.floor(size / 2)]],
      list: ['list'],
      'hook run session-start': ['hook', 'run', 'session-start', '--client', 'claude-code'],
      'hook run prompt': ['hook', 'run', 'prompt', '--client', 'claude-code'],
    }
  } finally {
    await cairn.close()
  }
}

function hasRelaxedWithAllWordsKnown({ query }) {
  return query.relaxed && query.missingTerms.length === 0
}

/** The first two adjacent words of the vocabulary, common ones first, that make such a query. */
async function findPair(cairn, lemmas, isWanted) {
  for (let i = 0; i + 1 < lemmas.length; i++) {
    const pair = `${lemmas[i]} ${lemmas[i + 1]}`
    if (isWanted(await cairn.search({ query: pair, mode: 'keyword', limit: SHOWN }))) return pair
  }
  throw new Error('no two words of the corpus make such a query')
}

/** Adds two letters: not a word of the corpus, but at edit distance 2 from one. */
function misspell(word) {
  return `${word.slice(0, -1)}qx${word.slice(-1)}`
}

async function measure(file, commands, { spawns }) {
  const input = JSON.stringify({ session_id: 'bench', prompt: commands.search[1] })
  const contenders = Object.fromEntries(
    Object.entries(commands).map(([name, words]) => [
      name,
      () => start([PROGRAM, ...words, '--db', file], isHook(words) ? input : null),
    ]),
  )
  const samples = await race(
    { node: () => start([NOTHING]), opened: () => start([OPEN_ONLY, file]), ...contenders },
    [null],
    { rounds: spawns, warmUp: 2 },
  )
  return Object.entries(commands).map(([name, words]) => ({
    case: `cairn ${name}`,
    ours: summarise(samples[name]),
    peer: { name: 'node and better-sqlite3, open and exit', ...summarise(samples.opened) },
    ratio: round(median(samples[name]) / median(samples.opened)),
    bar: isHook(words)
      ? { says: `within ${HOOK_BAR_MS} ms`, met: median(samples[name]) <= HOOK_BAR_MS }
      : {
          says: `at most ${BAR} times as long`,
          met: median(samples[name]) <= BAR * median(samples.opened),
        },
    metrics: {
      nodeMs: round(median(samples.node)),
      aboveNodeMs: round(median(samples[name]) - median(samples.node)),
    },
  }))
}

function isHook([first]) {
  return first === 'hook'
}

function start(words, input = null) {
  const { status, stderr } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(input !== null && { input }),
  })
  if (status !== 0) throw new Error(`a command failed with ${status}: ${stderr.trim()}`)
}

function pathOf(relative) {
  return fileURLToPath(new URL(relative, import.meta.url))
}
