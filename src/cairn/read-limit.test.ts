import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/library.js'
import { openCairn } from '../index.js'
import { ReadLimit } from './read-limit.js'

const WORKS = 2000

/** Reading it takes longer than a millisecond on any machine. */
function writeLibrary(): string {
  const path = join(temporaryFolder(), 'library.bib')
  const entry = (i: number) => `@book{k${i}, title = {On {G}raphs ${i}}, author = {Doe, Jane}}\n`
  writeFileSync(path, Array.from({ length: WORKS }, (_, i) => entry(i)).join(''))
  return path
}

test('an upload that takes too long to read keeps the entries that were read, reports this and deletes nothing', async () => {
  const path = writeLibrary()
  const cairn = await openCairn({ file: ':memory:', vectors: false, timeLimitMs: 1 })
  const cut = await cairn.import(path, { isUpload: true })
  expect(cut.degraded).toMatchObject({ reason: 'too_expensive' })
  expect(cut.hint).toContain('smaller parts')
  expect(cut.read).toBeLessThan(WORKS)
  expect(cut.works?.created ?? 0).toBe(cut.read)
  const whole = await cairn.import(path)
  expect(whole).not.toHaveProperty('degraded')
  expect(whole.read).toBe(WORKS)
  expect(await cairn.import(path, { isUpload: true, prune: true })).toMatchObject({ deleted: 0 })
  await cairn.close()
})

test('a reader that waits is ended by the signal, and storing takes none of the time', async () => {
  const limit = new ReadLimit(500, undefined)
  async function* read() {
    yield 1
    yield 2
    await new Promise((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason))
    })
  }
  const seen: number[] = []
  for await (const entry of limit.within(read())) {
    seen.push(entry)
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  expect({ seen, isSpent: limit.isSpent }).toEqual({ seen: [1, 2], isSpent: true })
})

test('the signal of the caller and other errors end a reader as before', async () => {
  const caller = new AbortController()
  const limit = new ReadLimit(60_000, caller.signal)
  async function* read() {
    yield 1
    limit.signal.throwIfAborted()
  }
  const drain = async () => {
    for await (const _ of limit.within(read())) caller.abort(new Error('stopped'))
  }
  await expect(drain()).rejects.toThrow('stopped')
  expect(limit.isSpent).toBe(false)
})
