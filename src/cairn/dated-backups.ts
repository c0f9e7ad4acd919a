/** Keeps the newest of the dated backups in a folder. */

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const DATED = /^cairn-\d{8}T\d{9}Z\.cairn$/

/** Sorts by time. */
export function nameDated(nowMs: number): string {
  return `cairn-${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')}.cairn`
}

/** Removes all but the newest `keep`; files with other names stay. */
export async function removeOld(folder: string, keep: number): Promise<string[]> {
  const dated = (await readdir(folder)).filter((name) => DATED.test(name)).sort()
  const old = dated.slice(0, Math.max(0, dated.length - keep)).map((name) => join(folder, name))
  for (const path of old) await rm(path)
  return old
}
