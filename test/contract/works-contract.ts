/** What any storage must keep of works and their citations, said once. */

import { beforeEach, describe, expect, test } from 'vitest'
import type { RecordId } from '../../src/core/ids.js'
import { NO_DETAILS } from '../../src/core/work.js'
import type { Storage } from '../../src/storage/storage.js'
import type { NewWork, WorkBatch } from '../../src/storage/works.js'
import { type Opened, record } from './storage-contract.js'

const EMPTY: WorkBatch = {
  namespace: 'default',
  asked: [],
  seen: [],
  added: [],
  vectors: null,
  updated: [],
}

const newWork = (title: string, identities: string[], references: string[] = []): NewWork => ({
  record: record('', { kind: 'work', title }),
  work: { ...NO_DETAILS, note: title },
  identities,
  references,
})

export function describeWorks(name: string, open: () => Promise<Opened>): void {
  describe(`works contract: ${name}`, () => {
    let storage: Storage

    beforeEach(async () => {
      const opened = await open()
      storage = opened.storage
      return () => storage.close()
    })

    const add = async (...added: readonly NewWork[]): Promise<RecordId[]> =>
      (await storage.works.write({ ...EMPTY, added })) ?? []

    test('works are found by any of their keys, each once with all of them', async () => {
      const [a, b] = await add(newWork('A', ['doi:a', 'key:a']), newWork('B', ['doi:b']))
      const found = await storage.works.find('default', ['key:a', 'doi:a', 'doi:b', 'doi:c'])
      expect(found.map(({ id, identities }) => [id, identities])).toEqual([
        [a, ['doi:a', 'key:a']],
        [b, ['doi:b']],
      ])
      expect(await storage.works.find('other', ['doi:a'])).toEqual([])
      expect(await storage.works.find(null, ['doi:a'])).toHaveLength(1)
      await storage.softDelete([a as RecordId])
      expect(await storage.works.find('default', ['doi:a'])).toEqual([])
    })

    test('two works of the same text are two', async () => {
      const ids = await add(newWork('Same', ['doi:a']), newWork('Same', ['doi:b']))
      expect(new Set(ids).size).toBe(2)
    })

    test('nothing is written where what was seen has changed since', async () => {
      const seen = await storage.works.find('default', ['doi:a'])
      await add(newWork('A', ['doi:a']))
      const batch = { ...EMPTY, asked: ['doi:a'], seen, added: [newWork('A again', ['doi:a'])] }
      expect(await storage.works.write(batch)).toBeNull()
      expect((await storage.statistics()).records.work).toBe(1)
    })

    test('a batch is written whole or not at all', async () => {
      const broken = { ...newWork('B', []), record: record('', { kind: 'other' as 'work' }) }
      await expect(add(newWork('A', ['doi:a'], ['doi:x']), broken)).rejects.toThrow()
      expect((await storage.statistics()).records.work).toBe(0)
      expect(await storage.works.find('default', ['doi:a'])).toEqual([])
    })

    test('details change with the record, and what they were is kept', async () => {
      const [id] = await add(newWork('A', ['doi:a']))
      const work = { ...NO_DETAILS, note: 'changed' }
      const updated = [
        {
          id: id as RecordId,
          change: { work, identities: ['doi:b'] },
          vectors: null,
          references: [],
        },
      ]
      await storage.works.write({ ...EMPTY, updated })
      expect((await storage.get([id as RecordId]))[0]?.work).toEqual(work)
      expect((await storage.history(id as RecordId)).map((one) => one.work?.note)).toEqual(['A'])
      const [found] = await storage.works.find('default', ['doi:b'])
      expect(found?.identities).toEqual(['doi:a', 'doi:b'])
    })

    test('citations of many works are read in one go, both ways', async () => {
      const [a, b, c] = await add(
        newWork('A', ['doi:a'], ['doi:b', 'doi:c', 'doi:x']),
        newWork('B', ['doi:b'], ['doi:c']),
        newWork('C', ['doi:c']),
      )
      const ids = [a, b] as RecordId[]
      expect(await storage.works.citations(ids, 'references')).toEqual([
        { from: a, to: b },
        { from: a, to: c },
        { from: b, to: c },
      ])
      expect(await storage.works.citations([c as RecordId], 'citations')).toEqual([
        { from: a, to: c },
        { from: b, to: c },
      ])
      const references = await storage.works.references(ids)
      expect(references.get(a as RecordId)).toEqual([
        { reference: 'doi:b', target: b, isUnresolved: false },
        { reference: 'doi:c', target: c, isUnresolved: false },
        { reference: 'doi:x', target: null, isUnresolved: true },
      ])
    })
  })
}
