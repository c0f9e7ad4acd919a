/** LanceDB and zvec with their default indexes; both are 250 MB, so they are installed when a benchmark needs them. */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { batchesOf } from './load.mjs'

const FOLDER = fileURLToPath(new URL('../.engines/', import.meta.url))
const PACKAGES = { '@lancedb/lancedb': '0.39.0', '@zvec/zvec': '0.7.0' }
const BATCH = 1000
const LIMIT = 10
const SHOWN = ['title', 'body']

/** Null where they cannot be installed. */
export function loadEngines(say) {
  const require = createRequire(join(FOLDER, 'package.json'))
  try {
    if (!existsSync(join(FOLDER, 'node_modules'))) install(say)
    // It warns with every search of the columns that it adds by itself.
    process.env.LANCEDB_LOG ??= 'error'
    return { lancedb: require('@lancedb/lancedb'), zvec: require('@zvec/zvec') }
  } catch (error) {
    say(`LanceDB and zvec are left out: ${error.message.split('\n')[0]}`)
    return null
  }
}

function install(say) {
  say(`installing LanceDB and zvec into ${FOLDER}`)
  mkdirSync(FOLDER, { recursive: true })
  const about = { private: true, dependencies: PACKAGES }
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify(about))
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  execFileSync(command, ['install', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'ignore' })
}

const wholeOf = ({ title, body }) => (title ? `${title}\n${body}` : body)

/** Hybrid with the default index of each column (IVF-PQ and words), fused by rank. */
export async function openLance({ lancedb }, folder, { records, embedder }) {
  const { connect, Index, rerankers } = lancedb
  const connection = await connect(join(folder, 'lance'))
  let table = null
  for (const batch of batchesOf(records, BATCH)) {
    const rows = batch.map((record) => ({ ...pickShown(record), ...describe(record, embedder) }))
    if (table === null) table = await connection.createTable('docs', rows)
    else await table.add(rows)
  }
  await table.createIndex('vector')
  await table.createIndex('text', { config: Index.fts() })
  await table.optimize()
  const reranker = await rerankers.RRFReranker.create()
  return {
    name: 'LanceDB, default index, hybrid',
    search: (text) =>
      table
        .query()
        .nearestTo(embedder.embedSync([text])[0])
        .fullTextSearch(text, { columns: ['text'] })
        .rerank(reranker)
        .select(SHOWN)
        .limit(LIMIT)
        .toArray(),
    close: () => connection.close(),
  }
}

/** HNSW by cosine and words, the best hundred of each, fused by rank. */
export function openZvec({ zvec }, folder, { records, embedder }) {
  const { ZVecDataType, ZVecIndexType, ZVecMetricType, ZVecCollectionSchema } = zvec
  const string = (name) => ({ name, dataType: ZVecDataType.STRING })
  const schema = new ZVecCollectionSchema({
    name: 'docs',
    vectors: {
      name: 'vector',
      dataType: ZVecDataType.VECTOR_FP32,
      dimension: embedder.model.dimensions,
      indexParams: { indexType: ZVecIndexType.HNSW, metricType: ZVecMetricType.COSINE },
    },
    fields: [
      ...SHOWN.map(string),
      { ...string('text'), indexParams: { indexType: ZVecIndexType.FTS } },
    ],
  })
  const collection = zvec.ZVecCreateAndOpen(join(folder, 'zvec'), schema)
  let row = 0
  for (const batch of batchesOf(records, BATCH)) {
    const documents = batch.map((record) => {
      const { text, vector } = describe(record, embedder)
      return { id: String(++row), fields: { ...pickShown(record), text }, vectors: { vector } }
    })
    collection.insertSync(documents)
  }
  collection.optimizeSync()
  return {
    name: 'zvec, HNSW, hybrid',
    search: (text) =>
      collection
        .multiQuerySync({
          queries: [
            { fieldName: 'vector', vector: embedder.embedSync([text])[0], numCandidates: 100 },
            { fieldName: 'text', fts: { matchString: text }, numCandidates: 100 },
          ],
          rerank: { type: 'rrf' },
          topk: LIMIT,
          outputFields: SHOWN,
        })
        .map(({ fields }) => fields),
    close: () => collection.closeSync(),
  }
}

/** An empty title instead of none: both take the type of a column from its values. */
const pickShown = ({ title, body }) => ({ title: title ?? '', body })

function describe(record, embedder) {
  const text = wholeOf(record)
  return { text, vector: embedder.embedSync([text])[0] }
}
