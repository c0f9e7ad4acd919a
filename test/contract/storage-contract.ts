/** What any storage must do, said once; every backend is held to it by the same tests. */

import { beforeEach, describe, expect, test } from 'vitest'
import type { RecordId } from '../../src/core/ids.js'
import type { NewRecord } from '../../src/core/record.js'
import { parseQuery } from '../../src/query/parse.js'
import type { Node } from '../../src/query/tree.js'
import type { ResultSet } from '../../src/storage/search.js'
import type { Storage } from '../../src/storage/storage.js'

export type Opened = {
  readonly storage: Storage
  /** Moves the clock that the storage was opened with. */
  readonly tick: (ms: number) => void
  /** From now on the clock moves by so much whenever it is read. */
  readonly flow: (ms: number) => void
}

export function createClock(): Omit<Opened, 'storage'> & { readonly now: () => number } {
  let time = 1_780_000_000_000
  let step = 0
  return {
    now() {
      time += step
      return time
    },
    tick(ms) {
      time += ms
    },
    flow(ms) {
      step = ms
    },
  }
}

const BASE: NewRecord = {
  kind: 'memory',
  namespace: 'default',
  title: null,
  body: '',
  tags: [],
  people: [],
  source: null,
  metadata: {},
  importance: 0.5,
  sector: null,
  tier: 'project',
  salience: 0.5,
  sessionId: null,
  occurredAtMs: null,
}

export const record = (body: string, more: Partial<NewRecord> = {}): NewRecord => ({
  ...BASE,
  body,
  ...more,
})

function tree(text: string): Node {
  const { root } = parseQuery(text)
  if (root === null) throw new Error(`no tree in ${text}`)
  return root
}

export function describeStorage(name: string, open: () => Promise<Opened>): void {
  describe(`storage contract: ${name}`, () => {
    let storage: Storage
    let tick: Opened['tick']

    beforeEach(async () => {
      const opened = await open()
      storage = opened.storage
      tick = opened.tick
      return () => storage.close()
    })

    const add = async (...records: readonly NewRecord[]): Promise<RecordId[]> =>
      (await storage.add(records)).map(({ id }) => id)
    const found = async (text: string, more: Partial<Parameters<Storage['rank']>[0]> = {}) =>
      (
        await storage.rank(
          { root: tree(text), fields: null, filter: {}, ...more },
          { limit: 100, offset: 0 },
        )
      ).ranked.map(({ id }) => id)

    test('a record is read back as it was given', async () => {
      const given = record('naïve café\n東京', {
        title: 'A title',
        kind: 'work',
        namespace: 'papers',
        tags: ['Ops', '東京'],
        people: ['Ada Lovelace'],
        source: 'chat',
        metadata: { deep: { list: [1, 'two', null] } },
        importance: 0.9,
        tier: 'global',
        occurredAtMs: 1000,
      })
      const [id] = await add(given)
      const [read] = await storage.get(id === undefined ? [] : [id])
      const { occurredAtMs, ...rest } = given
      expect(read).toMatchObject({ ...rest, id, occurredAt: '1970-01-01T00:00:01.000Z' })
    })

    test('[L9] the version changes with every write and with nothing else', async () => {
      const seen: string[] = []
      const isNew = async () => {
        const version = await storage.version()
        const isKnown = seen.includes(version)
        seen.push(version)
        return !isKnown
      }
      await isNew()
      const ids = await add(record('one'))
      expect(await isNew()).toBe(true)
      await storage.update(ids[0] as RecordId, { tags: ['x'] })
      expect(await isNew()).toBe(true)
      await storage.softDelete(ids)
      expect(await isNew()).toBe(true)
      await storage.restore(ids)
      expect(await isNew()).toBe(true)
      await storage.memory.saveLens({ namespace: 'n', name: 'mine', sentence: null, options: {} })
      expect(await isNew()).toBe(true)
      await found('one')
      await storage.get(ids)
      await storage.statistics()
      tick(1000)
      expect(await isNew()).toBe(false)
      await storage.purge(ids)
      expect(await isNew()).toBe(true)
    })

    test('records come in the order asked, and what is missing is left out', async () => {
      const ids = await add(record('one'), record('two'), record('three'))
      const asked = [ids[2], 'nothing' as RecordId, ids[0]].filter((id) => id !== undefined)
      expect((await storage.get(asked)).map(({ body }) => body)).toEqual(['three', 'one'])
      expect(await storage.get([])).toEqual([])
    })

    test('[M14] identical content in one namespace is the same record, elsewhere another', async () => {
      const [first] = await storage.add([
        record('same'),
        record('same'),
        record('same', { namespace: 'b' }),
      ])
      const outcomes = await storage.add([record('same')])
      expect(outcomes).toEqual([{ id: first?.id, created: false, duplicateOf: first?.id }])
      expect((await storage.statistics()).records.memory).toBe(2)
    })

    test('[M14] texts that are equal only when they are joined are two records', async () => {
      const outcomes = await storage.add([
        record('c', { title: 'a\nb' }),
        record('b\nc', { title: 'a' }),
      ])
      expect(outcomes.map(({ created }) => created)).toEqual([true, true])
    })

    test('[M14] content that was deleted makes a new record', async () => {
      const [first] = await add(record('again'))
      await storage.softDelete(first === undefined ? [] : [first])
      const [outcome] = await storage.add([record('again')])
      expect(outcome).toMatchObject({ created: true, duplicateOf: null })
      expect(outcome?.id).not.toBe(first)
    })

    test('an update changes what it names and moves the words of the index', async () => {
      const [id] = await add(record('alpha', { title: 'stays', tags: ['x'] }))
      if (id === undefined) throw new Error('nothing was added')
      tick(5)
      const after = await storage.update(id, { body: 'omega' })
      expect(after).toMatchObject({ body: 'omega', title: 'stays', tags: ['x'] })
      expect(Date.parse(after?.updatedAt ?? '') - Date.parse(after?.createdAt ?? '')).toBe(5)
      expect(await found('alpha')).toEqual([])
      expect(await found('omega')).toEqual([id])
    })

    test('an update of an unknown or deleted record changes nothing', async () => {
      const [id] = await add(record('here'))
      if (id === undefined) throw new Error('nothing was added')
      await storage.softDelete([id])
      expect(await storage.update(id, { body: 'there' })).toBeNull()
      expect(
        await storage.update('01ZZZZZZZZZZZZZZZZZZZZZZZZ' as RecordId, { body: 'x' }),
      ).toBeNull()
    })

    test('[M12] what is deleted is hidden everywhere, comes back, and is gone when purged', async () => {
      const [id] = await add(record('secretword', { tags: ['t'] }))
      if (id === undefined) throw new Error('nothing was added')
      expect(await storage.softDelete([id])).toEqual([id])
      expect(await storage.softDelete([id])).toEqual([])
      expect(await storage.get([id])).toEqual([])
      expect(await storage.get([id], { deleted: true })).toHaveLength(1)
      expect(await found('secretword')).toEqual([])
      expect(
        (await storage.list({ filter: {}, limit: 9, cursor: null, deleted: false })).records,
      ).toEqual([])
      expect(
        (await storage.list({ filter: {}, limit: 9, cursor: null, deleted: true })).records,
      ).toHaveLength(1)
      expect(await storage.restore([id])).toEqual([id])
      expect(await found('secretword')).toEqual([id])
      expect((await storage.purge([id])).purged).toEqual([id])
      expect(await storage.get([id], { deleted: true })).toEqual([])
      expect(await found('secretword')).toEqual([])
    })

    test('a batch in which one record fails adds none', async () => {
      const broken = { ...record('broken'), kind: 'poem' as NewRecord['kind'] }
      await expect(storage.add([record('fine'), broken])).rejects.toThrow()
      expect(await found('fine')).toEqual([])
    })

    test('a list goes on where it stopped and shows each record once, equal times included', async () => {
      const ids: RecordId[] = []
      for (let i = 0; i < 25; i++) {
        ids.push(...(await add(record(`note ${i}`))))
        if (i % 10 === 9) tick(1000)
      }
      const seen: RecordId[] = []
      let cursor: string | null = null
      do {
        const page = await storage.list({ filter: {}, limit: 7, cursor, deleted: false })
        seen.push(...page.records.map(({ id }) => id))
        cursor = page.next
      } while (cursor !== null)
      expect(seen).toEqual([...ids].reverse())
    })

    test('an id is found by its beginning, unless several begin so', async () => {
      const ids = await add(record('a'), record('b'))
      const [id = '' as RecordId] = ids
      expect(await storage.resolve(id, null)).toEqual({ kind: 'found', id })
      expect(await storage.resolve(id.slice(0, 8), null)).toMatchObject({ kind: 'ambiguous' })
      expect(await storage.resolve('7ZZZZZZZ', null)).toEqual({ kind: 'missing' })
      const short = await storage.shorten(ids, null)
      for (const [i, prefix] of short.entries()) {
        expect(await storage.resolve(prefix, null)).toEqual({ kind: 'found', id: ids[i] })
      }
    })

    test('[N3] every filter is applied before the limit', async () => {
      const common = Array.from({ length: 300 }, (_, i) => record(`apple apple ${i}`))
      await storage.add(common)
      const [rare] = await add(
        record('one apple in a long text about quite other things', {
          namespace: 'rare',
          kind: 'document',
          tags: ['Red', 'round'],
          people: ['Grace Hopper'],
          source: 'wiki',
          tier: 'global',
          occurredAtMs: 5000,
        }),
      )
      if (rare === undefined) throw new Error('nothing was added')
      const page = { limit: 1, offset: 0 }
      const filters = [
        { namespaces: ['rare'] },
        { kinds: ['document' as const] },
        { tagsAny: ['red'] },
        { tagsAll: ['red', 'ROUND'] },
        { people: ['hopper'] },
        { sources: ['wiki'] },
        { tiers: ['global' as const] },
        { dates: { field: 'occurred' as const, sinceMs: 5000, untilMs: 5001 } },
        { idsIn: [rare] },
      ]
      for (const filter of filters) {
        const { ranked, total } = await storage.rank(
          { root: tree('apple'), fields: null, filter },
          page,
        )
        expect({ filter, ids: ranked.map(({ id }) => id), total }).toEqual({
          filter,
          ids: [rare],
          total: 1,
        })
      }
      const without = { idsOut: [rare], tagsNone: ['red'] }
      const { total } = await storage.rank(
        { root: tree('apple'), fields: null, filter: without },
        page,
      )
      expect(total).toBe(300)
      expect(await found('apple', { filter: { idsIn: [] } })).toEqual([])
    })

    test('pages of a ranking join without a gap or a repeat, and the total is the true count', async () => {
      await storage.add(
        Array.from({ length: 60 }, (_, i) => record(`pear ${'pear '.repeat(i % 5)} ${i}`)),
      )
      const whole = await found('pear')
      const parts: RecordId[] = []
      for (let offset = 0; offset < 70; offset += 7) {
        const { ranked, total } = await storage.rank(
          { root: tree('pear'), fields: null, filter: {} },
          { limit: 7, offset },
        )
        parts.push(...ranked.map(({ id }) => id))
        expect(total).toBe(60)
      }
      expect(parts).toEqual(whole)
      expect(new Set(parts).size).toBe(60)
    })

    test('words that no record contains are told from those that some do', async () => {
      await add(record('the quick brown fox'))
      const words: Node[] = ['quick', 'zebra', 'foxes'].map((text) => ({ kind: 'word', text }))
      expect(await storage.missing(words, { fields: null, namespace: null })).toEqual([
        false,
        true,
        false,
      ])
      expect(await storage.missing(words, { fields: ['title'], namespace: null })).toEqual([
        true,
        true,
        true,
      ])
    })

    test('[D1] all checks pass after every kind of write', async () => {
      const ids = await add(
        record('one 東京', { tags: ['a'] }),
        record('two'),
        record('three', { tags: ['b'] }),
      )
      const [one, two, three] = ids
      if (one === undefined || two === undefined || three === undefined)
        throw new Error('not added')
      await storage.update(one, { body: '京都 two', tags: ['c', 'd'] })
      await storage.softDelete([two])
      await storage.purge([three])
      await storage.restore([two])
      expect((await storage.check()).filter(({ ok }) => !ok)).toEqual([])
      await storage.rebuild(null)
      expect((await storage.check()).filter(({ ok }) => !ok)).toEqual([])
      expect(await found('京')).toEqual([one])
    })

    describe('one moment', () => {
      test('[N9] all of it is read from one state, whoever writes meanwhile', async () => {
        const [first] = await storage.add([record('apple')])
        const id = first?.id as RecordId
        let writing: Promise<unknown> | null = null
        await storage.snapshot(async (moment) => {
          const versions: string[] = []
          for (let turn = 0; turn < 5; turn++) {
            expect(await moment.get([id])).toHaveLength(1)
            // A moment within a moment is the same one.
            versions.push(await moment.snapshot((same) => same.version()))
            writing ??= storage.softDelete([id])
          }
          expect(new Set(versions).size).toBe(1)
        })
        await writing
        expect((await storage.snapshot((moment) => moment.statistics())).deleted).toBe(1)
      })

      test('nothing is written into it, and an error lets everybody go on', async () => {
        const inside = storage.snapshot((moment) => moment.add([record('apple')]))
        await expect(inside).rejects.toThrow('Nothing can be written')
        expect(await storage.add([record('pear')])).toHaveLength(1)
      })
    })

    describe('a call with a limit', () => {
      const waiting = new AbortController().signal
      const page = { filter: {}, limit: 5, cursor: null }
      const overview = { by: null, namespaces: null, nowMs: 0, decay: 1 }
      const set: ResultSet = {
        words: { root: tree('apple'), fields: null, filter: {} },
        near: null,
        listed: null,
        containing: null,
        corrected: { filter: {}, unwanted: null },
      }

      test('reads nothing more when its time is used up, and still writes', async () => {
        const [first] = await storage.add([record('apple')])
        const anchor = first?.id as RecordId
        const reads = {
          get: () => storage.get([anchor]),
          list: () => storage.list({ ...page, deleted: false }),
          overview: () => storage.overview(overview),
          statistics: () => storage.statistics(),
          around: () => storage.timelineAround({ anchor, before: 2, after: 2, filter: {} }),
          range: () => storage.timelineRange({ ...page, newestFirst: true }),
          links: () => storage.memory.listLinks(anchor),
        }
        await storage.limited({ timeLimitMs: 1e-6, signal: waiting }, async () => {
          await storage.version().catch(() => {})
          for (const [name, read] of Object.entries(reads)) {
            await expect(read(), name).rejects.toMatchObject({ code: 'too_expensive' })
          }
          expect(await storage.add([record('pear')])).toHaveLength(1)
        })
        for (const read of Object.values(reads)) await read()
      })

      test('counts a time before 1970 in its own year', async () => {
        await storage.add([record('late', { occurredAtMs: Date.UTC(1960, 0) - 500 })])
        const overview = { by: 'year', namespaces: null, nowMs: 0, decay: 1 } as const
        expect((await storage.overview(overview)).overTime).toMatchObject([{ at: '1959' }])
      })

      test('counts and sorts nothing in a snapshot whose time is up', async () => {
        await storage.add([record('apple')])
        const order = { order: 'newest', limit: 5, offset: 0 } as const
        await storage.snapshot(async (moment) => {
          expect(await moment.facets(set)).toMatchObject({ total: 1 })
          expect(await moment.sorted(set, order)).toMatchObject({ total: 1 })
          expect(moment.isCut()).toBe(false)
        }, 60_000)
        await storage.snapshot(async (moment) => {
          const endMs = performance.now() + 2
          while (performance.now() < endMs) {}
          expect(await moment.facets(set)).toBeNull()
          expect(await moment.sorted(set, order)).toBeNull()
          expect(moment.isCut()).toBe(true)
        }, 1)
      })

      test('reads nothing for a caller who is gone; what it left for later is done', async () => {
        const caller = new AbortController()
        let later: Promise<unknown> | null = null
        await storage.limited({ timeLimitMs: 1e6, signal: caller.signal }, async () => {
          await storage.version()
          caller.abort()
          await expect(storage.version()).rejects.toMatchObject({ code: 'cancelled' })
          later = new Promise((resolve) => setTimeout(resolve)).then(() => storage.version())
        })
        expect(await later).toEqual(expect.any(String))
      })
    })

    describe('vectors', () => {
      const MODEL = {
        id: 'test/two@1',
        dimensions: 2,
        floor: 0,
        cascadeThreshold: 0.7,
        config: { provider: 'test' },
      }
      const OTHER = { ...MODEL, id: 'test/other@1' }
      const vectorsOf = (body: string, ...points: readonly (readonly [number, number])[]) => ({
        of: { title: null, body, context: null },
        chunks: points.map((point, i) => ({
          start: i,
          end: i + 1,
          vector: Float32Array.from(point),
        })),
        whole: points.length > 1 ? Float32Array.from(points[0] ?? []) : null,
      })
      const addAt = async (body: string, ...points: readonly (readonly [number, number])[]) => {
        const [outcome] = await storage.add([record(body)], {
          model: MODEL,
          vectors: [vectorsOf(body, ...points)],
        })
        return outcome?.id ?? ('' as RecordId)
      }
      const near = async (more: object = {}) =>
        (
          await storage.vectors.nearest({
            model: MODEL.id,
            vector: Float32Array.from([1, 0]),
            limit: 10,
            minSimilarity: -1,
            filter: {},
            required: null,
            unwanted: null,
            fields: null,
            exclude: [],
            ...more,
          })
        ).map(({ id }) => id)

      test('[L4] the nearest come first, each record once with its best chunk', async () => {
        const east = await addAt('east', [1, 0])
        const north = await addAt('north', [0, 1], [0.8, 0.6])
        const west = await addAt('west', [-1, 0])
        expect(await near()).toEqual([east, north, west])
        expect(await near({ minSimilarity: 0.5 })).toEqual([east, north])
        expect(await near({ exclude: [east] })).toEqual([north, west])
        expect(await near({ required: tree('north') })).toEqual([north])
        expect(await near({ unwanted: tree('east OR west') })).toEqual([north])
        expect(await near({ filter: { idsIn: [west] } })).toEqual([west])
        const [first] = await storage.vectors.nearest({
          model: MODEL.id,
          vector: Float32Array.from([0.8, 0.6]),
          limit: 1,
          minSimilarity: -1,
          filter: {},
          required: null,
          unwanted: null,
          fields: null,
          exclude: [],
        })
        expect(first).toMatchObject({ id: north, chunk: { index: 1, start: 1, end: 2 } })
        expect(first?.similarity).toBeCloseTo(1, 3)
      })

      test('a record without vectors waits, and one whose text has changed waits again', async () => {
        const id = await addAt('here', [1, 0])
        const [other] = await storage.add([record('there')])
        expect(await storage.vectors.coverage()).toEqual({ waiting: 1, records: 2 })
        expect((await storage.vectors.listPending(MODEL.id, 9)).map((text) => text.body)).toEqual([
          'there',
        ])
        await storage.vectors.storeVectors(MODEL, [
          { id: other?.id ?? id, vectors: vectorsOf('something else', [0, 1]) },
        ])
        expect(await storage.vectors.coverage()).toEqual({ waiting: 1, records: 2 })
        await storage.vectors.storeVectors(MODEL, [
          { id: other?.id ?? id, vectors: vectorsOf('there') },
        ])
        expect(await storage.vectors.coverage()).toEqual({ waiting: 0, records: 2 })
        await storage.update(id, { body: 'moved' })
        expect(await near()).toEqual([])
        expect(await storage.vectors.coverage()).toEqual({ waiting: 1, records: 2 })
      })

      test('[N10] a second model is built beside the first and takes over only when it has read everything', async () => {
        const id = await addAt('here', [1, 0])
        expect(await storage.vectors.register(OTHER)).toBe('building')
        expect(await storage.vectors.activate(OTHER.id)).toBe(false)
        await storage.vectors.storeVectors(OTHER, [{ id, vectors: vectorsOf('here', [0, 1]) }])
        expect((await storage.vectors.active())?.id).toBe(MODEL.id)
        expect(await storage.vectors.activate(OTHER.id)).toBe(true)
        expect((await storage.vectors.active())?.id).toBe(OTHER.id)
        await expect(storage.vectors.remove(OTHER.id)).rejects.toMatchObject({ code: 'bad_input' })
        expect(await storage.vectors.remove(MODEL.id)).toBe(true)
        expect(await storage.vectors.remove(MODEL.id)).toBe(false)
        expect(await near({ model: OTHER.id })).toEqual([id])
        expect((await storage.check()).filter(({ ok }) => !ok)).toEqual([])
      })

      test('[L7] the vector of a whole record is kept', async () => {
        const one = await addAt('one', [1, 0])
        const several = await addAt('several', [0.6, 0.8], [0, 1])
        const none = (await storage.add([record('none')]))[0]?.id ?? one
        expect((await storage.vectors.getVector(MODEL.id, one))?.[0]).toBeCloseTo(1, 3)
        expect((await storage.vectors.getVector(MODEL.id, several))?.[1]).toBeCloseTo(0.8, 3)
        expect(await storage.vectors.getVector(MODEL.id, none)).toBeNull()
      })

      test('passages that were read are remembered by model', async () => {
        await storage.vectors.storeCached(
          MODEL.id,
          ['a', 'b'],
          [Float32Array.of(1, 0), Float32Array.of(0, 1)],
        )
        const known = await storage.vectors.getCached(MODEL.id, ['b', 'c', 'a'])
        expect(known.map((vector) => vector && [...vector])).toEqual([[0, 1], null, [1, 0]])
        expect(await storage.vectors.getCached(OTHER.id, ['a'])).toEqual([null])
      })
    })

    test('every operation on a closed storage is refused with a sentence', async () => {
      await storage.close()
      await expect(storage.get([])).rejects.toMatchObject({ code: 'closed' })
      await expect(storage.add([])).rejects.toMatchObject({ code: 'closed' })
      await expect(storage.statistics()).rejects.toMatchObject({ code: 'closed' })
    })

    test('a token is stored once by its name', async () => {
      const { tokens } = storage
      const given = { hash: 'aa', role: 'write', createdAtMs: 1, expiresAtMs: null } as const
      const ada = { name: 'ada', namespaces: ['b', 'a'], ...given }
      const bo = { ...ada, name: 'bo', hash: 'bb', namespaces: null, expiresAtMs: 9 }
      expect(await tokens.add(bo)).toBe(true)
      expect(await tokens.add(ada)).toBe(true)
      expect(await tokens.add({ ...ada, hash: 'cc' })).toBe(false)
      await tokens.noteUse(['ada', 'nobody'], 60_000)
      expect(await tokens.list()).toEqual([
        { ...ada, usedAtMs: 60_000 },
        { ...bo, usedAtMs: null },
      ])
      expect(await tokens.remove('ada')).toBe(true)
      expect(await tokens.remove('ada')).toBe(false)
      expect((await tokens.list()).map(({ name }) => name)).toEqual(['bo'])
    })
  })
}
