/** A model that dies in the middle of an import costs no record: they are stored, found by words, and read later. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIBRARY, pause, startChild } from './lib/children.mjs'

export const about =
  'the server of the embedding model falls silent, breaks off or babbles in the middle of an import'
export const seconds = 30
export const tell = ({ deaths, records, embeddedLater, longestImportMs }) =>
  `${deaths} deaths, ${records} records stored, ${embeddedLater} of them waited and were read later; the longest import took ${longestImportMs} ms`

const RECORDS = 240
const BATCH = 40
const DIMENSIONS = 32
const TIMEOUT_MS = 600
const ENDS = ['kill', 'hang', 'reset', 'refuse', 'babble']

export async function run({ seconds: lasting, folder, problem, seed }) {
  const { openCairn } = await import(LIBRARY)
  const figures = { deaths: 0, records: 0, waited: 0, embeddedLater: 0, longestImportMs: 0 }
  const notes = join(folder, 'notes.jsonl')
  const bodies = Array.from({ length: RECORDS }, (_, i) => `apple number ${i} in basket ${i % 7}`)
  writeFileSync(notes, bodies.map((body) => JSON.stringify({ body })).join('\n'))
  const until = performance.now() + lasting * 1000
  do {
    const end = ENDS[(seed + figures.deaths) % ENDS.length]
    const file = join(folder, `${figures.deaths}.cairn`)
    const round = await dieInTheMiddle({ openCairn, file, notes, end, problem })
    figures.deaths += 1
    figures.records += round.records
    figures.waited += round.waiting
    figures.embeddedLater += round.waiting
    figures.longestImportMs = Math.max(figures.longestImportMs, round.importMs)
  } while (performance.now() < until)
  return figures
}

async function dieInTheMiddle({ openCairn, file, notes, end, problem }) {
  const texts = end === 'kill' ? Infinity : RECORDS / 3
  let server = await startModel({ port: 0, texts, afterwards: end })
  const baseUrl = `http://127.0.0.1:${server.port}`
  const vectors = {
    provider: 'ollama',
    model: 'basket',
    baseUrl,
    dimensions: DIMENSIONS,
    timeoutMs: TIMEOUT_MS,
  }
  const cairn = await openCairn({ file, vectors })
  const start = performance.now()
  const report = await cairn.import(notes, {
    format: 'jsonl',
    batch: BATCH,
    onProgress: ({ created }) => {
      if (end === 'kill' && created >= RECORDS / 3) server.child.kill('SIGKILL')
    },
  })
  const importMs = Math.round(performance.now() - start)
  if (report.created !== RECORDS) problem(`${end}: ${report.created} of ${RECORDS} were stored`)
  const { waiting } = await cairn.stats()
  if (waiting === 0) problem(`${end}: no record waits for its vectors`)
  const degraded = await cairn.search('basket 3', { limit: 5 })
  if (degraded.degraded === null) problem(`${end}: a search does not say that it is by words alone`)
  if (degraded.hits.length !== 5) problem(`${end}: ${degraded.hits.length} hits by words`)

  server.child.kill('SIGKILL')
  await server.done
  server = await startModel({ port: server.port })
  await cairn.embed()
  const later = await cairn.stats()
  if (later.waiting !== 0) problem(`${end}: ${later.waiting} records still wait after embed`)
  const whole = await cairn.search('basket 3', { mode: 'semantic', limit: 5, threshold: -1 })
  if (whole.degraded !== null) problem(`${end}: ${whole.degraded.message}`)
  if (whole.hits.length !== 5) problem(`${end}: ${whole.hits.length} hits by meaning`)
  if (!(await cairn.doctor()).ok) problem(`${end}: the file is not sound`)
  await cairn.close()
  server.child.kill('SIGKILL')
  await server.done
  return { records: report.created, waiting, importMs }
}

async function startModel(task) {
  const server = startChild('ollama', { dimensions: DIMENSIONS, ...task })
  while (!server.out().includes('\n')) {
    if (server.child.exitCode !== null) throw new Error((await server.done).err)
    await pause(10)
  }
  return { ...server, port: Number(server.out().trim()) }
}
