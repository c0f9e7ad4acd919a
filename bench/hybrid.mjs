/** Promise: our whole hybrid search beside the pipeline most people write, on the same texts and model. */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { bundleParts } from './lib/bundle.mjs'
import { createCorpus } from './lib/corpus.mjs'
import { BATCH, batchesOf, loadFile } from './lib/load.mjs'
import { compare, memoryMB, race, round, time } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MODEL = join(ROOT, 'models', 'cairn-static-v1')
const JUDGED_SET = join('eval', 'scifact')
const DIMENSIONS = 256
const LIMIT = 10
/** How many of each side the peer fuses, and the constant of its fusion. */
const DEPTH = 100
const RRF_K = 60
/** As much memory for pages as Cairn gives itself. */
const CACHE_KIB = 65_536
/** How many times faster than the peer Cairn has to be, and from how many records on. */
const BAR = 5
const BAR_SIZE = 100_000
const PEER = 'FTS5 any word + sqlite-vec f32 + RRF'

const SQL = {
  tables: `
    CREATE TABLE docs (row INTEGER PRIMARY KEY, title TEXT, body TEXT, tags TEXT, namespace TEXT);
    CREATE VIRTUAL TABLE words USING fts5 (title, body, content = 'docs', content_rowid = 'row',
      tokenize = 'porter unicode61');
    CREATE VIRTUAL TABLE meaning USING vec0 (vector float[${DIMENSIONS}])`,
  addDoc: 'INSERT INTO docs VALUES (?, ?, ?, ?, ?)',
  addWords: 'INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)',
  addVector: 'INSERT INTO meaning (rowid, vector) VALUES (?, ?)',
  byWords: `SELECT rowid AS row FROM words WHERE words MATCH ? ORDER BY rank LIMIT ${DEPTH}`,
  byMeaning: `SELECT rowid AS row FROM meaning WHERE vector MATCH ? AND k = ${DEPTH}
    ORDER BY distance`,
  doc: 'SELECT * FROM docs WHERE row = ?',
}

const FULL = { sizes: [10_000, 100_000], questions: 60, judged: 100, rounds: 2 }
const QUICK = { sizes: [2000], questions: 20, judged: 30, rounds: 2 }

/** Sizes are numbers of generated records; the documents of the judged set come on top. */
export async function run({ quick = false, say = () => {}, sizes, ...given } = {}) {
  const options = { ...(quick ? QUICK : FULL), ...given, ...(sizes === undefined ? {} : { sizes }) }
  return withTempFolder(async (folder) => {
    const tools = await bundleTools(folder)
    const embedder = new tools.StaticEmbedder({ folder: MODEL })
    const judged = await readJudged(tools, options.judged, say)
    const cases = []
    for (const size of options.sizes) {
      cases.push(...(await measureSize({ folder, size, tools, embedder, judged, options, say })))
    }
    return { name: 'hybrid', cases }
  })
}

async function measureSize({ folder, size, tools, embedder, judged, options, say }) {
  const label = size >= 1000 ? `${size / 1000}k` : String(size)
  const corpus = createCorpus()
  const records = [...mix(corpus.records(size), judged?.documents ?? [], size)]
  say(`${label}: adding ${records.length} records`)
  const inputs = records.map(({ record }) => record)
  const { cairn, ids, recordsPerSecond } = await loadFile(join(folder, `${label}.cairn`), inputs)
  const peer = await openPeer(join(folder, `${label}.db`), inputs, embedder)
  try {
    const bench = {
      ours: (text) => cairn.search({ query: text, limit: LIMIT, highlight: false }),
      peer: (text) => peer.search(text),
    }
    say(`${label}: searching`)
    const samples = await race(bench, corpus.questions(options.questions), options)
    const load = {
      records: records.length,
      recordsPerSecond,
      peerRecordsPerSecond: peer.recordsPerSecond,
    }
    const documents = documentsOf(records, ids)
    const quality = await measureQuality(bench, { tools, judged, documents })
    const one = compare(label, { ...samples, peerName: PEER })
    Object.assign(one.metrics, quality.metrics, load, { memoryMB: memoryMB() })
    if (size >= BAR_SIZE) Object.assign(one.metrics, { bar: BAR, barMet: one.ratio >= BAR })
    if (quality.samples === null) return [one]
    return [one, compare(`${label}, judged queries`, { ...quality.samples, peerName: PEER })]
  } finally {
    peer.close()
    await cairn.close()
  }
}

/** The documents of the judged set stand evenly among the generated records. */
function* mix(generated, documents, size) {
  const apart = Math.max(1, Math.floor(size / Math.max(1, documents.length)))
  let next = 0
  let i = 0
  for (const record of generated) {
    yield { record, document: null }
    if (++i % apart === 0 && next < documents.length) yield documents[next++]
  }
  yield* documents.slice(next)
}

/** Which judged document a hit is, by Cairn's id and by the peer's row. The same text twice is one record. */
function documentsOf(records, ids) {
  const byId = new Map()
  const byRow = new Map()
  for (const [i, { document }] of records.entries()) {
    if (document === null) continue
    byId.set(ids[i], [...(byId.get(ids[i]) ?? []), document])
    byRow.set(i + 1, [document])
  }
  return { byId, byRow }
}

/** Each query once, timed; the questions before have warmed up both. */
async function measureQuality(bench, { tools, judged, documents }) {
  if (judged === null) {
    const metrics = { 'ndcg@10': null, 'peerNdcg@10': null, note: 'no judged set' }
    return { metrics, samples: null }
  }
  const answers = { ours: new Map(), peer: new Map() }
  const asking = (name) => async (query) => {
    answers[name].set(query, await bench[name](query.text))
  }
  const samples = await race({ ours: asking('ours'), peer: asking('peer') }, judged.queries, {
    rounds: 1,
    warmUp: 0,
  })
  const ndcg = (found) => {
    const each = judged.queries.map((query) =>
      tools.ndcgAt(LIMIT, found(query).flat(), query.judged),
    )
    return round(tools.mean(each))
  }
  const metrics = {
    'ndcg@10': ndcg((query) =>
      answers.ours.get(query).hits.map(({ id }) => documents.byId.get(id) ?? [id]),
    ),
    'peerNdcg@10': ndcg((query) =>
      answers.peer.get(query).map(({ row }) => documents.byRow.get(row) ?? [row]),
    ),
    judgedQueries: judged.queries.length,
  }
  return { metrics, samples }
}

/** The way it is mostly written: two indexes, the best hundred of each, their places added up. */
async function openPeer(file, records, embedder) {
  const db = new Database(file)
  sqliteVec.load(db)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.exec(SQL.tables)
  const ms = await time(() => fillPeer(db, records, embedder))
  const byWords = db.prepare(SQL.byWords)
  const byMeaning = db.prepare(SQL.byMeaning)
  const doc = db.prepare(SQL.doc)
  return {
    recordsPerSecond: round((records.length / ms) * 1000),
    search: (text) => {
      const [vector] = embedder.embedSync([text])
      const near = byMeaning.all(bytesOf(vector))
      const matching = byWords.all(anyOf(text))
      return fuse(near, matching).map((row) => doc.get(row))
    },
    close: () => db.close(),
  }
}

function fillPeer(db, records, embedder) {
  const [addDoc, addWords, addVector] = [SQL.addDoc, SQL.addWords, SQL.addVector].map((sql) =>
    db.prepare(sql),
  )
  let row = 0
  const add = db.transaction((batch) => {
    for (const { title, body, tags = [], namespace = 'main' } of batch) {
      row++
      addDoc.run(row, title, body, tags.join(' '), namespace)
      addWords.run(row, title, body)
      const [vector] = embedder.embedSync([`${title}\n${body}`])
      addVector.run(BigInt(row), bytesOf(vector))
    }
  })
  for (const batch of batchesOf(records, BATCH)) add(batch)
}

function anyOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) => `"${word}"`).join(' OR ')
}

function fuse(...lists) {
  const scores = new Map()
  for (const list of lists) {
    for (const [i, { row }] of list.entries()) {
      scores.set(row, (scores.get(row) ?? 0) + 1 / (RRF_K + i + 1))
    }
  }
  const best = [...scores].sort(([, a], [, b]) => b - a)
  return best.slice(0, LIMIT).map(([row]) => row)
}

function bytesOf(vector) {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** Null, with a word about it, where the folder of judged sets is not there. */
async function readJudged({ readSet, readDocuments }, queries, say) {
  const bases = [process.env.CAIRN_SHARED, join(ROOT, '..', 'shared')].filter(Boolean)
  const folder = bases.map((base) => join(base, JUDGED_SET)).find((path) => existsSync(path))
  if (folder === undefined) {
    say(`quality is left out: the folder ${JUDGED_SET} is not there`)
    return null
  }
  const set = await readSet('scifact', folder, { corpus: 'corpus.jsonl', qrels: null })
  const documents = []
  for await (const { id, title, text } of readDocuments(set.corpusFile)) {
    documents.push({ record: { title, body: text }, document: id })
  }
  return { documents, queries: set.queries.slice(0, queries) }
}

/** The model for the peer, and the reader and the measure of `cairn eval`. */
function bundleTools(folder) {
  const parts = ['embedding/static/static-embedder', 'evaluation/judged-set', 'evaluation/metrics']
  return bundleParts(folder, parts)
}
