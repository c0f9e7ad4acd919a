/** Compares Cairn with other embedded engines on real texts with the same vectors, question by question in turn. */

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { bundleParts } from './lib/bundle.mjs'
import { MAIN_NAMESPACE, RARE_NAMESPACE } from './lib/corpus.mjs'
import { installPeers, LIMIT, loadEngine, PEERS } from './lib/engines/engines.mjs'
import { measureFirst } from './lib/first-search.mjs'
import { documentsByText, readJudged, SETS, textOf } from './lib/judged.mjs'
import { compare, labelOf, race, round, time } from './lib/measure.mjs'
import { openRealCorpus } from './lib/real-corpus.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const MODEL = fileURLToPath(new URL('../models/cairn-static-v2', import.meta.url))
const BYTES_PER_MB = 1_048_576
/** How many times as long as each a search may take. */
const BARS = { lancedb: 1, zvec: 2, growth: 1.8, filter: 1, addMs: 2 }
/** Records that are in neither file. */
const ADDED_SEED = 77
/** The small file holds one set alone, the large one all sets among records made of their sentences. */
const FULL = { small: 5000, large: 100_000, questions: 200, rounds: 1, warmUp: 3, starts: 3 }
const QUICK = { small: 5000, large: 20_000, questions: 40, rounds: 1, warmUp: 1, starts: 1 }
/** Records that are added before the measured ones, until V8 has compiled what adds them. */
const WARM_UP_RECORDS = 100
const PARTS = ['embedding/static/static-embedder', 'evaluation/judged-set', 'evaluation/metrics']
/** One group after the other: engines that hold everything on the JavaScript heap would slow the others down. */
const GROUPS = [
  ['lancedb', 'zvec'],
  ['sqlite-vec', 'pglite'],
  ['orama', 'minisearch'],
]

/** @param peers names of `PEERS` instead of all of them */
export async function run({ quick = false, say = () => {}, peers = PEERS, ...given } = {}) {
  const options = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const tools = await bundleParts(folder, PARTS)
    const small = await readJudged(tools, options.questions, SETS.slice(0, 1))
    const large = await readJudged(tools, options.questions)
    if (small === null) {
      say('left out: the judged sets are not there')
      return { name: 'engines', cases: [] }
    }
    const there = installPeers(say) ? peers : []
    const embedder = new tools.StaticEmbedder({ folder: MODEL })
    const bench = { folder, tools, embedder, options, say }
    const [beside, alone] = [[], []]
    for (const group of GROUPS) {
      const names = ['cairn', ...group.filter((name) => there.includes(name))]
      if (names.length === 1 && alone.length > 0) continue
      const first = await fillSize(bench, { names, size: options.small, judged: small })
      const second = await fillSize(bench, { names, size: options.large, judged: large })
      beside.push(...(await measureSize(bench, first)), ...(await measureSize(bench, second)))
      if (alone.length === 0) alone.push(...(await measureAlone(first, second, options)))
    }
    return { name: 'engines', cases: [...beside, ...alone] }
  })
}

/** Fills every engine, and measures first searches in new processes. */
async function fillSize({ folder, embedder, options, say }, { names, size, judged }) {
  const label = labelOf(size)
  const documents = judged.documents.map(({ record }) => record)
  const made = openRealCorpus().records(Math.max(0, size - documents.length))
  const records = [...documents, ...made].map((record, i) => ({
    ...record,
    namespace: i % 100 === 7 ? RARE_NAMESPACE : MAIN_NAMESPACE,
  }))
  const [files, filled] = [{}, {}]
  for (const name of names) {
    const engine = await loadEngine(name)
    if (records.length > (engine.mostRecords ?? Number.POSITIVE_INFINITY)) continue
    say(`${label}: adding ${records.length} records to ${engine.name}`)
    files[name] = join(folder, `${label}-${names.join('-')}-${name}`)
    const ms = await time(() => engine.fill(files[name], records, embedder))
    filled[name] = {
      name: engine.name,
      recordsPerSecond: round((records.length / ms) * 1000),
      fileMB: round(bytesAt(files[name]) / BYTES_PER_MB),
    }
  }
  say(`${label}: first searches`)
  const questions = judged.queries.slice(0, 20).map(({ text }) => text)
  const bundle = join(folder, 'parts.mjs')
  const firsts = measureFirst({ files, bundle, model: MODEL, questions, starts: options.starts })
  for (const name of Object.keys(files)) {
    const { coldMs, memoryMB } = firsts[name]
    filled[name] = { ...filled[name], coldMs, memoryMB }
  }
  return { label, count: records.length, judged, files, filled }
}

/** Of a file with what SQLite keeps beside it, or of a folder with all in it. */
function bytesAt(path) {
  if (!statSync(path).isDirectory()) return statSync(path).size
  return readdirSync(path, { recursive: true })
    .map((name) => statSync(join(path, name)))
    .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
}

async function measureSize(bench, filled) {
  const names = Object.keys(filled.files)
  if (names.length === 1) return []
  bench.say(`${filled.label}: searching ${names.join(', ')}`)
  const opened = {}
  for (const name of names) {
    opened[name] = await (await loadEngine(name)).open(filled.files[name], bench.embedder)
  }
  const cases = await measureGroup(bench, filled, opened)
  for (const one of Object.values(opened)) await one.close()
  return cases
}

/** Every question to each in turn, without a filter and with one; the order is reversed every round. */
async function measureGroup({ tools, options }, { label, count, judged, filled }, opened) {
  const answers = {}
  const ask = (namespace) =>
    Object.fromEntries(
      Object.entries(opened).map(([name, { search }]) => {
        const found = new Map()
        if (namespace === undefined) answers[name] = found
        return [name, async (query) => found.set(query, await search(query.text, namespace))]
      }),
    )
  const samples = await race(ask(undefined), judged.queries, options)
  const filtered = await race(ask(RARE_NAMESPACE), judged.queries, options)
  const documents = documentsByText(judged.documents)
  const ndcgOf = (name) => {
    const each = judged.queries.map((query) => {
      const found = answers[name].get(query).map((one) => documents.get(textOf(one)) ?? ['other'])
      return tools.ndcgAt(LIMIT, found.flat(), query.judged)
    })
    return round(tools.mean(each))
  }
  const { name: _, ...ours } = { ...filled.cairn, 'ndcg@10': ndcgOf('cairn') }
  return Object.keys(opened)
    .filter((name) => name !== 'cairn')
    .flatMap((name) => {
      const { name: peerName, ...figures } = { ...filled[name], 'ndcg@10': ndcgOf(name) }
      const metrics = { records: count, ...ours, ...withPrefix('peer', figures) }
      const warm = compare(label, { ours: samples.cairn, peer: samples[name], peerName, metrics })
      const both = { ours: filtered.cairn, peer: filtered[name], peerName }
      return [
        BARS[name] === undefined ? warm : withBar(warm, BARS[name]),
        compare(`${label}, a filter that passes 1 %`, both),
      ]
    })
}

function withPrefix(prefix, figures) {
  const rename = (key) => `${prefix}${key[0].toUpperCase()}${key.slice(1)}`
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [rename(key), value]))
}

/** Cairn compared with itself. */
async function measureAlone(small, large, options) {
  const { open } = await loadEngine('cairn')
  small.cairn = await open(small.files.cairn)
  large.cairn = await open(large.files.cairn)
  const cases = [
    await measureGrowth(small, large, options),
    await measureFilter(large, options),
    // Last: it changes the files.
    await measureAdding(small, large, options),
  ]
  await small.cairn.close()
  await large.cairn.close()
  return cases
}

async function measureGrowth(small, large, options) {
  const samples = await race(
    {
      ours: ({ text }) => large.cairn.search(text),
      peer: ({ text }) => small.cairn.search(text),
    },
    large.judged.queries,
    options,
  )
  const peerName = `${small.label}, the same questions`
  return withBar(
    compare(`${large.label} against ${small.label}`, { ...samples, peerName }),
    BARS.growth,
  )
}

async function measureFilter({ label, judged, cairn: { search } }, options) {
  const samples = await race(
    { ours: ({ text }) => search(text, RARE_NAMESPACE), peer: ({ text }) => search(text) },
    judged.queries,
    options,
  )
  const peerName = 'the same without a filter'
  return withBar(
    compare(`${label}, a filter that passes 1 %`, { ...samples, peerName }),
    BARS.filter,
  )
}

/** One record at a time, with its vectors and the search for near-duplicates. */
async function measureAdding(small, large, options) {
  const records = [...openRealCorpus(ADDED_SEED).records(WARM_UP_RECORDS + options.questions)]
  for (const record of records.splice(0, WARM_UP_RECORDS)) {
    await large.cairn.add(record)
    await small.cairn.add(record)
  }
  const cpuMs = []
  const samples = await race(
    {
      ours: async (record) => {
        const start = process.cpuUsage()
        await large.cairn.add(record)
        const { user, system } = process.cpuUsage(start)
        cpuMs.push((user + system) / 1000)
      },
      peer: (record) => small.cairn.add(record),
    },
    records,
    { rounds: 1, warmUp: 0 },
  )
  const peerName = `${small.label}, the same records`
  const metrics = {
    leastMs: round(Math.min(...samples.ours)),
    leastCpuMs: round(Math.min(...cpuMs)),
  }
  const one = compare(`${large.label}, adding one record`, { ...samples, peerName, metrics })
  const says = `at most ${BARS.addMs} ms`
  return { ...one, bar: { says, met: one.ours.medianMs <= BARS.addMs } }
}

function withBar(one, times) {
  const says = times === 1 ? 'at most as long' : `at most ${times} times as long`
  return { ...one, bar: { says, met: one.ours.medianMs <= times * one.peer.medianMs } }
}
