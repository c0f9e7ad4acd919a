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

    test('a citation leads to the work that has its key, also after that one was deleted or came later', async () => {
      const [a] = await add(newWork('A', ['doi:a'], ['doi:b', 'key:b', 'doi:a']))
      const targets = async () =>
        (await storage.works.references([a as RecordId]))
          .get(a as RecordId)
          ?.map(({ target }) => target)
      expect(await targets()).toEqual([null, null, null])
      const [b] = await add(newWork('B', ['doi:b', 'key:b']))
      // Two names of one work lead there once, and a work does not cite itself.
      expect(await targets()).toEqual([b, null, null])
      await storage.softDelete([b as RecordId])
      const [again] = await add(newWork('B again', ['doi:b']))
      expect(await targets()).toEqual([again, null, null])
      expect(await storage.works.cite([{ from: again as RecordId, to: a as RecordId }])).toBe(1)
      expect(await storage.works.cite([{ from: again as RecordId, to: a as RecordId }])).toBe(0)
      const cited = await storage.works.references([again as RecordId])
      expect(cited.get(again as RecordId)).toEqual([
        { reference: 'doi:a', target: a, isUnresolved: false },
      ])
    })

    test('a work that absorbs others supersedes them and gets their links and imports', async () => {
      const [a, b, c] = (await add(
        newWork('A', ['doi:a'], ['doi:b', 'doi:x']),
        newWork('B', ['doi:b'], ['doi:c']),
        newWork('C', ['doi:c']),
      )) as [RecordId, RecordId, RecordId]
      const from = { source: 'pdfs', pinnedNamespace: null }
      await storage.imports.note(from, [{ key: 'b.pdf', hash: 'h', id: b }])
      const merged = { ...newWork('A and B', ['doi:m']), absorbed: [a, b] }
      const updated = [{ id: c, change: {}, vectors: null, references: ['doi:m'] }]
      const [m] = (await storage.works.write({ ...EMPTY, added: [merged], updated })) as [RecordId]
      expect((await storage.get([a, b])).map((one) => one.supersededAt !== null)).toEqual([
        true,
        true,
      ])
      expect((await storage.successors([a, b], Number.MAX_SAFE_INTEGER)).get(b)).toEqual([m])
      const found = await storage.works.references([m])
      expect(
        found
          .get(m)
          ?.map(({ reference, target }) => [reference, target])
          .sort(),
      ).toEqual([
        ['doi:b', b],
        ['doi:c', c],
        ['doi:x', null],
      ])
      const toMerged = await storage.works.citations([m], 'citations')
      expect(toMerged).toEqual([{ from: c, to: m }])
      expect((await storage.imports.known(from, ['b.pdf'])).get('b.pdf')?.id).toBe(m)
      expect(await storage.imports.forget(from, ['b.pdf'])).toBe(0)
      await expect(
        storage.works.write({ ...EMPTY, added: [{ ...newWork('Z', []), absorbed: [a] }] }),
      ).rejects.toMatchObject({ code: 'not_found' })
    })

    test('works are found by their folded title, whoever wrote them', async () => {
      const [a, b] = await add(
        newWork('A', ['title:deep learning|lecun|2015']),
        newWork('B', ['title:deep learning|hinton|2015']),
        newWork('C', ['title:deep learning in neural networks|x|2015']),
      )
      const found = await storage.works.titled('default', ['deep learning', 'nothing'])
      expect(found.map(({ id }) => id)).toEqual([a, b])
    })
  })
}
