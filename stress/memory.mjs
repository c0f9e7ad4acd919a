/** Editing and searching in turns holds no more memory after an hour than after a minute. */

import { join } from 'node:path'
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { LIBRARY } from './lib/children.mjs'

export const about = 'a program edits and searches the same file in a loop'
export const seconds = 60
export const tell = ({ rounds, searches, grownMb }) =>
  `${rounds} edits and ${searches} searches of 2,000 records; ${grownMb} MB more memory in use than after the first tenth`

const RECORDS = 2000
/** The answers of a few hundred searches are cached, and each takes some kilobytes. */
const MAX_GROWTH_MB = 20
const WORDS = 'alpha beta gamma delta epsilon zeta eta theta iota kappa'.split(' ')

export async function run({ seconds: lasting, folder, problem }) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const { openCairn } = await import(LIBRARY)
  const cairn = await openCairn({ file: join(folder, 'memory.cairn'), vectors: false })
  const added = await cairn.addMany(Array.from({ length: RECORDS }, (_, i) => ({ body: write(i) })))
  const ids = added.map(({ id }) => id)
  const measure = () => {
    collect()
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return (heapUsed + arrayBuffers) / 1e6
  }
  const figures = { rounds: 0, searches: 0, grownMb: 0 }
  let before = null
  const start = performance.now()
  const share = () => (performance.now() - start) / (lasting * 1000)
  while (share() < 1 || figures.rounds < 10) {
    const round = figures.rounds++
    await cairn.edit(ids[round % RECORDS], { body: `${write(round)} edited ${round}` })
    const word = WORDS[round % WORDS.length]
    for (const query of ['common stone river', `"common word" ${word}`, `body:record ${word}`]) {
      await cairn.search(query)
      figures.searches += 1
    }
    if (before === null && share() > 0.1) before = measure()
  }
  figures.grownMb = Math.round((measure() - before) * 10) / 10
  if (figures.grownMb > MAX_GROWTH_MB) {
    problem(`after ${figures.rounds} edits ${figures.grownMb} MB more are in use`)
  }
  await cairn.close()
  return figures
}

function write(i) {
  const [one, other] = [WORDS[i % 10], WORDS[(i * 7) % 10]]
  return `record number ${i} holds ${one} and ${other} with the common word stone and river ${(i * 31) % 997}`
}
