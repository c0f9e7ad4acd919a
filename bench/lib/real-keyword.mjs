/** Measures keyword search with real questions, each asked once, on records made of real sentences. */

import { join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import { openCairn } from '../../dist/index.js'
import { bundleParts } from './bundle.mjs'
import { RARE_NAMESPACE } from './corpus.mjs'
import { fillOnce, loadFile } from './load.mjs'
import { compare, labelOf, median, memoryMB, p95, race, round, time } from './measure.mjs'
import { openRealCorpus } from './real-corpus.mjs'

const LIMIT = 10
const WARM_UP = 20
/** Whole searches and filtered ones. */
const MOST_SEARCHES = 200
/** The same page cache as Cairn. */
const CACHE_KIB = 65_536
/** How many times faster than the peer ranking must be, at the median and at p95. */
const BAR = { median: 15, p95: 10 }
const BAR_SIZE = 100_000
const BYTES_PER_MB = 1_048_576
const PARTS = ['storage/sqlite/open-sqlite', 'storage/sqlite/match', 'query/parse', 'query/steps']
const SQL = {
  peer: `SELECT rowid FROM records_ft WHERE records_ft MATCH ? ORDER BY rank LIMIT ${LIMIT}`,
  bytes: 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size',
}

/** `file` stores the records for another run, and is used as it is where it exists. */
export async function measureReal({ folder, size, questions, file, say }) {
  const corpus = openRealCorpus()
  if (corpus === null) {
    say('real questions are left out: the folder of judged sets is not there')
    return []
  }
  const label = labelOf(size)
  const path = file ?? join(folder, 'real.cairn')
  await fillOnce(path, { records: size }, async (part) => {
    say(`${label} real: adding records`)
    const { cairn } = await loadFile(part, corpus.records(size), { vectors: false })
    await cairn.close()
  })
  const tools = await bundleParts(folder, PARTS)
  const texts = corpus.questions(questions + WARM_UP)
  const asked = texts.map((text) => readQuestion(tools, text))
  const db = new Database(path, { readonly: true })
  db.pragma(`cache_size = -${CACHE_KIB}`)
  try {
    say(`${label} real: ranking`)
    const storage = openStorage(tools, path)
    const bench = { label, db, storage, asked, path, size }
    const cases = [await measureRanking(bench), await measureFilter(bench)]
    await storage.close()
    say(`${label} real: searching`)
    cases.push(await measureSearch(bench))
    return cases
  } finally {
    db.close()
  }
}

function openStorage({ openSqlite }, file) {
  return openSqlite({
    file,
    programVersion: '0.0.0',
    create: false,
    readOnly: false,
    busyTimeoutMs: 5000,
    trace: null,
    now: Date.now,
    makeId: () => '',
    decay: 1,
    reinforcement: 0,
  })
}

/** The query tree of a search for any of the words, and its FTS5 expression. */
function readQuestion({ parseQuery, planQuery, compileMatch }, text) {
  const [step] = planQuery(parseQuery(text), 'any', () => []).steps
  return { text, root: step.root, match: compileMatch(step.root, null) }
}

const rank = (storage, { root }, filter = {}) =>
  storage.rank({ root, fields: null, filter }, { limit: LIMIT, offset: 0 })

/** Searches until posting lists are used; returns the time of the first search that uses them. */
async function warmUp(storage, asked) {
  let coldMs = null
  for (const question of asked.slice(0, WARM_UP)) {
    let answer = null
    const ms = await time(async () => {
      answer = await rank(storage, question)
    })
    if (answer.rankedBy === 'postings') coldMs ??= ms
  }
  return coldMs
}

async function measureRanking({ label, db, storage, asked, size }) {
  const peer = db.prepare(SQL.peer)
  const before = process.memoryUsage().arrayBuffers
  const coldMs = await warmUp(storage, asked)
  const questions = asked.slice(WARM_UP)
  const answers = new Map()
  const cpu = { ours: [], peer: [] }
  const samples = await race(
    {
      ours: onCpu(cpu.ours, async (question) =>
        answers.set(question, await rank(storage, question)),
      ),
      peer: onCpu(cpu.peer, async (question) => peer.all(question.match)),
    },
    questions,
    { rounds: 1, warmUp: 0 },
  )
  const byPostings = questions.filter((question) => answers.get(question).rankedBy === 'postings')
  const one = compare(`${label} real questions, ranking`, {
    ...samples,
    peerName: 'FTS5 ORDER BY rank, ids only',
  })
  const ratioP95 = round(p95(samples.peer) / p95(samples.ours))
  one.metrics = {
    records: size,
    questions: questions.length,
    ratioP95,
    cpuRatio: round(median(cpu.peer) / median(cpu.ours)),
    cpuRatioP95: round(p95(cpu.peer) / p95(cpu.ours)),
    byPostings: round(byPostings.length / questions.length),
    coldMs: round(coldMs),
    listsMB: round((process.memoryUsage().arrayBuffers - before) / BYTES_PER_MB),
    memoryMB: memoryMB(),
    fileMB: Math.round(db.prepare(SQL.bytes).pluck().get() / BYTES_PER_MB),
  }
  if (size < BAR_SIZE) return one
  const says = `at least ${BAR.median} times as fast, and ${BAR.p95} times in the slowest twentieth`
  return { ...one, bar: { says, met: one.ratio >= BAR.median && ratioP95 >= BAR.p95 } }
}

/** Also measures CPU time: on a busy machine, elapsed time says more about other programs. */
function onCpu(samples, work) {
  return async (question) => {
    const start = process.cpuUsage()
    await work(question)
    const { user, system } = process.cpuUsage(start)
    samples.push(user + system)
  }
}

async function measureFilter({ label, storage, asked }) {
  const filter = { namespaces: [RARE_NAMESPACE] }
  const questions = asked.slice(WARM_UP, WARM_UP + MOST_SEARCHES)
  const samples = await race(
    {
      ours: (question) => rank(storage, question, filter),
      peer: (question) => rank(storage, question),
    },
    questions,
    // An even number: the first contender finds lists that are not in memory, and reads them for both.
    { rounds: 4, warmUp: 1 },
  )
  return compare(`${label} real questions, a filter that passes 1 %`, {
    ...samples,
    peerName: 'the same without a filter',
  })
}

/** A whole search: parsing the query, ranking, loading ten records, cutting their snippets. */
async function measureSearch({ label, db, asked, path }) {
  const cairn = await openCairn({ file: path, vectors: false })
  const peer = db.prepare(SQL.peer)
  const search = ({ text }) =>
    cairn.search({ query: text, match: 'any', mode: 'keyword', limit: LIMIT })
  try {
    for (const question of asked.slice(0, WARM_UP)) await search(question)
    const samples = await race(
      { ours: search, peer: ({ match }) => peer.all(match) },
      asked.slice(WARM_UP).slice(0, Math.min(MOST_SEARCHES, asked.length / 3)),
      { rounds: 1, warmUp: 0 },
    )
    return compare(`${label} real questions, whole searches`, {
      ...samples,
      peerName: 'FTS5 ORDER BY rank, ids only',
      metrics: { ratioP95: round(p95(samples.peer) / p95(samples.ours)) },
    })
  } finally {
    await cairn.close()
  }
}
