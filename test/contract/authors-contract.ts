/** Who made each write, in every backend. */

import { beforeEach, describe, expect, test } from 'vitest'
import type { RecordId } from '../../src/core/ids.js'
import type { ArchiveLine } from '../../src/storage/archive.js'
import type { LogEntry, LogPage, LogRequest } from '../../src/storage/log.js'
import type { Storage } from '../../src/storage/storage.js'
import { type Opened, record } from './storage-contract.js'

const EVERYTHING = { namespace: null, author: null, sinceMs: null, untilMs: null }

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

    const list = async (more: Partial<LogRequest> = {}): Promise<LogEntry[]> => {
      const entries: LogEntry[] = []
      for (let cursor: string | null = null; ; ) {
        const page: LogPage = await storage.log.list({
          ...{ ...EVERYTHING, limit: 2, ...more, cursor },
        })
        entries.push(...page.entries)
        cursor = page.next
        if (cursor === null) return entries
      }
    }
    const tell = ({ author, action, namespace, count }: LogEntry): string =>
      `${author} ${action} ${count} ${namespace}`

    test('the log tells every write with its author, newest first, page by page', async () => {
      const many = ['one', 'two', 'three'].map((body) => record(body))
      const other = record('elsewhere', { namespace: 'b' })
      const ids = await storage.signed('ada', async () =>
        (await storage.add([...many, other])).map(({ id }) => id),
      )
      const [one, two, three] = ids as [RecordId, RecordId, RecordId]
      const says = { subject: 'tea', predicate: 'is', object: 'hot' }
      const fact = { type: 'state', ...says, confidence: 0.9, quote: null } as const
      const { memory } = storage
      const link = { type: 'RELATED_TO', targetRef: null, author: null, note: null }
      const owned = { owner: null, metadata: {}, startedAtMs: null, endedAtMs: null }
      const session = { id: 's', namespace: 'a', title: null, ...owned }
      const lens = { namespace: 'a', name: 'mine', sentence: null, options: {} }
      const strength = { amount: 0.1, decay: 1, session: null }
      const steps: (() => Promise<unknown>)[] = [
        () => storage.update(one, { body: 'uno' }),
        () => storage.softDelete([one, two]),
        () => storage.restore([two]),
        () => storage.supersede(two, three, { author: null, note: null }),
        () => storage.softDelete([two]),
        () => storage.restore([two]),
        () => storage.reinstate(two),
        () => memory.link({ source: two, target: three, ...link }),
        async () => {
          const [found] = await memory.findLink(two, three, null)
          return memory.unlink(found?.id ?? '')
        },
        () => memory.addFacts(two, [fact]),
        () => memory.strengthen([two], { kind: 'reinforce', ...strength }),
        async () => {
          const { row } = await memory.startSession(session)
          tick(1)
          await memory.changeSession(row, { summary: 'tea' })
          tick(1)
          return memory.changeSession(row, { endedAtMs: 1 })
        },
        () => memory.saveLens(lens),
        () => memory.removeLens(lens),
        () => storage.log.note({ action: 'export', namespace: null, subject: null }),
        () => storage.purge([one, three]),
      ]
      for (const work of steps) {
        tick(10)
        await storage.signed('ben', work)
      }
      tick(10)
      await storage.add([record('plain')])
      const entries = await list()
      expect(entries.map(tell)).toEqual([
        'null add 1 default',
        ...['ben purge 1 default', 'ben purge 1 default', 'ben export 1 null'],
        ...['ben lens.remove 1 a', 'ben lens.save 1 a'],
        ...['ben session.end 1 a', 'ben session.summarise 1 a', 'ben session.start 1 a'],
        ...['ben reinforce 1 default', 'ben fact.add 1 default'],
        ...['ben unlink 1 default', 'ben link 1 default', 'ben reinstate 1 default'],
        // Restored while it was superseded.
        ...['ben restore 1 default', 'ben delete 1 default', 'ben supersede 1 default'],
        // Of a purged record, only the purge is left.
        ...['ben restore 1 default', 'ben delete 1 default'],
        ...['ada add 1 default', 'ada add 1 b'],
      ])
      expect(entries[1]).toMatchObject({ action: 'purge', subject: three })
      expect(entries[2]).toMatchObject({ action: 'purge', subject: one })
      const times = entries.map(({ at }) => at)
      expect(times).toEqual(times.toSorted().toReversed())
      expect((await list({ author: 'ada' })).map(tell)).toEqual([
        'ada add 1 default',
        'ada add 1 b',
      ])
      expect((await list({ namespace: 'b' })).map(tell)).toEqual(['ada add 1 b'])
      const [newest, , , exported] = entries
      const between = {
        sinceMs: Date.parse(exported?.at ?? ''),
        untilMs: Date.parse(newest?.at ?? ''),
      }
      expect((await list(between)).map(({ action }) => action)).toEqual([
        'purge',
        'purge',
        'export',
      ])
    })

    test('records that were written at once are one entry, and pages split no millisecond', async () => {
      const bodies = (from: number) =>
        Array.from({ length: 50 }, (_, i) => record(`text ${from + i}`))
      const added = await storage.signed('ada', () => storage.add(bodies(0)))
      await storage.signed('ben', () => storage.add(bodies(50)))
      await storage.add(bodies(100))
      const ids = added.map(({ id }) => id)
      await storage.signed('cem', () => storage.softDelete(ids))
      await storage.signed('cem', () => storage.purge(ids.slice(0, 30)))
      const entries = await list({ limit: 7 })
      expect(
        entries.filter(({ action }) => action === 'purge').map(({ subject }) => subject),
      ).toEqual(ids.slice(0, 30).toReversed())
      expect(entries.slice(30).map(tell).toSorted()).toEqual([
        'ada add 20 default',
        'ben add 50 default',
        'cem delete 20 default',
        'null add 50 default',
      ])
      expect(entries.slice(30)).toContainEqual(
        expect.objectContaining({ author: 'ada', subject: ids[30] }),
      )
    })

    test('a caller of one namespace sees nothing of a record that came from or went to another', async () => {
      const id = await add('ada', 'one')
      for (const namespace of ['b', 'c']) {
        tick(10)
        await storage.signed('ben', () => storage.update(id, { namespace }))
      }
      expect((await list()).map(tell)).toEqual([
        'ben edit 1 b',
        'ben edit 1 default',
        'ada add 1 default',
      ])
      for (const namespace of ['default', 'b', 'c']) expect(await list({ namespace })).toEqual([])
    })

    test('an archive takes the names along, to either end of every state', async () => {
      const [id, other] = [await add('ada', 'one'), await add(null, 'two')]
      tick(10)
      await storage.signed('ben', () => storage.update(id, { body: 'uno' }))
      tick(10)
      await storage.signed('cem', () => storage.softDelete([other]))
      const lines: ArchiveLine[] = []
      for await (const entry of storage.archive.read(() => {})) {
        lines.push({ line: lines.length + 1, entry })
      }
      const copy = (await open()).storage
      try {
        await copy.signed('the importer', () => copy.archive.restore({ dryRun: false })(lines))
        for (const one of [id, other]) {
          expect(await copy.history(one)).toEqual(await storage.history(one))
          expect(await copy.get([one], { deleted: true })).toEqual(
            await storage.get([one], { deleted: true }),
          )
        }
        const page = { ...EVERYTHING, limit: 10, cursor: null }
        expect(await copy.log.list(page)).toEqual(await storage.log.list(page))
      } finally {
        await copy.close()
      }
    })
  })
}
