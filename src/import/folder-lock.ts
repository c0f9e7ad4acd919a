/** Lets one process at a time work on a folder. The lock names its process, so that one that was killed locks nothing. */

import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { isAlive } from '../core/draft.js'
import { CairnError } from '../core/errors.js'
import { textAt } from '../core/json-fields.js'
import { hashValue } from './values.js'

const RETRY_MS = 50
const MAX_WAIT_MS = 30_000

/** Waits for another process; `locked` if that takes too long. The lock is outside of the folder, so that it does not trigger a watcher. */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(tmpdir(), `cairn-${hashValue(folder)}.lock`)
  for (let waitedMs = 0; !(await tryLock(path)); waitedMs += RETRY_MS) {
    if (waitedMs >= MAX_WAIT_MS) {
      throw new CairnError('locked', {
        message: `Another process is working on ${folder}.`,
        hint: `Wait until it is done; if there is none, delete ${path}.`,
      })
    }
    await setTimeout(RETRY_MS)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (textAt(error, 'code') !== 'EEXIST') throw error
  }
  const owner = Number(await readFile(path, 'utf8').catch(() => ''))
  if (!isAlive(owner)) await rm(path, { force: true })
  return false
}
