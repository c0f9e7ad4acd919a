/** Compares hybrid search with the pipeline most people write, on the same texts and model. */

import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCairn } from '../dist/index.js'
import { bundleParts } from './lib/bundle.mjs'
import { createCorpus } from './lib/corpus.mjs'
import { fill, open, name as PEER } from './lib/engines/sqlite-vec.mjs'
import { measureFirst } from './lib/first-search.mjs'
import { documentsByText, readJudged, textOf } from './lib/judged.mjs'
import { fillOnce, loadFile } from './lib/load.mjs'
import { compare, labelOf, race, round, time } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MODEL = join(ROOT, 'models', 'cairn-static-v2')
const LIMIT = 10
/** How many times faster than the peer Cairn must be, from how many records on; the largest first. */
const BARS = [
  { records: 1_000_000, times: 10 },
  { records: 100_000, times: 5 },
]
/** Part of a first search is a fixed cost, so it is converted to a number of records only where there are many. */
const COLD_SIZE = 100_000
/** A first search reads all vectors, so its time is reported for this many records. */
const COLD_RECORDS = 250_000
/** What the first search of a process may take beside `COLD_SIZE` records, opening the file included. */
const COLD_BAR_MS = 150
const BYTES_PER_MB = 1_048_576

const FULL = { sizes: [10_000, 100_000], questions: 60, judged: 100, rounds: 2, starts: 3 }
const QUICK = { sizes: [2000], questions: 20, judged: 40, rounds: 2, starts: 1 }
/** With a million records the peer takes seconds for each query. */
const LARGE = { questions: 30, judged: 80, rounds: 1, starts: 3 }
const LARGE_SIZE = 500_000

/**
 * Sizes are numbers of generated records; the documents of the judged sets come on top.
 * @param records one size instead of the usual ones
 * @param file stores that size for another run, with the peer's file beside it; used as it is where it exists
 */
export async function run({ quick = false, say = () => {}, records, file, ...given } = {}) {
  const options = { ...(quick ? QUICK : FULL), ...given }
  const sizes = records === undefined ? options.sizes : [records]
  return withTempFolder(async (folder) => {
    const tools = await bundleTools(folder)
    const cases = []
    for (const size of sizes) {
      const sized = { ...options, ...(size >= LARGE_SIZE && LARGE) }
      const judged = await readJudged(tools, sized.judged)
      if (judged === null) say('quality is left out: the judged sets are not there')
      const path = file ?? join(folder, `${labelOf(size)}.cairn`)
      const bench = { size, path, peerPath: `${path}.peer.db`, tools, judged, options: sized, say }
      cases.push(...(await measureSize(bench)))
    }
    return { name: 'hybrid', cases }
  })
}

async function measureSize({ size, path, peerPath, tools, judged, options, say }) {
  const label = labelOf(size)
  const embedder = new tools.StaticEmbedder({ folder: MODEL })
  const corpus = createCorpus()
  const records = () => mix(corpus.records(size), judged?.documents ?? [], size)
  const count = size + (judged?.documents.length ?? 0)
  const filled = await fillBoth({ label, path, peerPath, records, count, embedder, say })
  const questions = corpus.questions(options.questions)
  say(`${label}: first searches`)
  const first = measureFirst({
    files: { cairn: path, 'sqlite-vec': peerPath },
    bundle: tools.file,
    model: MODEL,
    questions: questions.slice(0, 20),
    starts: options.starts,
  })
  const [{ samples: ours, coldMs, memoryMB }, { samples: peers, ...peerFirst }] = [
    first.cairn,
    first['sqlite-vec'],
  ]
  const cairn = await openCairn({ file: path, cache: false })
  const peer = open(peerPath, embedder)
  try {
    const bench = {
      ours: (text) => cairn.search({ query: text, limit: LIMIT, highlight: false }),
      peer: (text) => peer.search(text),
    }
    say(`${label}: searching`)
    const samples = await race(bench, questions, options)
    const quality = await measureQuality(bench, { tools, judged })
    const metrics = {
      records: count,
      ...quality.metrics,
      coldMs,
      peerColdMs: peerFirst.coldMs,
      memoryMB,
      peerMemoryMB: peerFirst.memoryMB,
      ...filled,
    }
    if (size >= COLD_SIZE) metrics.coldMsPer250k = round((coldMs * COLD_RECORDS) / count)
    const one = compare(label, { ...samples, peerName: PEER, metrics })
    const bar = BARS.find((known) => size >= known.records)
    if (bar) one.bar = { says: `at least ${bar.times} times as fast`, met: one.ratio >= bar.times }
    const cold = compare(`${label}, first search of a process`, {
      ours,
      peer: peers,
      peerName: PEER,
    })
    if (size === COLD_SIZE) {
      cold.bar = { says: `at most ${COLD_BAR_MS} ms`, met: coldMs <= COLD_BAR_MS }
    }
    if (quality.samples === null) return [one, cold]
    return [one, cold, compare(`${label}, judged queries`, { ...quality.samples, peerName: PEER })]
  } finally {
    peer.close()
    await cairn.close()
  }
}

/** Fills both files with the same records, unless an earlier run did. */
async function fillBoth({ label, path, peerPath, records, count, embedder, say }) {
  const filled = {}
  await fillOnce(path, { records: count }, async (file) => {
    say(`${label}: adding records`)
    const { cairn, recordsPerSecond } = await loadFile(file, records())
    await cairn.close()
    filled.recordsPerSecond = recordsPerSecond
  })
  await fillOnce(peerPath, { records: count, table: 'docs' }, async (file) => {
    say(`${label}: adding them to the peer`)
    const ms = await time(() => fill(file, records(), embedder))
    filled.peerRecordsPerSecond = round((count / ms) * 1000)
  })
  return { ...filled, fileMB: megabytesOf(path), peerFileMB: megabytesOf(peerPath) }
}

const megabytesOf = (file) => Math.round(statSync(file).size / BYTES_PER_MB)

/** Distributes the documents of the judged sets evenly among the generated records. */
function* mix(generated, documents, size) {
  const apart = Math.max(1, Math.floor(size / Math.max(1, documents.length)))
  let next = 0
  let i = 0
  for (const record of generated) {
    yield record
    if (++i % apart === 0 && next < documents.length) yield documents[next++].record
  }
  for (const { record } of documents.slice(next)) yield record
}

/** Each query once, timed; both are warm from the questions before. */
async function measureQuality(bench, { tools, judged }) {
  if (judged === null) return { metrics: {}, samples: null }
  const answers = { ours: new Map(), peer: new Map() }
  const asking = (name) => async (query) => {
    answers[name].set(query, await bench[name](query.text))
  }
  const samples = await race({ ours: asking('ours'), peer: asking('peer') }, judged.queries, {
    rounds: 1,
    warmUp: 0,
  })
  const documents = documentsByText(judged.documents)
  const ndcg = (recordsOf) => {
    const each = judged.queries.map((query) => {
      const found = recordsOf(query).map((record) => documents.get(textOf(record)) ?? ['other'])
      return tools.ndcgAt(LIMIT, found.flat(), query.judged)
    })
    return round(tools.mean(each))
  }
  const metrics = {
    'ndcg@10': ndcg((query) => answers.ours.get(query).hits.map(({ record }) => record)),
    'peerNdcg@10': ndcg((query) => answers.peer.get(query)),
    judgedQueries: judged.queries.length,
  }
  return { metrics, samples }
}

/** The model for the peer, and the reader and the measure of `cairn eval`. */
async function bundleTools(folder) {
  const parts = ['embedding/static/static-embedder', 'evaluation/judged-set', 'evaluation/metrics']
  return { ...(await bundleParts(folder, parts)), file: join(folder, 'parts.mjs') }
}
