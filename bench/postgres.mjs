/** Cairn on a PostgreSQL server: against the usual hybrid query in SQL, and against the same records in a file. */

import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { bundleParts } from './lib/bundle.mjs'
import { MAIN_NAMESPACE, RARE_NAMESPACE } from './lib/corpus.mjs'
import { fillUsual, openUsual } from './lib/engines/usual-postgres.mjs'
import { documentsByText, readJudged, textOf } from './lib/judged.mjs'
import { loadFile } from './lib/load.mjs'
import { compare, labelOf, race, round } from './lib/measure.mjs'
import { openRealCorpus } from './lib/real-corpus.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const LIMIT = 10
const NEAREST = 20
const MODEL = fileURLToPath(new URL('../models/cairn-static-v2', import.meta.url))
const SCHEMA = 'cairn_bench'
const BARS = { usual: 5, ndcg: 0.003, sameTen: 0.97, recall: 0.98, recordsPerSecond: 2000 }
const FULL = { records: 100_000, questions: 60, rounds: 1 }
const QUICK = { records: 10_000, questions: 40, rounds: 1 }
const PARTS = ['embedding/static/static-embedder', 'evaluation/judged-set', 'evaluation/metrics']

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const server = process.env.CAIRN_TEST_POSTGRES
  if (!server) {
    say('left out: CAIRN_TEST_POSTGRES names no server')
    return { name: 'postgres', cases: [] }
  }
  const options = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const tools = await bundleParts(folder, PARTS)
    const judged = await readJudged(tools, options.questions)
    if (judged === null) {
      say('left out: the judged sets are not there')
      return { name: 'postgres', cases: [] }
    }
    const records = makeRecords(judged, options.records)
    const client = new pg.Client(server)
    await client.connect()
    const bench = { folder, tools, judged, records, client, server, options, say }
    try {
      return { name: 'postgres', cases: await measure(bench) }
    } finally {
      await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
      await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA}_usual CASCADE`)
      await client.end()
    }
  })
}

function makeRecords(judged, size) {
  const documents = judged.documents.map(({ record }) => record)
  const made = openRealCorpus().records(Math.max(0, size - documents.length))
  return [...documents, ...made].map((record, i) => ({
    ...record,
    namespace: i % 100 === 7 ? RARE_NAMESPACE : MAIN_NAMESPACE,
  }))
}

async function measure({ folder, tools, judged, records, client, server, options, say }) {
  const label = labelOf(records.length)
  await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
  say(`${label}: adding them to Cairn in a file`)
  const inFile = await loadFile(join(folder, 'bench.cairn'), records)
  say(`${label}: adding them to Cairn in PostgreSQL`)
  const address = `${server}?schema=${SCHEMA}`
  const loaded = await loadFile(address, records)
  const adding = loaded.recordsPerSecond
  await loaded.cairn.optimize()
  say(`${label}: adding them to a table of the usual kind`)
  const embedder = new tools.StaticEmbedder({ folder: MODEL })
  await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA}_usual CASCADE; CREATE SCHEMA ${SCHEMA}_usual;
    CREATE EXTENSION IF NOT EXISTS vector; SET search_path = ${SCHEMA}_usual, public`)
  const db = {
    exec: (sql) => client.query(sql),
    // Prepared once by its name; the others run once for each batch.
    query: (text, values) =>
      client.query({ ...(/^WITH/.test(text) && { name: 'usual' }), text, values }),
  }
  await fillUsual(db, records, embedder)
  const searchUsual = await openUsual(db, embedder)
  const usual = ({ text }) => searchUsual(text)
  const cairns = { server: loaded.cairn, file: inFile.cairn }
  const asked =
    (cairn, more = {}) =>
    async ({ text }) =>
      (await cairn.search({ query: text, limit: LIMIT, ...more })).hits.map(({ record }) => record)
  const answers = { ours: new Map(), usual: new Map(), file: new Map() }
  const keep = (name, search) => async (query) => answers[name].set(query, await search(query))
  say(`${label}: searching`)
  const samples = await race(
    {
      ours: keep('ours', asked(cairns.server)),
      usual: keep('usual', usual),
      file: keep('file', asked(cairns.file)),
    },
    judged.queries,
    options,
  )
  const documents = documentsByText(judged.documents)
  const ndcgOf = (name) => {
    const each = judged.queries.map((query) => {
      const found = answers[name].get(query).map((one) => documents.get(textOf(one)) ?? ['other'])
      return tools.ndcgAt(LIMIT, found.flat(), query.judged)
    })
    return tools.mean(each)
  }
  const textsOf = (name, query) => answers[name].get(query).map(textOf).sort().join('\n\n')
  const same = judged.queries.filter((query) => textsOf('ours', query) === textsOf('file', query))
  const [ours, peer, file] = ['ours', 'usual', 'file'].map(ndcgOf)
  const sameTen = same.length / judged.queries.length
  const usualCase = compare(`${label}, hybrid`, {
    ours: samples.ours,
    peer: samples.usual,
    peerName: 'ts_rank_cd, pgvector and RRF in one query',
    metrics: { records: records.length, 'ndcg@10': round(ours), 'peerNdcg@10': round(peer) },
  })
  const fileCase = compare(`${label}, hybrid, against a file`, {
    ours: samples.ours,
    peer: samples.file,
    peerName: 'Cairn in a SQLite file',
    metrics: { 'ndcg@10': round(ours), 'peerNdcg@10': round(file), sameTen: round(sameTen) },
  })
  const filtered = await race(
    {
      ours: asked(cairns.server, { namespaces: [RARE_NAMESPACE] }),
      peer: asked(cairns.server),
    },
    judged.queries,
    options,
  )
  const recall = await measureRecall(cairns, judged.queries)
  for (const cairn of Object.values(cairns)) await cairn.close()
  return [
    {
      ...usualCase,
      bar: {
        says: `at least ${BARS.usual} times as fast, nDCG not lower`,
        met: usualCase.ratio >= BARS.usual && ours >= peer,
      },
    },
    {
      ...fileCase,
      bar: {
        says: `nDCG within ${BARS.ndcg}, the same ten for ${100 * BARS.sameTen} % of questions`,
        met: Math.abs(ours - file) <= BARS.ndcg && sameTen >= BARS.sameTen,
      },
    },
    {
      ...compare(`${label}, a filter that passes 1 %`, {
        ...filtered,
        peerName: 'the same without a filter',
        metrics: { [`recall@${NEAREST}`]: recall.all, [`filteredRecall@${NEAREST}`]: recall.rare },
      }),
      bar: {
        says: `recall@${NEAREST} at least ${BARS.recall}`,
        met: recall.all >= BARS.recall && recall.rare >= BARS.recall,
      },
    },
    {
      ...compare(`${label}, adding a thousand with vectors`, {
        ours: [1_000_000 / adding],
        peer: [1_000_000 / inFile.recordsPerSecond],
        peerName: 'Cairn in a SQLite file',
        metrics: { recordsPerSecond: adding, peerRecordsPerSecond: inFile.recordsPerSecond },
      }),
      bar: {
        says: `at least ${BARS.recordsPerSecond} records a second`,
        met: adding >= BARS.recordsPerSecond,
      },
    },
  ]
}

/** The share of the nearest in the file, where every vector is compared, that the server finds as well. */
async function measureRecall({ server, file }, queries) {
  const nearest = async (cairn, text, more) => {
    const request = { query: text, mode: 'semantic', threshold: 0, limit: NEAREST, ...more }
    return (await cairn.search(request)).hits.map(({ record }) => textOf(record))
  }
  const shareOf = async (more) => {
    let [found, wanted] = [0, 0]
    for (const { text } of queries) {
      const exact = await nearest(file, text, more)
      const ours = new Set(await nearest(server, text, more))
      found += exact.filter((one) => ours.has(one)).length
      wanted += exact.length
    }
    return round(found / wanted)
  }
  return { all: await shareOf({}), rare: await shareOf({ namespaces: [RARE_NAMESPACE] }) }
}
