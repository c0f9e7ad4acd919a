/** Relative times count from the clock that `openCairn` was given, in every operation that takes one. */

import { expect, test } from 'vitest'
import { openCairn, type SearchInput } from '../index.js'

const DAY = 86_400_000
let now = Date.UTC(2031, 2, 1, 12)

test('7d is seven days before the clock of the open file', async () => {
  const cairn = await openCairn({ file: ':memory:', now: () => now + 0.4, vectors: false })
  const old = await cairn.add({ body: 'heron at the weir' })
  now += 10 * DAY
  const young = await cairn.add({ body: 'heron at the mill', occurredAt: '1d' })
  const [record] = (await cairn.get([young.id])).records
  expect(record?.occurredAt).toBe(new Date(now - DAY).toISOString())

  const ids = (hits: readonly { id: string }[]) => hits.map(({ id }) => id)
  expect(ids((await cairn.search({ query: 'heron', since: '7d' })).hits)).toEqual([young.id])
  expect(ids((await cairn.search('heron', { until: '7d' })).hits)).toEqual([old.id])
  expect(ids((await cairn.search('heron', { asOf: '7d' })).hits)).toEqual([old.id])
  expect(ids((await cairn.list({ since: '7d' })).records)).toEqual([young.id])
  expect(ids((await cairn.timeline({ since: '7d' })).entries)).toEqual([young.id])
  await cairn.lenses.save('lately', { since: '7d' })
  expect(ids((await cairn.search('heron', { lens: 'lately' })).hits)).toEqual([young.id])
  const edited = await cairn.edit(old.id, { occurredAt: '2d' })
  expect(edited.occurredAt).toBe(new Date(now - 2 * DAY).toISOString())
  const session = await cairn.sessions.start({ startedAt: '3d' })
  expect(session.startedAt).toBe(new Date(now - 3 * DAY).toISOString())
  await cairn.close()
})

test('a search takes a text and options, or one object, and refuses options after an object', async () => {
  const cairn = await openCairn({ file: ':memory:', vectors: false })
  await cairn.addMany([{ body: 'a heron' }, { body: 'another heron' }])
  const search = cairn.search as (...args: unknown[]) => ReturnType<typeof cairn.search>
  expect((await search('heron', { limit: 1 })).hits).toHaveLength(1)
  expect((await search({ query: 'heron', limit: 1 } satisfies SearchInput)).hits).toHaveLength(1)
  expect((await search({ query: 'heron' }, undefined)).hits).toHaveLength(2)
  await expect(search({ query: 'heron' }, { limit: 1 })).rejects.toThrow(
    'search takes a text and options, or one object.',
  )
  await cairn.close()
})
