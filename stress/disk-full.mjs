/** A write that does not fit fails in a sentence, what was there stays, reading goes on, and so does writing with room. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { askChild } from './lib/children.mjs'
import { smallDisk } from './lib/mounts.mjs'

export const about = 'the disk is full in the middle of writing, and has room again later'
export const seconds = 20
export const tell = ({ disks, acknowledged, refused }) =>
  `${disks} disks of 3 to 6 MB, ${acknowledged} records acknowledged and there, ${refused} writes refused`

const SIZES_KIB = [3072, 3584, 4096, 5120, 6144]

export async function run({ seconds: lasting, seed, folder, problem }) {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const totals = { disks: 0, acknowledged: 0, refused: 0 }
  const until = performance.now() + lasting * 1000
  do {
    const size = SIZES_KIB[totals.disks % SIZES_KIB.length]
    const command = smallDisk(disk, `${size}k`)
    if (command === null)
      return { skipped: 'a small disk cannot be mounted here (unshare and mount)' }
    const task = { folder: disk, seed: seed + totals.disks, ballast: size * 400 }
    const told = await askChild('fill-disk', task, { command })
    for (const sentence of told.problems) problem(`on a disk of ${size} KiB: ${sentence}`)
    totals.disks += 1
    totals.acknowledged += told.acknowledged
    totals.refused += told.refused
  } while (performance.now() < until)
  return totals
}
