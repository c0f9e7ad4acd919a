/** What any storage must keep of imports, said once: items, edits that stay, what is gone, sessions and links. */

import { beforeEach, describe, expect, test } from 'vitest'
import { joinTexts } from '../../src/core/full-text.js'
import type { RecordId } from '../../src/core/ids.js'
import type { NewRecord } from '../../src/core/record.js'
import { NO_DETAILS } from '../../src/core/work.js'
import type { ImportedSession, ImportStorage, ImportWrite } from '../../src/storage/imports.js'
import type { Storage } from '../../src/storage/storage.js'
import { type Opened, record } from './storage-contract.js'

const FROM = { source: 'notes', pinnedNamespace: null }
const PINNED = { source: 'notes', pinnedNamespace: 'default' }

const item = (key: string, body: string, more: Partial<NewRecord> = {}): ImportWrite => ({
  key,
  hash: `hash of ${body}`,
  record: record(body, more),
  hasOwnTime: false,
})

const session = (id: string, more: Partial<ImportedSession> = {}): ImportedSession => ({
  ...{ id, namespace: 'default', title: null, startedAtMs: 5000, endedAtMs: 6000 },
  ...{ owner: null, metadata: {}, ...more },
})

export function describeImports(name: string, open: () => Promise<Opened>): void {
  describe(`imports contract: ${name}`, () => {
    let storage: Storage
    let imports: ImportStorage
    let tick: Opened['tick']
    let flow: Opened['flow']

    beforeEach(async () => {
      const opened = await open()
      storage = opened.storage
      imports = storage.imports
      tick = opened.tick
      flow = opened.flow
      return () => storage.close()
    })

    const write = async (...items: readonly ImportWrite[]) => {
      tick(10)
      return imports.write(FROM, items)
    }
    const bodyOf = async (id: RecordId | undefined) =>
      (await storage.get([id as RecordId]))[0]?.body ?? null

    test('items are created, changed and known again, each with its own outcome', async () => {
      const [a, b] = await write(item('a', 'one'), item('b', 'two'))
      expect([a?.kind, b?.kind]).toEqual(['created', 'created'])
      const again = await write(item('b', 'two, changed'), item('c', 'one'), item('d', 'four'))
      expect(again.map(({ kind }) => kind)).toEqual(['updated', 'known', 'created'])
      expect(again.slice(0, 2).map(({ id }) => id)).toEqual([b?.id, a?.id])
      expect(await bodyOf(b?.id)).toBe('two, changed')
      const known = await imports.known(FROM, ['a', 'b', 'c', 'x'])
      expect([...known.keys()].sort()).toEqual(['a', 'b', 'c'])
      expect(known.get('b')).toMatchObject({
        key: 'b',
        hash: 'hash of two, changed',
        id: b?.id,
        isDeleted: false,
        isSuperseded: false,
      })
      expect(await imports.sources(a?.id as RecordId)).toEqual(['notes', 'notes'])
      expect((await imports.known(PINNED, ['a'])).size).toBe(0)
    })

    test('a record that two items have is not changed by one of them', async () => {
      const [a] = await write(item('a', 'same'), item('b', 'same'))
      const [changed] = await write(item('a', 'own'))
      expect(changed?.kind).toBe('created')
      expect(changed?.id).not.toBe(a?.id)
      expect(await bodyOf(a?.id)).toBe('same')
      // It belongs to the other one alone from here on.
      expect(await write(item('b', 'same, later'))).toEqual([{ id: a?.id, kind: 'updated' }])
      expect(await bodyOf(a?.id)).toBe('same, later')
    })

    test('what was edited here stays, and what the source changed as well is a conflict', async () => {
      // A write takes its time: what is edited is told from what was imported by when that was.
      flow(3)
      const [a] = await write(item('a', 'text', { title: 'Old', tags: ['x'] }))
      const id = a?.id as RecordId
      tick(10)
      await storage.update(id, { title: 'Mine', metadata: { z: 1, a: 2 } })
      const [outcome] = await write(item('a', 'new text', { title: 'Theirs', tags: ['y'] }))
      expect(outcome).toEqual({
        id,
        kind: 'updated',
        conflicts: [{ field: 'title', stored: 'Mine', incoming: 'Theirs' }],
      })
      const [merged] = await storage.get([id])
      expect(merged).toMatchObject({ title: 'Mine', body: 'new text', tags: ['y'] })
      expect(JSON.stringify(merged?.metadata)).toBe('{"z":1,"a":2}')
      const [same] = await write(item('a', 'newer text', { title: 'Theirs', tags: ['y'] }))
      expect(same).toEqual({ id, kind: 'updated', conflicts: [] })
      expect((await storage.get([id]))[0]).toMatchObject({ title: 'Mine', body: 'newer text' })
    })

    test('what is gone is deleted unless another item has it, and comes back with its item', async () => {
      const [a, b] = await write(item('a', 'one'), item('b', 'two'), item('c', 'two'))
      expect(await imports.forget(FROM, ['a', 'b', 'unknown'])).toBe(1)
      expect([await bodyOf(a?.id), await bodyOf(b?.id)]).toEqual([null, 'two'])
      expect((await imports.known(FROM, ['a'])).get('a')).toMatchObject({
        hash: null,
        isDeleted: true,
      })
      expect(await imports.forget(FROM, ['a'])).toBe(0)
      expect(await write(item('a', 'one again'))).toEqual([{ id: a?.id, kind: 'restored' }])
      expect(await bodyOf(a?.id)).toBe('one again')
      const newer = (await storage.add([record('newer')]))[0]?.id as RecordId
      await storage.supersede(a?.id as RecordId, newer, { author: null, note: null })
      expect(await write(item('a', 'too late'))).toEqual([{ id: a?.id, kind: 'superseded' }])
    })

    test('items are listed page by page in the order of their keys', async () => {
      const keys = ['b', 'B', 'ä', 'a', '東', '🗼', 'a/b', 'a-b']
      await write(...keys.map((key) => item(key, `text of ${key}`)))
      const seen: string[] = []
      for (let after: string | null = null; ; ) {
        const page = await imports.page(FROM, after, 3)
        seen.push(...page.map(({ key }) => key))
        if (page.length < 3) break
        after = page.at(-1)?.key ?? null
      }
      expect(seen).toEqual(['B', 'a', 'a-b', 'a/b', 'b', 'ä', '東', '🗼'])
      expect(await imports.page(PINNED, null, 3)).toEqual([])
    })

    test('a text that is gone leaves its work, and the other files of the work are read again', async () => {
      const texts = ['paper.pdf', 'more.pdf'].map((path) => ({
        path,
        text: `Of ${path}.`,
        pages: [],
      }))
      const full = joinTexts('The abstract.', texts, { kept: true })
      const { body, ...rest } = { ...full, kind: 'work' as const, work: NO_DETAILS }
      const id = (await storage.add([record(body, rest)]))[0]?.id as RecordId
      await imports.note(FROM, [
        { key: 'paper.pdf', hash: 'x', id },
        { key: 'more.pdf', hash: 'y', id },
        { key: 'a work', hash: 'z', id: null },
      ])
      tick(10)
      expect(await imports.forget(FROM, ['paper.pdf', 'a work'])).toBe(1)
      expect((await storage.get([id]))[0]).toMatchObject({
        body: 'The abstract.\n\nOf more.pdf.',
        metadata: { kept: true, path: 'more.pdf' },
      })
      const known = await imports.known(FROM, ['paper.pdf', 'more.pdf', 'a work'])
      const hashes = ['paper.pdf', 'more.pdf', 'a work'].map((key) => known.get(key)?.hash)
      expect(hashes).toEqual([null, '', null])
      expect(await imports.forget(FROM, ['more.pdf'])).toBe(1)
      expect((await storage.get([id]))[0]).toMatchObject({
        body: 'The abstract.',
        metadata: { kept: true },
      })
    })

    test('sessions begin with the earliest start and end with the latest end', async () => {
      expect(await imports.writeSessions([])).toBe(0)
      expect(await imports.writeSessions([session('s'), session('t', { title: 'T' })])).toBe(2)
      expect(await imports.writeSessions([session('s'), session('t')])).toBe(0)
      const later = [session('s', { startedAtMs: 4000, endedAtMs: 9000 }), session('t')]
      expect(await imports.writeSessions(later)).toBe(1)
      const owner = { host: 'tower', pid: 7 }
      const held = { ...session('held'), endedAtMs: null, owner }
      await storage.memory.startSession(held)
      expect(await imports.writeSessions([session('held', { title: 'Held' })])).toBe(1)
      const find = async (id: string) => {
        const found = await storage.memory.findSession(id, 'default')
        return found.kind === 'found' ? found.session : null
      }
      expect(await find('s')).toMatchObject({
        startedAt: '1970-01-01T00:00:04.000Z',
        endedAt: '1970-01-01T00:00:09.000Z',
      })
      expect(await find('t')).toMatchObject({ title: 'T' })
      expect(await find('held')).toMatchObject({ title: 'Held', endedAt: null, owner })
    })

    test('links of a source are replaced at once', async () => {
      const [a, b, c] = await write(item('a', 'A'), item('b', 'B'), item('c', 'C'))
      const link = (target: RecordId | undefined) => ({
        ...{ type: 'RELATED_TO', source: a?.id as RecordId, target: target as RecordId },
        ...{ targetRef: null, author: 'import', note: null },
      })
      await imports.relink([link(b?.id), link(c?.id), link(b?.id)], [])
      const links = await imports.links(FROM)
      expect(links.map(({ key, target }) => [key, target]).sort()).toEqual(
        [b, c].map((one) => ['a', one?.id]).sort(),
      )
      await imports.relink([], [links[0]?.id ?? '', 'unknown'])
      expect(await imports.links(FROM)).toEqual(links.slice(1))
    })
  })
}
