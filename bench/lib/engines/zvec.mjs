/** zvec: HNSW by cosine and words, the best hundred of each, fused by rank. */

import { BATCH, batchesOf } from '../load.mjs'
import { DEPTH, LIMIT, requirePeer, toRows } from './engines.mjs'

export const name = 'zvec, HNSW, hybrid'
const SHOWN = ['title', 'body']

export function fill(path, records, embedder) {
  const zvec = requirePeer('@zvec/zvec')
  const { ZVecDataType, ZVecIndexType, ZVecMetricType, ZVecCollectionSchema } = zvec
  const string = (field) => ({ name: field, dataType: ZVecDataType.STRING })
  const indexed = (field, indexType) => ({ ...string(field), indexParams: { indexType } })
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
      indexed('namespace', ZVecIndexType.INVERT),
      indexed('text', ZVecIndexType.FTS),
    ],
  })
  const collection = zvec.ZVecCreateAndOpen(path, schema)
  let row = 0
  for (const batch of batchesOf(records, BATCH)) {
    const documents = toRows(batch, embedder).map(({ vector, ...fields }) => {
      return { id: String(++row), fields, vectors: { vector } }
    })
    collection.insertSync(documents)
  }
  collection.optimizeSync()
  collection.closeSync()
}

export function open(path, embedder) {
  const collection = requirePeer('@zvec/zvec').ZVecOpen(path)
  return {
    search: (text, namespace) =>
      collection
        .multiQuerySync({
          queries: [
            { fieldName: 'vector', vector: embedder.embedSync([text])[0], numCandidates: DEPTH },
            { fieldName: 'text', fts: { matchString: text }, numCandidates: DEPTH },
          ],
          ...(namespace !== undefined && { filter: `namespace = '${namespace}'` }),
          rerank: { type: 'rrf' },
          topk: LIMIT,
          outputFields: SHOWN,
        })
        .map(({ fields }) => fields),
    close: () => collection.closeSync(),
  }
}
