/** Searches without end, for words in general and for texts just written; every answer is noted with its time. */

import { appendFileSync, closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createChance } from '../lib/chance.mjs'

const { library, file, log, folder, seed } = JSON.parse(process.argv[2])
const { openCairn } = await import(library)
const chance = createChance(seed)
const WORDS = 'harbour ledger orchard signal quartz willow engine meadow copper lantern'.split(' ')
const TAIL = 4000

const cairn = await openCairn({ file, busyTimeoutMs: 30_000 })

const now = () => String(process.hrtime.bigint())

/** A text that some writer acknowledged lately. */
function lately() {
  const logs = readdirSync(folder).filter((one) => one.startsWith('writer-'))
  if (logs.length === 0) return null
  const path = join(folder, chance.pick(logs))
  const { size } = statSync(path)
  const bytes = Buffer.alloc(Math.min(size, TAIL))
  const handle = openSync(path, 'r')
  readSync(handle, bytes, 0, bytes.length, size - bytes.length)
  closeSync(handle)
  const texts = [...bytes.toString().matchAll(/"kind":"done".*"records":\[\["[^"]+","(\w+) /g)]
  return texts.length === 0 ? null : chance.pick(texts)[1]
}

for (;;) {
  const word = chance.share() < 0.6 ? lately() : null
  const mode = word === null ? chance.pick(['hybrid', 'semantic', 'keyword']) : 'keyword'
  const query = word ?? `${chance.pick(WORDS)} ${chance.pick(WORDS)}`
  const begun = now()
  // One in all: a token is one word, so nothing else may be found for it.
  const answer = await cairn.search(query, {
    mode,
    limit: 10,
    match: word === null ? 'auto' : 'all',
  })
  const hits = answer.hits.map(({ id, record }) => [id, record.body])
  appendFileSync(log, `${JSON.stringify({ begun, ended: now(), word, query, mode, hits })}\n`)
}
