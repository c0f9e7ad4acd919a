/** Cairn through its public API. Results are not cached: a benchmark repeats queries to measure the search itself. */

import { openCairn } from '../../../dist/index.js'
import { loadFile } from '../load.mjs'
import { LIMIT } from './engines.mjs'

export const name = 'Cairn'

export async function fill(path, records) {
  const { cairn } = await loadFile(path, records)
  await cairn.close()
}

export async function open(path) {
  const cairn = await openCairn({ file: path, cache: false })
  return {
    search: async (query, namespace) => {
      const namespaces = namespace === undefined ? undefined : [namespace]
      const { hits } = await cairn.search({
        query,
        limit: LIMIT,
        ...(namespaces && { namespaces }),
      })
      return hits.map(({ record }) => record)
    },
    add: (record) => cairn.add(record),
    close: () => cairn.close(),
  }
}
