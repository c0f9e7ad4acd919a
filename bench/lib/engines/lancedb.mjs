/** LanceDB: hybrid with the default index of each column (IVF-PQ and words), fused by rank. */

import process from 'node:process'
import { BATCH, batchesOf } from '../load.mjs'
import { LIMIT, requirePeer, toRows } from './engines.mjs'

export const name = 'LanceDB, default index, hybrid'

export async function fill(path, records, embedder) {
  const { connect, Index } = load()
  const connection = await connect(path)
  let table = null
  for (const batch of batchesOf(records, BATCH)) {
    const rows = toRows(batch, embedder)
    if (table === null) table = await connection.createTable('docs', rows)
    else await table.add(rows)
  }
  await table.createIndex('vector')
  await table.createIndex('text', { config: Index.fts() })
  await table.createIndex('namespace', { config: Index.bitmap() })
  await table.optimize()
  connection.close()
}

export async function open(path, embedder) {
  const { connect, rerankers } = load()
  const connection = await connect(path)
  const table = await connection.openTable('docs')
  const reranker = await rerankers.RRFReranker.create()
  return {
    search: (text, namespace) => {
      const query = table
        .query()
        .nearestTo(embedder.embedSync([text])[0])
        .fullTextSearch(text, { columns: ['text'] })
      if (namespace !== undefined) query.where(`namespace = '${namespace}'`)
      return query.rerank(reranker).select(['title', 'body']).limit(LIMIT).toArray()
    },
    close: () => connection.close(),
  }
}

function load() {
  // It warns with every search of the columns that it adds by itself.
  process.env.LANCEDB_LOG ??= 'error'
  return requirePeer('@lancedb/lancedb')
}
