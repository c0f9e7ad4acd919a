/** Orama in hybrid mode. It lives in memory: stored is what its `save` gives, and opening loads that. */

import { readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { BATCH, batchesOf } from '../load.mjs'
import { LIMIT, requirePeer, toRows } from './engines.mjs'

export const name = 'Orama, hybrid'
/** A search of 11,000 takes a second, one of 100,000 would take the benchmark hours. */
export const mostRecords = 20_000

export async function fill(path, records, embedder) {
  const { insertMultiple, save } = requirePeer('@orama/orama')
  const db = createEmpty(embedder)
  for (const batch of batchesOf(records, BATCH)) {
    const rows = toRows(batch, embedder).map(({ vector, text, ...row }) => {
      return { ...row, vector: [...vector] }
    })
    await insertMultiple(db, rows, BATCH)
  }
  writeFileSync(path, serialize(save(db)))
}

export function open(path, embedder) {
  const { load, search } = requirePeer('@orama/orama')
  const db = createEmpty(embedder)
  load(db, deserialize(readFileSync(path)))
  return {
    search: async (text, namespace) => {
      const { hits } = await search(db, {
        mode: 'hybrid',
        term: text,
        properties: ['title', 'body'],
        vector: { value: [...embedder.embedSync([text])[0]], property: 'vector' },
        similarity: 0,
        limit: LIMIT,
        ...(namespace !== undefined && { where: { namespace: { eq: namespace } } }),
      })
      return hits.map(({ document }) => document)
    },
    close: () => {},
  }
}

function createEmpty({ model }) {
  const schema = {
    title: 'string',
    body: 'string',
    namespace: 'enum',
    vector: `vector[${model.dimensions}]`,
  }
  return requirePeer('@orama/orama').create({ schema })
}
