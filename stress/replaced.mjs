/** What is acknowledged is in the file at the path, whoever deletes or replaces that file meanwhile. */

import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { attempt, expectFailure, expectValue } from './lib/attempt.mjs'
import { createChance } from './lib/chance.mjs'
import { LIBRARY, pause } from './lib/children.mjs'
import { startServer } from './lib/mcp-client.mjs'

export const about =
  'the file is deleted, moved away or replaced by another while a program has it open'
export const seconds = 15
export const tell = ({ taken, acknowledged, refused, reopened }) =>
  `${taken} files taken away in four ways, ${acknowledged} records acknowledged before, ${refused} writes refused after, ${reopened} times a server went on with another file`

const BESIDE = ['-wal', '-shm']

/** Each takes the file away; what is at the path afterwards, if anything, is told by a word. */
const WAYS = {
  deleted: ({ file }) => rmSync(file),
  'deleted with all beside it': ({ file }) => {
    for (const end of ['', ...BESIDE]) rmSync(`${file}${end}`, { force: true })
  },
  'moved away': ({ file, place }) => {
    for (const end of ['', ...BESIDE]) renameSync(`${file}${end}`, join(place, `away.cairn${end}`))
  },
  replaced: ({ file, other }) => {
    for (const end of BESIDE) rmSync(`${file}${end}`, { force: true })
    renameSync(other, file)
  },
}

export async function run({ seconds: lasting, seed, folder, problem }) {
  if (process.platform === 'win32') return { skipped: 'Windows replaces no file that is open' }
  const library = await import(LIBRARY)
  const chance = createChance(seed)
  const figures = { rounds: 0, taken: 0, acknowledged: 0, refused: 0, reopened: 0 }
  const until = performance.now() + lasting * 1000
  do {
    for (const [way, take] of Object.entries(WAYS)) {
      const place = join(folder, `${figures.rounds}-${figures.taken}`)
      mkdirSync(place)
      const round = await takeAway({ ...library, place, way, take, chance, problem })
      figures.taken += 1
      figures.acknowledged += round.acknowledged
      figures.refused += round.refused
      rmSync(place, { recursive: true })
    }
    const place = join(folder, `${figures.rounds}-mcp`)
    mkdirSync(place)
    figures.reopened += await replaceUnderServer({ ...library, place, problem })
    figures.rounds += 1
    rmSync(place, { recursive: true })
  } while (performance.now() < until)
  return figures
}

/** Writes in one go while the file is taken away: each write is in what is at the path, or in what was taken, or failed. */
async function takeAway({ openCairn, place, way, take, chance, problem }) {
  const file = join(place, 'notes.cairn')
  const other = join(place, 'other.cairn')
  await createFile(openCairn, other, 'other pear')
  const cairn = await openCairn({ file })
  const written = { before: [], after: [] }
  const write = async (when) => {
    const outcome = await attempt(() => cairn.add({ body: `apple ${chance.below(1e9)}` }))
    if ('value' in outcome) written[when].push(outcome.value.id)
    return outcome
  }
  for (let i = 0; i < 5; i++) expectValue(await write('before'), 'writing', problem)
  // A copy of what is there, to see afterwards that nothing acknowledged before was lost with it.
  await cairn.backup(join(place, 'copy.cairn'))
  take({ file, place, other })
  let refused = 0
  for (let i = 0; i < 3; i++) {
    const outcome = await write('after')
    expectFailure(outcome, ['file_changed'], `writing into a file that was ${way}`, problem)
    refused += 1
  }
  await pause(150)
  expectFailure(
    await attempt(() => cairn.search('apple')),
    ['file_changed'],
    `searching a file that was ${way}`,
    problem,
  )
  if (cairn.isInPlace) problem(`a file that was ${way} is said to be in its place`)
  await cairn.close()
  await expectAt(openCairn, { file, way, problem })
  const copy = await openCairn({ file: join(place, 'copy.cairn') })
  const { missing } = await copy.get(written.before)
  if (missing.length > 0) problem(`${missing.length} of ${written.before.length} are in no copy`)
  await copy.close()
  return { acknowledged: written.before.length, refused }
}

/** What stands at the path now is what was put there, and can be used. */
async function expectAt(openCairn, { file, way, problem }) {
  const opened = await attempt(() => openCairn({ file }))
  if (way === 'deleted') {
    expectFailure(opened, ['file_changed'], 'a new file beside the log of a deleted one', problem)
    for (const end of BESIDE) rmSync(`${file}${end}`, { force: true })
    expectValue(await attempt(() => createFile(openCairn, file, 'anew')), 'starting anew', problem)
    return
  }
  const cairn = expectValue(opened, `opening after it was ${way}`, problem)
  if (cairn === undefined) return
  const bodies = (await cairn.list()).records.map(({ body }) => body)
  const expected = way === 'replaced' ? ['other pear'] : []
  if (JSON.stringify(bodies) !== JSON.stringify(expected)) problem(`after it was ${way}: ${bodies}`)
  if (!(await cairn.doctor()).ok) problem(`after it was ${way} the file is not sound`)
  await cairn.close()
}

/** A server goes on with the file that is there now: its writes are in it, and its session as well. */
async function replaceUnderServer({ openCairn, place, problem }) {
  const file = join(place, 'notes.cairn')
  const other = join(place, 'other.cairn')
  await createFile(openCairn, other, 'other pear')
  const server = await startServer(file)
  try {
    await server.call('remember', { text: 'The first apple.' })
    WAYS.replaced({ file, other })
    const told = await server.call('remember', { text: 'The second apple.' })
    if (told.isError) problem(`remembering after a replacement: ${told.text}`)
    const found = await server.call('search', { query: 'pear' })
    if (!found.text.includes('pear')) problem(`searching after a replacement: ${found.text}`)
    await expectBodies(openCairn, file, ['The second apple.', 'other pear'], problem)

    WAYS.deleted({ file })
    const refused = await server.call('remember', { text: 'The third apple.' })
    if (!refused.isError || !/was deleted/.test(refused.text))
      problem(`after a deletion: ${refused.text}`)
    for (const end of BESIDE) rmSync(`${file}${end}`, { force: true })
    const anew = await server.call('remember', { text: 'The fourth apple.' })
    if (anew.isError) problem(`starting anew after a deletion: ${anew.text}`)
  } finally {
    await server.close()
  }
  await expectBodies(openCairn, file, ['The fourth apple.'], problem)
  return 2
}

async function expectBodies(openCairn, file, expected, problem) {
  const cairn = await openCairn({ file })
  const bodies = (await cairn.list()).records.map(({ body }) => body).sort()
  await cairn.close()
  if (bodies.join() !== expected.join()) problem(`the server left ${bodies.join()}`)
}

async function createFile(openCairn, file, body) {
  const cairn = await openCairn({ file })
  await cairn.add({ body })
  await cairn.close()
}
