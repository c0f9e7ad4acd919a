/** What was asked lately is not asked again, and no file of the cache can make a call fail. */

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { valueAt } from './json.js'

export type AnswerCache = {
  /** The answer to this address, or undefined where there is none or it is too old. */
  readonly read: (url: string) => Promise<unknown>
  readonly write: (url: string, answer: unknown) => Promise<void>
}

export const NO_CACHE: AnswerCache = { read: async () => undefined, write: async () => {} }

/** `url` comes without key and mail address: it is stored beside the answer. Nothing is created before a write. */
export function createAnswerCache(
  folder: string,
  { timeToLiveMs, now }: { readonly timeToLiveMs: number; readonly now: () => number },
): AnswerCache {
  const pathOf = (url: string): string =>
    join(folder, `${createHash('sha256').update(url).digest('hex')}.json`)

  return {
    read: async (url) => {
      try {
        const entry: unknown = JSON.parse(await readFile(pathOf(url), 'utf8'))
        const ageMs = now() - Number(valueAt(entry, 'storedAtMs'))
        // A clock that was set back makes an answer younger than new; it is asked for again.
        const isFresh = ageMs >= 0 && ageMs < timeToLiveMs
        return isFresh && valueAt(entry, 'url') === url ? valueAt(entry, 'answer') : undefined
      } catch {
        return undefined
      }
    },
    write: async (url, answer) => {
      const path = pathOf(url)
      const draft = `${path}.${randomUUID()}.tmp`
      try {
        await mkdir(folder, { recursive: true })
        await writeFile(draft, JSON.stringify({ url, storedAtMs: now(), answer }))
        await rename(draft, path)
      } catch {
        // The answer is in hand; that it could not be kept costs one more request some day.
        await rm(draft, { force: true }).catch(() => {})
      }
    },
  }
}
