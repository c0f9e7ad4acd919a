/** Measures the time of a search by phase, with posting lists and with SQL alone. */

import { rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { createCorpus } from './lib/corpus.mjs'
import { fillOnce, loadFile } from './lib/load.mjs'
import { labelOf, round, time } from './lib/measure.mjs'
import { openRealCorpus } from './lib/real-corpus.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const DIST = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist')
const EXTERNAL = ['better-sqlite3', 'onnxruntime-node', '@huggingface/tokenizers', 'unpdf', 'yaml']
/** SQL alone ranks keyword matches, as where the posting lists cannot be read. */
const SQL_ALONE = 'export const createPostingsText = (db, statements, sql) => sql'
const SAMPLE_MICROSECONDS = 200
const WARM_UP = 20
const BAR_WIDTH = 40

/** A sample belongs to the phase of the innermost function on its stack that is listed here. */
const PHASES = {
  'keyword ranking': ['rank', 'rankPage', 'rankRows'],
  'word pairs': ['scoreRows'],
  'word weights': ['weigh'],
  'nearest vectors': ['findRows', 'similarities'],
  'signals of candidates': ['describeCandidates', 'findStale'],
  'query embedding': ['embedSync', 'embed', 'embedQuery'],
  fusion: ['rankCandidates'],
  'garbage collector': ['(garbage collector)'],
}
const OTHER = 'parsing, loading, other'

const FULL = { size: 100_000, questions: 300 }
const QUICK = { size: 2000, questions: 60 }

export async function run({ quick = false, say = () => {}, records, file } = {}) {
  const options = { ...(quick ? QUICK : FULL), ...(records && { size: records }) }
  return withTempFolder(async (folder) => {
    const corpus = openRealCorpus() ?? createCorpus()
    const path = file ?? join(folder, 'profile.cairn')
    await fillOnce(path, { records: options.size }, async (part) => {
      say(`adding ${options.size} records`)
      const { cairn } = await loadFile(part, corpus.records(options.size))
      await cairn.close()
    })
    const questions = corpus.questions(options.questions + WARM_UP)
    const cases = []
    for (const mode of ['keyword', 'hybrid']) {
      const label = `${labelOf(options.size)} ${mode}`
      for (const [name, replaced] of [
        ['before', true],
        ['after', false],
      ]) {
        say(`${label}, ${name}`)
        const { openCairn } = await load(name, replaced)
        const cairn = await openCairn({ file: path, vectors: mode === 'hybrid' })
        const one = await profile(cairn, questions, mode)
        await cairn.close()
        say(renderBars(`${label}, ${name}`, one))
        cases.push({ case: `${label}, ${name}`, metrics: one })
      }
    }
    return { name: 'profile', cases }
  })
}

async function load(name, isReplaced) {
  const outfile = join(DIST, `profile-${name}.mjs`)
  try {
    await build({
      entryPoints: [join(DIST, '..', 'src', 'index.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: EXTERNAL,
      logLevel: 'error',
      plugins: isReplaced ? [withoutLists] : [],
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}

const withoutLists = {
  name: 'without-lists',
  setup(made) {
    const filter = /postings\/postings-text\.js$/
    made.onResolve({ filter }, () => ({ path: 'sql-alone', namespace: 'replaced' }))
    made.onLoad({ filter: /./, namespace: 'replaced' }, () => ({ contents: SQL_ALONE }))
  },
}

/** Milliseconds per search, by phase. */
async function profile(cairn, questions, mode) {
  const search = (query) => cairn.search({ query, mode, match: 'any', limit: 10 })
  for (const question of questions.slice(0, WARM_UP)) await search(question)
  const asked = questions.slice(WARM_UP)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS })
  await session.post('Profiler.start')
  const total = await time(async () => {
    for (const question of asked) await search(question)
  })
  const { profile: taken } = await session.post('Profiler.stop')
  session.disconnect()
  const shares = sharesOf(taken)
  const perSearch = total / asked.length
  const phases = Object.entries(shares).map(([name, share]) => [name, round(share * perSearch)])
  return { totalMs: round(perSearch), ...Object.fromEntries(phases) }
}

function sharesOf({ nodes, samples, timeDeltas }) {
  const parents = new Map()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id)
  const phases = new Map(
    Object.entries(PHASES).flatMap(([phase, names]) => names.map((name) => [name, phase])),
  )
  const sums = Object.fromEntries([...Object.keys(PHASES), OTHER].map((phase) => [phase, 0]))
  let total = 0
  for (const [i, sample] of samples.entries()) {
    let phase
    const own = byId.get(sample).callFrame.functionName
    if (own === '(idle)') continue
    for (let id = sample; phase === undefined && id !== undefined; id = parents.get(id)) {
      phase = phases.get(byId.get(id).callFrame.functionName)
    }
    sums[phase ?? OTHER] += timeDeltas[i]
    total += timeDeltas[i]
  }
  return Object.fromEntries(Object.entries(sums).map(([phase, sum]) => [phase, sum / total]))
}

function renderBars(title, { totalMs, ...phases }) {
  const lines = Object.entries(phases).map(([name, ms]) => {
    const bar = '█'.repeat(Math.round((ms / totalMs) * BAR_WIDTH))
    return `  ${name.padEnd(22)} ${String(ms).padStart(7)} ${bar}`
  })
  return [`${title}: ${totalMs} ms a search`, ...lines].join('\n')
}
