/** Writes a file whole or not at all: to a draft beside it, which is renamed when it is complete. */

import { randomUUID } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'

/** A draft names its process, so that another process knows whether it is still being written. */
const DRAFT = /\.cairn-(\d+)-[0-9a-f]{8}\.tmp(-journal|-wal|-shm)?$/
const ENDS = ['', '-journal', '-wal', '-shm']
/** The drafts of this process. In a container, an earlier process may have had the same id. */
const ours = new Set<string>()

/** Others see the old file until the new one is complete. Removes drafts of killed processes from the folder, unless `swept`. */
export async function writeDraft<T>(
  target: string,
  write: (draft: string) => Promise<T>,
  { swept = false } = {},
) {
  if (!swept) await sweepDrafts(dirname(target))
  const draft = `${target}.cairn-${process.pid}-${randomUUID().slice(0, 8)}.tmp`
  ours.add(basename(draft))
  try {
    const outcome = await write(draft)
    await renameOver(draft, target)
    return outcome
  } finally {
    for (const end of ENDS) await rm(`${draft}${end}`, { force: true }).catch(() => {})
    ours.delete(basename(draft))
  }
}

/** The error codes of Windows while a scanner, an indexer or an editor has the file open. */
const BUSY_CODES = ['EPERM', 'EACCES', 'EBUSY']
const BUSY_TRIES = 20
const BUSY_WAIT_MS = 50

/** Windows cannot replace an open file, and most programs close it soon: there it is retried for a second. */
export async function renameOver(
  from: string,
  to: string,
  { platform = process.platform, move = rename }: { platform?: string; move?: typeof rename } = {},
): Promise<void> {
  for (let left = platform === 'win32' ? BUSY_TRIES : 1; ; left--) {
    try {
      return await move(from, to)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (left <= 1 || !BUSY_CODES.includes(code)) throw error
    }
    await setTimeout(BUSY_WAIT_MS)
  }
}

async function sweepDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, end = ''] = DRAFT.exec(name) ?? []
    if (pid === undefined) continue
    const isOwn = Number(pid) === process.pid
    const draft = name.slice(0, name.length - end.length)
    if (isOwn ? ours.has(draft) : isAlive(Number(pid))) continue
    await rm(join(folder, name), { force: true }).catch(() => {})
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
