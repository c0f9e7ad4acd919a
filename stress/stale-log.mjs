/** A backup goes where another file left its log, or is killed half-way; the copy has what was backed up, or there is none. */

import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, expectFailure, expectValue } from './lib/attempt.mjs'
import { createChance } from './lib/chance.mjs'
import { expectSound } from './lib/checks.mjs'
import { LIBRARY, pause, startChild } from './lib/children.mjs'

export const about = 'backups onto the log of another file, and backups that are killed'
export const seconds = 20
export const tell = ({ backups, refused, killed }) =>
  `${backups} backups, ${refused} refused for a log without its file, ${killed} killed, no draft left`

const RECORDS = 2000

export async function run({ seconds: lasting, seed, folder, problem }) {
  const { openCairn } = await import(LIBRARY)
  const chance = createChance(seed)
  const figures = { backups: 0, refused: 0, killed: 0 }
  const file = join(folder, 'source.cairn')
  const cairn = await openCairn({ file, vectors: false })
  const bodies = Array.from({ length: RECORDS }, (_, i) => ({
    body: `new ${i} ${'x'.repeat(2000)}`,
  }))
  await cairn.addMany(bodies)
  const other = await openCairn({ file: join(folder, 'other.cairn'), vectors: false })
  await other.addMany([{ body: 'old one' }, { body: 'old two' }])
  const until = performance.now() + lasting * 1000
  do {
    const place = join(folder, `place-${figures.backups}-${figures.refused}`)
    mkdirSync(place)
    const target = join(place, 'copy.cairn')
    await killBackup({ file, target, chance, figures })
    const hasFile = chance.share() < 0.5
    const ends = ['-wal', ...(chance.share() < 0.5 ? ['-shm'] : [])]
    rmSync(target, { force: true })
    for (const end of [...(hasFile ? [''] : []), ...ends]) {
      cpSync(`${join(folder, 'other.cairn')}${end}`, `${target}${end}`)
    }
    const outcome = await attempt(() => cairn.backup(target, { force: true }))
    if (hasFile) {
      expectValue(outcome, 'a backup over a file with a log', problem)
      await expectCopy(openCairn, target, problem)
      figures.backups += 1
    } else {
      expectFailure(outcome, ['file_changed'], 'a backup onto a log without its file', problem)
      if (existsSync(target)) problem('a refused backup left a file')
      figures.refused += 1
      // The sweep comes with the next backup that is not refused.
      await cairn.backup(join(place, 'sound.cairn'))
    }
    const drafts = readdirSync(place).filter((name) => name.includes('.tmp'))
    if (drafts.length > 0) problem(`drafts are left: ${drafts.join(', ')}`)
    rmSync(place, { recursive: true })
  } while (performance.now() < until)
  await other.close()
  await cairn.close()
  return figures
}

async function killBackup({ file, target, chance, figures }) {
  const child = startChild('backup', { file, target })
  while (!child.out().includes('begun') && child.child.exitCode === null) await pause(2)
  await pause(chance.below(20))
  if (child.child.kill('SIGKILL')) figures.killed += 1
  await child.done
}

async function expectCopy(openCairn, target, problem) {
  const copy = await openCairn({ file: target, create: false, vectors: false })
  const { records } = await copy.stats()
  if (records.memory !== RECORDS) problem(`the copy has ${records.memory} records of ${RECORDS}`)
  if ((await copy.search('old', { match: 'all' })).hits.length > 0)
    problem('the copy has old records')
  await expectSound(copy, 'the copy', problem)
  await copy.close()
}
