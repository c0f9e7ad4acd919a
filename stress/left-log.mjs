/** Whatever a killed process left beside a file, everything that it acknowledged is there when the file is opened. */

import { cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createChance } from './lib/chance.mjs'
import { expectSound, expectStored } from './lib/checks.mjs'
import { LIBRARY, pause, startChild } from './lib/children.mjs'
import { mustHold, readLog } from './lib/histories.mjs'

export const about =
  'a process is killed, and its file is opened with the log it left, without or with a strange -shm'
export const seconds = 20
export const tell = ({ kills, opened, acknowledged, logBytes }) =>
  `${kills} kills, ${opened} files opened, ${acknowledged} acknowledged records, ${logBytes} bytes of logs`

/** What is copied beside the file, and what becomes of the shared memory file. */
const WAYS = {
  'log and shm': (copy, shm) => cpSync(shm, `${copy}-shm`),
  'log alone': () => {},
  'log and an empty shm': (copy) => writeFileSync(`${copy}-shm`, ''),
  'log and a shm of zeros': (copy) => writeFileSync(`${copy}-shm`, Buffer.alloc(32_768)),
  'log and a shm of noise': (copy, _, chance) =>
    writeFileSync(
      `${copy}-shm`,
      Buffer.from(Array.from({ length: 32_768 }, () => chance.below(256))),
    ),
  'log and the shm of an earlier moment': (copy, _, __, stale) => cpSync(stale, `${copy}-shm`),
}

export async function run({ seconds: lasting, seed, folder, problem }) {
  const { openCairn } = await import(LIBRARY)
  const chance = createChance(seed)
  const figures = { kills: 0, opened: 0, acknowledged: 0, logBytes: 0 }
  const until = performance.now() + lasting * 1000
  do {
    const place = join(folder, `${figures.kills}`)
    mkdirSync(place)
    const file = join(place, 'notes.cairn')
    const held = await writeAndKill({ file, place, seed: seed + figures.kills, chance })
    figures.kills += 1
    figures.acknowledged += held.size
    figures.logBytes += statSync(`${file}-wal`).size
    for (const [name, addShm] of Object.entries(WAYS)) {
      const copy = join(place, name.replaceAll(' ', '-'))
      for (const end of ['', '-wal']) cpSync(`${file}${end}`, `${copy}${end}`)
      addShm(copy, `${file}-shm`, chance, join(place, 'stale-shm'))
      const cairn = await openCairn({ file: copy })
      await expectStored(cairn, held, name, problem)
      await expectSound(cairn, name, problem)
      await cairn.add({ body: `a word after ${name}` })
      await cairn.close()
      figures.opened += 1
    }
    await expectReading(openCairn, { file, held, place }, problem)
    figures.opened += 1
    rmSync(place, { recursive: true })
  } while (performance.now() < until)
  if (figures.logBytes === 0) problem('no process left a log behind')
  return figures
}

async function writeAndKill({ file, place, seed, chance }) {
  const log = join(place, 'writer.log')
  const writer = startChild('writer', { file, log, name: 'w', folder: place, seed })
  while (!existsSync(log) && writer.child.exitCode === null) await pause(20)
  cpSync(`${file}-shm`, join(place, 'stale-shm'))
  await pause(chance.between(300, 1200))
  writer.child.kill('SIGKILL')
  const { err } = await writer.done
  if (err !== '') throw new Error(err)
  return mustHold(readLog(log)).records
}

/** For reading alone, too. */
async function expectReading(openCairn, { file, held, place }, problem) {
  const copy = join(place, 'for-reading')
  for (const end of ['', '-wal']) cpSync(`${file}${end}`, `${copy}${end}`)
  const cairn = await openCairn({ file: copy, readOnly: true })
  await expectStored(cairn, held, 'for reading', problem)
  await cairn.close()
}
