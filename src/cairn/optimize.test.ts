/** Optimizing changes no answer, gives room back where asked, and says so where it cannot. */

import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { createIdGenerator } from '../core/ids.js'
import { openCairn } from '../index.js'
import { openSqlite } from '../storage/sqlite/open-sqlite.js'

const notes = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ body: `note ${i} about wind and weather `.repeat(8) }))

test('a vacuum frees the space of purged records and changes no answer', async () => {
  const file = temporaryFile()
  // A clock that stands still: what a record is worth fades from one search to the next.
  const cairn = await openCairn({ file, now: () => 1_750_000_000_000 })
  onTestFinished(() => cairn.close())
  const added = await cairn.addMany(notes(900))
  await cairn.addMany(notes(20).map(({ body }, i) => ({ body: `kept ${i} ${body}` })))
  await cairn.purge(added.map(({ id }) => id))
  const ask = async () =>
    (await cairn.search('kept weather', { limit: 50 })).hits.map(({ id, score }) => [id, score])
  const before = await ask()

  const merged = await cairn.optimize()
  expect(merged.bytesAfter).toBeLessThanOrEqual(merged.bytesBefore)
  const { bytesBefore, bytesAfter } = await cairn.optimize({ vacuum: true })
  expect(bytesAfter).toBeLessThan(bytesBefore / 2)
  expect(statSync(file).size).toBe(bytesAfter)
  expect(await ask()).toEqual(before)
  expect((await cairn.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
})

test('a file in memory and an empty one are optimized as well', async () => {
  const cairn = await libraryOf([], { file: ':memory:' })
  const { bytesBefore, bytesAfter } = await cairn.optimize({ vacuum: true })
  expect(bytesBefore).toBeGreaterThan(0)
  expect(bytesAfter).toBeGreaterThan(0)
})

test('a full disk is reported in one sentence, and nothing is changed', async () => {
  const storage = openSqlite({
    file: temporaryFile(),
    programVersion: '0.0.0',
    create: true,
    readOnly: false,
    busyTimeoutMs: 1000,
    trace: null,
    now: Date.now,
    makeId: createIdGenerator({ now: Date.now, randomBytes }),
    decay: 1,
    reinforcement: 0.02,
    freeBytes: () => 5000,
  })
  onTestFinished(() => storage.close())
  await expect(storage.optimize(true)).rejects.toMatchObject({
    code: 'disk_full',
    message: expect.stringMatching(
      /^Optimizing .* needs up to \d+ MB .* 1 MB are left; nothing was changed\.$/,
    ),
  })
})
