/** Compares a warm hybrid search with LanceDB and zvec, on real texts with the same vectors, question by question in turn. */

import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { bundleParts } from './lib/bundle.mjs'
import { MAIN_NAMESPACE, RARE_NAMESPACE } from './lib/corpus.mjs'
import { loadEngines, openLance, openZvec } from './lib/engines.mjs'
import { documentsByText, readJudged, SETS, textOf } from './lib/judged.mjs'
import { loadFile } from './lib/load.mjs'
import { compare, labelOf, race, round } from './lib/measure.mjs'
import { openRealCorpus } from './lib/real-corpus.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const LIMIT = 10
const MODEL = fileURLToPath(new URL('../models/cairn-static-v2', import.meta.url))
/** How many times as long as each a search may take. */
const BARS = { lance: 1, zvec: 2, growth: 1.8, filter: 1, addMs: 2 }
/** Records that are in neither file. */
const ADDED_SEED = 77
/** The small file holds one set alone, the large one all sets among records made of their sentences. */
const FULL = { small: 5000, large: 100_000, questions: 200, rounds: 3 }
const QUICK = { small: 5000, large: 20_000, questions: 40, rounds: 2 }

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const options = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const tools = await bundleParts(folder, PARTS)
    const small = await readJudged(tools, options.questions, SETS.slice(0, 1))
    const large = await readJudged(tools, options.questions)
    if (small === null) {
      say('left out: the judged sets are not there')
      return { name: 'engines', cases: [] }
    }
    const bench = { folder, tools, engines: loadEngines(say), options, say }
    const first = await openSize({ ...bench, size: options.small, judged: small })
    const second = await openSize({ ...bench, size: options.large, judged: large })
    try {
      const cases = [
        ...(await measureSize(bench, first)),
        ...(await measureSize(bench, second)),
        await measureGrowth(first, second, options),
        await measureFilter(second, options),
        // Last: it changes the files.
        await measureAdding(first, second, options),
      ]
      return { name: 'engines', cases }
    } finally {
      for (const { contenders } of [first, second]) {
        for (const one of Object.values(contenders)) await one.close()
      }
    }
  })
}

const PARTS = ['embedding/static/static-embedder', 'evaluation/judged-set', 'evaluation/metrics']

async function openSize({ folder, tools, engines, size, judged, say }) {
  const label = labelOf(size)
  const documents = judged.documents.map(({ record }) => record)
  const made = openRealCorpus().records(Math.max(0, size - documents.length))
  const records = [...documents, ...made].map((record, i) => ({
    ...record,
    namespace: i % 100 === 7 ? RARE_NAMESPACE : MAIN_NAMESPACE,
  }))
  say(`${label}: adding ${records.length} records`)
  const { cairn } = await loadFile(join(folder, `${label}.cairn`), records)
  const search = async (text, more = {}) =>
    (await cairn.search({ query: text, limit: LIMIT, ...more })).hits.map(({ record }) => record)
  const add = (record) => cairn.add(record)
  const contenders = { ours: { search, add, close: () => cairn.close() } }
  if (engines !== null) {
    const given = { records, embedder: new tools.StaticEmbedder({ folder: MODEL }) }
    const own = join(folder, label)
    say(`${label}: adding them to LanceDB`)
    contenders.lance = await openLance(engines, `${own}-lance`, given)
    say(`${label}: adding them to zvec`)
    contenders.zvec = openZvec(engines, `${own}-zvec`, given)
  }
  return { label, count: records.length, judged, contenders }
}

/** Every question to each in turn; the order is reversed every round. */
async function measureSize({ tools, options, say }, { label, count, judged, contenders }) {
  say(`${label}: searching`)
  const answers = {}
  const asking = Object.entries(contenders).map(([name, { search }]) => {
    answers[name] = new Map()
    return [name, async (query) => answers[name].set(query, await search(query.text))]
  })
  const samples = await race(Object.fromEntries(asking), judged.queries, options)
  const documents = documentsByText(judged.documents)
  const ndcgOf = (name) => {
    const each = judged.queries.map((query) => {
      const found = answers[name].get(query).map((one) => documents.get(textOf(one)) ?? ['other'])
      return tools.ndcgAt(LIMIT, found.flat(), query.judged)
    })
    return round(tools.mean(each))
  }
  const ours = { records: count, 'ndcg@10': ndcgOf('ours') }
  return ['lance', 'zvec'].flatMap((name) => {
    if (contenders[name] === undefined) return []
    const metrics = { ...ours, 'peerNdcg@10': ndcgOf(name) }
    const peerName = contenders[name].name
    const one = compare(label, { ours: samples.ours, peer: samples[name], peerName, metrics })
    return [withBar(one, BARS[name])]
  })
}

async function measureGrowth(small, large, options) {
  const samples = await race(
    {
      ours: ({ text }) => large.contenders.ours.search(text),
      peer: ({ text }) => small.contenders.ours.search(text),
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

async function measureFilter({ label, judged, contenders }, options) {
  const { search } = contenders.ours
  const samples = await race(
    {
      ours: ({ text }) => search(text, { namespaces: [RARE_NAMESPACE] }),
      peer: ({ text }) => search(text),
    },
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
  const records = openRealCorpus(ADDED_SEED).records(options.questions)
  const cpuMs = []
  const samples = await race(
    {
      ours: async (record) => {
        const start = process.cpuUsage()
        await large.contenders.ours.add(record)
        const { user, system } = process.cpuUsage(start)
        cpuMs.push((user + system) / 1000)
      },
      peer: (record) => small.contenders.ours.add(record),
    },
    [...records],
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
