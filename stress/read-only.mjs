/** What may be read is searched, wherever it lies, and a write that is not allowed fails in one sentence. */

import { chmodSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { askChild, LIBRARY } from './lib/children.mjs'
import { asNobody, readOnlyDisk } from './lib/mounts.mjs'

export const about = 'the file, its folder or the whole disk cannot be written to'
export const seconds = 60
export const tell = ({ cases, refused, left }) =>
  `${cases} ways of not being allowed to write, ${refused} writes refused${left === undefined ? '' : `; left out: ${left}`}`

export async function run({ seconds: lasting, folder, problem }) {
  const until = performance.now() + lasting * 1000
  chmodSync(folder, 0o755)
  const [closed, live] = await createFiles(folder)
  const nobody = asNobody()
  const cases = [
    { name: 'a read-only disk', file: closed, command: readOnlyDisk(join(folder, 'closed')) },
    { name: 'a file of somebody else', file: closed, modes: [0o755, 0o444], command: nobody },
    {
      name: 'a read-only disk with a file left open',
      file: live,
      command: readOnlyDisk(join(folder, 'live')),
    },
    {
      name: 'a file of somebody else, left open',
      file: live,
      modes: [0o755, 0o444],
      command: nobody,
    },
    {
      name: 'a read-only file in a folder of all',
      file: closed,
      modes: [0o777, 0o444],
      command: nobody,
    },
  ]
  const figures = { cases: 0, refused: 0 }
  const isTimeUp = () => figures.cases >= 1 && performance.now() > until
  const left = cases.filter(({ command }) => command === null)
  for (const { name, file, command, modes } of cases) {
    if (command === null || isTimeUp()) continue
    if (modes !== undefined) {
      chmodSync(join(file, '..'), modes[0])
      chmodSync(file, modes[1])
    }
    const told = await askChild('read-only', { file }, { command })
    for (const sentence of told.problems) problem(`${name}: ${sentence}`)
    figures.cases += 1
    figures.refused += told.refused
  }
  if (left.length === cases.length)
    return { skipped: 'neither unshare nor setpriv is allowed here' }
  return left.length === 0 ? figures : { ...figures, left: left.map(({ name }) => name).join('; ') }
}

/** One that was closed in order, and one with the log that a killed program leaves behind. */
async function createFiles(folder) {
  const { openCairn } = await import(LIBRARY)
  const [closed, live] = ['closed', 'live'].map((name) => join(folder, name, 'notes.cairn'))
  mkdirSync(join(folder, 'live'))
  const cairn = await openCairn({ file: closed })
  await cairn.addMany([{ body: 'kept apple' }, { body: 'kept pear' }])
  for (const end of ['', '-wal', '-shm']) cpSync(`${closed}${end}`, `${live}${end}`)
  await cairn.close()
  return [closed, live]
}
