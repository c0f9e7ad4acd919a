/** Who made each write, in every backend. */

import { beforeEach, describe, expect, test } from 'vitest'
import type { RecordId } from '../../src/core/ids.js'
import type { Storage } from '../../src/storage/storage.js'
import { type Opened, record } from './storage-contract.js'

export function describeAuthors(name: string, open: () => Promise<Opened>): void {
  describe(`authors: ${name}`, () => {
    let storage: Storage
    let tick: Opened['tick']

    beforeEach(async () => {
      const opened = await open()
      storage = opened.storage
      tick = opened.tick
      return () => storage.close()
    })

    const add = async (author: string | null, body: string): Promise<RecordId> => {
      const [added] = await storage.signed(author, () => storage.add([record(body)]))
      return added?.id as RecordId
    }
    const listStates = async (id: RecordId) => {
      const revisions = await storage.history(id)
      const [now] = await storage.get([id], { deleted: true })
      return [
        ...revisions.map(({ author, endedBy, endedAuthor }) => [author, endedBy, endedAuthor]),
        [now?.author],
      ]
    }

    test('every state of a record has the author who wrote it and the one who ended it', async () => {
      const id = await add('ada', 'one')
      expect(await listStates(id)).toEqual([['ada']])
      const steps: [string | null, () => Promise<unknown>][] = [
        ['ben', () => storage.update(id, { body: 'two' })],
        ['cem', () => storage.softDelete([id])],
        ['dan', () => storage.restore([id])],
        [null, () => storage.update(id, { tags: ['x'] })],
      ]
      for (const [author, work] of steps) {
        tick(10)
        await storage.signed(author, work)
      }
      expect(await listStates(id)).toEqual([
        ['ada', 'edit', 'ben'],
        ['ben', 'delete', 'cem'],
        ['dan', 'edit', null],
        [null],
      ])
      const [past] = await storage.get([id], { asOfMs: 1_780_000_000_015 })
      expect(past?.author).toBe('ben')
    })

    test('a record that is superseded, deleted and restored meanwhile keeps all names', async () => {
      const [older, newer] = [await add('ada', 'older'), await add('ada', 'newer')]
      const how = { author: 'someone else', note: null }
      const steps: [string, () => Promise<unknown>][] = [
        ['ben', () => storage.supersede(older, newer, how)],
        ['cem', () => storage.softDelete([older])],
        ['dan', () => storage.restore([older])],
        ['eva', () => storage.reinstate(older)],
      ]
      for (const [author, work] of steps) {
        tick(10)
        await storage.signed(author, work)
        if (author !== 'ben') continue
        // The name of the token counts, not what the caller says.
        expect(await storage.memory.listLinks(older)).toMatchObject([{ author: 'ben' }])
      }
      expect(await listStates(older)).toEqual([
        ['ada', 'supersede', 'ben'],
        ['ada', 'delete', 'cem'],
        ['ada', 'supersede', 'dan'],
        ['eva'],
      ])
    })

    test('writes at the same time keep their own authors, and a write without one has none', async () => {
      const authors = Array.from({ length: 20 }, (_, i) => (i % 5 === 0 ? null : `author ${i}`))
      const ids = await Promise.all(
        authors.map((author, i) =>
          storage.signed(author, async () => {
            // Others write and read in between.
            await storage.snapshot((snapshot) => snapshot.statistics())
            return add(author, `text ${i}`)
          }),
        ),
      )
      const records = await storage.get(ids)
      expect(records.map(({ author }) => author)).toEqual(authors)
      const [plain] = await storage.add([record('plain')])
      expect(await storage.get([plain?.id as RecordId])).toMatchObject([{ author: null }])
    })
  })
}
