/** MiniSearch, which has no vectors. It lives in memory: stored is its JSON, and opening loads that. */

import { readFileSync, writeFileSync } from 'node:fs'
import { BATCH, batchesOf } from '../load.mjs'
import { LIMIT, requirePeer } from './engines.mjs'

export const name = 'MiniSearch, keyword only'
/** Half a second for each search of 100,000 records. */
export const mostRecords = 20_000
const SHOWN = ['title', 'body']
const OPTIONS = { fields: SHOWN, storeFields: [...SHOWN, 'namespace'] }

export function fill(path, records) {
  const MiniSearch = requirePeer('minisearch')
  const index = new MiniSearch(OPTIONS)
  let id = 0
  for (const batch of batchesOf(records, BATCH)) {
    index.addAll(batch.map((record) => ({ id: id++, ...record, title: record.title ?? '' })))
  }
  writeFileSync(path, JSON.stringify(index))
}

export function open(path) {
  const index = requirePeer('minisearch').loadJSON(readFileSync(path, 'utf8'), OPTIONS)
  return {
    search: (text, namespace) => {
      const isWanted = (hit) => hit.namespace === namespace
      const options = namespace === undefined ? {} : { filter: isWanted }
      return index.search(text, options).slice(0, LIMIT)
    },
    close: () => {},
  }
}
