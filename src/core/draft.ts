/** Writes a file whole or not at all: to a draft beside it, which is renamed when it is complete. */

import { randomUUID } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'

/** A draft names its process, so that the next one knows whether anybody still writes to it. */
const DRAFT = /\.cairn-(\d+)-[0-9a-f]{8}\.tmp(-journal|-wal|-shm)?$/
const ENDS = ['', '-journal', '-wal', '-shm']
/** The names of the drafts of this process. In a container every process may have had the same id. */
const ours = new Set<string>()

/** Others see the old file until the new one is complete. Removes what killed processes left in the folder, unless it is `swept`. */
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

/** What Windows answers while a scanner, an indexer or an editor has the file open. */
const BUSY_CODES = ['EPERM', 'EACCES', 'EBUSY']
const BUSY_TRIES = 20
const BUSY_WAIT_MS = 50

/** Windows cannot replace a file that a program has open, which most have for a moment only: there it is tried for a second. */
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
