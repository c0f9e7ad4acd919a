/** Compares a repeated search with the same search without a cache. */

import { join } from 'node:path'
import { openCairn } from '../dist/index.js'
import { createCorpus } from './lib/corpus.mjs'
import { loadFile } from './lib/load.mjs'
import { compare, memoryMB, race } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const LIMIT = 10
const PEER = 'the same with cache: false'
const FULL = { sizes: [1000, 10_000, 100_000], questions: 60, rounds: 5 }
const QUICK = { sizes: [1000], questions: 20, rounds: 3 }

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const options = { ...(quick ? QUICK : FULL), ...given }
  return withTempFolder(async (folder) => {
    const cases = []
    for (const size of options.sizes) cases.push(...(await measureSize(folder, size, options, say)))
    return { name: 'cache', cases }
  })
}

async function measureSize(folder, size, options, say) {
  const label = `${size / 1000}k`
  const corpus = createCorpus()
  const file = join(folder, `${label}.cairn`)
  say(`${label}: adding records`)
  const { cairn: plain } = await loadFile(file, corpus.records(size))
  const caching = await openCairn({ file })
  try {
    say(`${label}: searching`)
    const bench = { plain, caching, questions: corpus.questions(options.questions), options }
    return [await measureAgain(label, bench), await measureFirst(label, bench)]
  } finally {
    await caching.close()
    await plain.close()
  }
}

/** The warm-up round asks each question for the first time. */
async function measureAgain(label, { plain, caching, questions, options }) {
  let answered = 0
  let cached = 0
  const samples = await race(
    {
      ours: async (query) => {
        const answer = await caching.search({ query, limit: LIMIT })
        answered += 1
        if (answer.cached) cached += 1
      },
      peer: (query) => plain.search({ query, limit: LIMIT }),
    },
    questions,
    options,
  )
  const metrics = { answered, cached, memoryMB: memoryMB() }
  return compare(`${label}, asked again`, { ...samples, peerName: PEER, metrics })
}

/** The cost of the cache where no query is repeated. */
async function measureFirst(label, { plain, caching, questions, options }) {
  let asked = 0
  const search = (cairn, query) => {
    asked += 1
    return cairn.search({ query: `${query} ${asked}`, limit: LIMIT })
  }
  const contenders = {
    ours: (query) => search(caching, query),
    peer: (query) => search(plain, query),
  }
  const samples = await race(contenders, questions, options)
  return compare(`${label}, never asked before`, { ...samples, peerName: PEER })
}
