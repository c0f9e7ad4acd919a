import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Opened, record } from '../../../test/contract/storage-contract.js'
import { openPglite } from '../../../test/support/postgres.js'
import { createIdGenerator, type RecordId } from '../../core/ids.js'
import { openPostgres } from './open-postgres.js'

async function open(): Promise<Opened> {
  let time = 1_780_000_000_000
  const now = (): number => time
  const storage = await openPostgres({
    ...(await openPglite()),
    now,
    decay: 1,
    reinforcement: 0.02,
    makeId: createIdGenerator({ now, randomBytes }),
  })
  return {
    storage,
    tick: (ms) => {
      time += ms
    },
  }
}

// The suites of test/contract run here once all parts of the storage are there.
test('a record is read as it was added', async () => {
  const { storage } = await open()
  const added = record('the harbour', { tags: ['Port'], metadata: { z: 1, a: [2] } })
  const [first, again] = await storage.add([added, added])
  expect([first?.created, again?.duplicateOf]).toEqual([true, first?.id])
  const [stored] = await storage.get([first?.id as RecordId])
  const { occurredAtMs: _, ...content } = added
  expect(stored).toMatchObject({ ...content, revision: 1, createdAt: '2026-05-28T20:26:40.000Z' })
  expect(JSON.stringify(stored?.metadata)).toBe('{"z":1,"a":[2]}')
  expect(await storage.version()).toBe('1')
})
