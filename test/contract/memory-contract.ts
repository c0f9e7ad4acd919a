/** What any storage must keep of sessions, links, facts, recalls and lenses, said once. */

import { beforeEach, describe, expect, test } from 'vitest'
import { effectiveConfidence, type NewFact } from '../../src/core/fact.js'
import type { RecordId } from '../../src/core/ids.js'
import type { NewRecord } from '../../src/core/record.js'
import { effectiveSalience, REINFORCEMENT, reinforceSalience } from '../../src/core/salience.js'
import type { MemoryStorage, NewLink, NewSession, Recall } from '../../src/storage/memory.js'
import type { Storage } from '../../src/storage/storage.js'
import { type Opened, record } from './storage-contract.js'

const DAY = 86_400_000
const START = 1_780_000_000_000
const UNKNOWN = '01ZZZZZZZZZZZZZZZZZZZZZZZZ' as RecordId

const session = (more: Partial<NewSession> = {}): NewSession => ({
  id: null,
  namespace: 'default',
  title: null,
  startedAtMs: null,
  endedAtMs: null,
  owner: null,
  metadata: {},
  ...more,
})

const fact = (more: Partial<NewFact> = {}): NewFact => ({
  type: 'kv',
  subject: 'the server',
  predicate: 'listens on',
  object: 'port 5432',
  confidence: 0.8,
  quote: null,
  ...more,
})

const ALL_FACTS = {
  namespaces: null,
  records: null,
  types: null,
  about: null,
  contradictingOnly: false,
  limit: 100,
}
const ALL_SESSIONS = { namespaces: null, state: null, abandoned: [], limit: 100, cursor: null }

export function describeMemory(name: string, open: () => Promise<Opened>): void {
  describe(`memory contract: ${name}`, () => {
    let storage: Storage
    let memory: MemoryStorage
    let tick: Opened['tick']

    beforeEach(async () => {
      const opened = await open()
      storage = opened.storage
      memory = storage.memory
      tick = opened.tick
      return () => storage.close()
    })

    const add = async (...records: readonly NewRecord[]): Promise<RecordId[]> =>
      (await storage.add(records)).map(({ id }) => id)
    const addOne = async (body: string, more: Partial<NewRecord> = {}): Promise<RecordId> => {
      const [id] = await add(record(body, more))
      if (id === undefined) throw new Error('nothing was added')
      return id
    }
    const salienceOf = async (id: RecordId): Promise<number | undefined> =>
      (await storage.get([id]))[0]?.salience
    const link = (source: RecordId, target: RecordId | null, more: Partial<NewLink> = {}) =>
      memory.link({
        type: 'RELATED_TO',
        source,
        target,
        targetRef: null,
        author: null,
        note: null,
        ...more,
      })
    const rowOf = async (session: string): Promise<number> => {
      const found = await memory.findSession(session, 'default')
      return found.kind === 'found' ? found.session.row : 0
    }
    const recall = async (
      session: string,
      ids: readonly RecordId[],
      more: Partial<Recall> = {},
    ): Promise<void> =>
      memory.logRecall({
        session: { row: await rowOf(session), id: session, namespace: 'default' },
        atMs: START,
        query: 'what was it?',
        lens: 'balanced',
        request: { limit: 10 },
        hits: ids.map((id, i) => ({ id, score: 1 / (i + 1), facts: [] })),
        reinforcement: REINFORCEMENT,
        decay: 1,
        ...more,
      })

    describe('sessions', () => {
      test('[M8] a session is read back as it was started, summarised and ended', async () => {
        const given = session({
          id: '東京 🗼 planning',
          namespace: 'work',
          title: 'Planning',
          startedAtMs: 1000,
          owner: { host: 'tower', pid: 7 },
          metadata: { deep: [1, null] },
        })
        const started = await memory.startSession(given)
        expect(started).toEqual({
          row: started.row,
          id: '東京 🗼 planning',
          namespace: 'work',
          title: 'Planning',
          isTitled: true,
          summary: null,
          startedAt: '1970-01-01T00:00:01.000Z',
          endedAt: null,
          owner: { host: 'tower', pid: 7 },
          metadata: { deep: [1, null] },
        })
        const ended = await memory.changeSession(started.row, { summary: 'Done.', endedAtMs: 2000 })
        const expected = { ...started, summary: 'Done.', endedAt: '1970-01-01T00:00:02.000Z' }
        expect(ended).toEqual(expected)
        expect(await memory.findSession(started.id, 'default')).toEqual({
          kind: 'found',
          session: expected,
        })
        expect(await memory.changeSession(started.row, {})).toEqual(expected)
        const reopened = await memory.changeSession(started.row, { title: null, endedAtMs: null })
        expect(reopened).toMatchObject({ title: null, endedAt: null, summary: 'Done.' })
      })

      test('[M8] a session without a name is given an id and starts now', async () => {
        const one = await memory.startSession(session())
        const other = await memory.startSession(session())
        expect(one.id).toMatch(/^[0-9A-Z]{26}$/)
        expect(other.id).not.toBe(one.id)
        expect(Date.parse(one.startedAt)).toBe(START)
      })

      test('[M8] a name that is taken is refused, and the session stays as it was', async () => {
        await memory.startSession(session({ id: 'mine', title: 'first' }))
        await expect(memory.startSession(session({ id: 'mine', title: 'second' }))).rejects.toThrow(
          expect.objectContaining({
            code: 'bad_input',
            message: expect.stringContaining('"mine"'),
          }),
        )
        expect(await memory.findSession('mine', 'default')).toMatchObject({
          session: { title: 'first' },
        })
      })

      test('an unknown session is not changed and touched nothing', async () => {
        expect(await memory.changeSession(0, { title: 'x' })).toBeNull()
        expect(await memory.listSessionRecords(0)).toEqual({
          created: [],
          recalled: [],
          updated: [],
          reinforced: [],
        })
      })

      test('[M8] a name is taken in its namespace alone, and means the session of the own one first', async () => {
        const mine = await memory.startSession(session({ id: 'talk', namespace: 'x' }))
        const theirs = await memory.startSession(session({ id: 'talk', namespace: 'y' }))
        await addOne('said in x', { sessionId: 'talk', namespace: 'x' })
        await addOne('said in z', { sessionId: 'talk', namespace: 'z' })
        const found = async (home: string, pin?: string) => {
          const resolution = await memory.findSession('talk', home, pin)
          return resolution.kind === 'found' ? resolution.session.namespace : resolution.kind
        }
        expect([await found('x'), await found('z'), await found('other')]).toEqual([
          'x',
          'z',
          'ambiguous',
        ])
        expect([await found('y', 'y'), await found('other', 'other')]).toEqual(['y', 'missing'])
        expect((await memory.listSessionRecords(mine.row)).created).toHaveLength(1)
        expect((await memory.listSessionRecords(theirs.row)).created).toEqual([])
      })

      test('[M8] a session is found by its beginning, unless two begin so or it is too short', async () => {
        await memory.startSession(session({ id: 'planning-monday' }))
        await memory.startSession(session({ id: 'planning-monday-2' }))
        await memory.startSession(session({ id: '東京旅行の計画です🗼' }))
        const idFound = async (text: string) => {
          const found = await memory.findSession(text, 'default')
          return found.kind === 'found' ? found.session.id : found.kind
        }
        expect(await idFound('planning-monday')).toBe('planning-monday')
        expect(await idFound('planning-monday-')).toBe('planning-monday-2')
        expect(await memory.findSession('planning', 'default')).toEqual({
          kind: 'ambiguous',
          ids: ['planning-monday', 'planning-monday-2'],
        })
        expect(await idFound('plannin')).toBe('missing')
        expect(await idFound('東京旅行の計画で')).toBe('東京旅行の計画です🗼')
        expect(await idFound('東京旅行')).toBe('missing')
        expect(await idFound('')).toBe('missing')
        expect(await idFound('%_%_%_%_%')).toBe('missing')
      })

      test('an id that was made may be typed in small letters', async () => {
        const { id } = await memory.startSession(session())
        expect(await memory.findSession(id.slice(0, 12).toLowerCase(), 'default')).toMatchObject({
          session: { id },
        })
      })

      test('[M8] a title finds the one session that has it', async () => {
        const one = await memory.startSession(session({ title: 'Trip 🗼' }))
        expect(await memory.findSession('Trip 🗼', 'default')).toMatchObject({
          session: { id: one.id },
        })
        await memory.startSession(session({ title: 'Trip 🗼' }))
        expect(await memory.findSession('Trip 🗼', 'default')).toEqual({ kind: 'missing' })
      })

      test('sessions are listed newest first, page by page, with nothing lost among equal times', async () => {
        for (const id of ['a', 'b', 'c', 'd', 'ü🗼']) {
          await memory.startSession(session({ id, startedAtMs: id === 'a' ? -5 : 1000 }))
        }
        const seen: string[] = []
        let cursor: string | null = null
        do {
          const page = await memory.listSessions({ ...ALL_SESSIONS, limit: 2, cursor })
          seen.push(...page.sessions.map(({ id }) => id))
          cursor = page.next
        } while (cursor !== null)
        expect(seen).toEqual(['ü🗼', 'd', 'c', 'b', 'a'])
        await expect(
          memory.listSessions({ ...ALL_SESSIONS, cursor: 'nonsense' }),
        ).rejects.toMatchObject({ code: 'bad_input' })
      })

      test('sessions are listed by namespace and by whether they have ended', async () => {
        await memory.startSession(session({ id: 'a', namespace: 'x' }))
        const b = await memory.startSession(session({ id: 'b', namespace: 'x', endedAtMs: START }))
        const c = await memory.startSession(session({ id: 'c', namespace: 'y' }))
        const ids = async (more: Partial<typeof ALL_SESSIONS | object>) =>
          (await memory.listSessions({ ...ALL_SESSIONS, ...more })).sessions.map(({ id }) => id)
        expect(await ids({ namespaces: ['x'] })).toEqual(['b', 'a'])
        expect(await ids({ state: 'open' })).toEqual(['c', 'a'])
        expect(await ids({ state: 'open', abandoned: [c.row] })).toEqual(['a'])
        expect(await ids({ state: 'abandoned', abandoned: [c.row, b.row] })).toEqual(['c'])
        expect(await ids({ state: 'ended', namespaces: ['x', 'y'] })).toEqual(['b'])
        expect(await ids({ namespaces: [] })).toEqual([])
      })
    })

    describe('what a session touched', () => {
      test('[M8] a record that names an unknown session starts it, with its earliest record', async () => {
        const turns = [5000, 3000, 4000].map((occurredAtMs) =>
          record(`at ${occurredAtMs}`, { sessionId: 'talk 🗼', namespace: 'n', occurredAtMs }),
        )
        const ids = await add(...turns)
        const { sessions } = await memory.listSessions(ALL_SESSIONS)
        expect(sessions).toMatchObject([
          {
            id: 'talk 🗼',
            namespace: 'n',
            startedAt: '1970-01-01T00:00:03.000Z',
            endedAt: null,
            owner: null,
            counts: { created: 3, recalled: 0, updated: 0, reinforced: 0 },
          },
        ])
        const { created } = await memory.listSessionRecords(await rowOf('talk 🗼'))
        expect(created.map(({ id }) => id)).toEqual(ids)
        expect(created[0]).toMatchObject({
          summary: 'at 5000',
          firstAt: new Date(START).toISOString(),
          times: 1,
        })
      })

      test('[M8] a session that was started keeps its start and its namespace', async () => {
        await memory.startSession(session({ id: 's', namespace: 'mine', startedAtMs: 9000 }))
        await addOne('early', { sessionId: 's', namespace: 'mine', occurredAtMs: 10 })
        expect(await memory.findSession('s', 'default')).toMatchObject({
          session: { namespace: 'mine', startedAt: '1970-01-01T00:00:09.000Z' },
        })
      })

      test('[M8] a thousand turns of two sessions are added at once', async () => {
        const turns = Array.from({ length: 1000 }, (_, i) =>
          record(`turn ${i}`, { sessionId: `s${i % 2}`, occurredAtMs: i }),
        )
        await add(...turns)
        const { sessions } = await memory.listSessions(ALL_SESSIONS)
        expect(sessions.map(({ id, counts }) => [id, counts.created])).toEqual([
          ['s1', 500],
          ['s0', 500],
        ])
      })

      test('[M8] touching again is counted, with the first and the last time', async () => {
        await memory.startSession(session({ id: 's' }))
        const id = await addOne('  a\n text  ', { title: 'T' })
        await storage.update(id, { editedIn: await rowOf('s') })
        tick(500)
        await storage.update(id, { editedIn: await rowOf('s') })
        await storage.update(UNKNOWN, { editedIn: await rowOf('s') })
        const { updated, created } = await memory.listSessionRecords(await rowOf('s'))
        expect(created).toEqual([])
        expect(updated).toEqual([
          {
            id,
            title: 'T',
            summary: 'a text',
            firstAt: new Date(START).toISOString(),
            lastAt: new Date(START + 500).toISOString(),
            people: [],
            occurredAt: null,
            times: 2,
          },
        ])
      })

      test('[M8] the latest session that touched a record is named, with what it holds', async () => {
        const [a, b] = [await addOne('a', { sessionId: 'one' }), await addOne('b')]
        expect(await memory.lastTouch(b)).toBeNull()
        expect(await memory.lastTouch(UNKNOWN)).toBeNull()
        expect(await memory.lastTouch(a)).toMatchObject({
          session: { id: 'one' },
          usage: 'created',
          records: 1,
        })
        tick(10)
        await memory.startSession(session({ id: 'two' }))
        const how = { kind: 'reinforce', amount: 0, decay: 1, session: await rowOf('two') } as const
        await memory.strengthen([a, b], how)
        await storage.update(a, { editedIn: await rowOf('two') })
        expect(await memory.lastTouch(a)).toEqual({
          session: expect.objectContaining({ id: 'two', namespace: 'default' }),
          usage: 'updated',
          at: new Date(START + 10).toISOString(),
          records: 2,
        })
      })

      test('[M8] deleted records are left out of what a session holds, until they are back', async () => {
        const [a = UNKNOWN, b] = await add(
          record('a', { sessionId: 's' }),
          record('b', { sessionId: 's' }),
        )
        await storage.softDelete([a])
        const idsOf = async () =>
          (await memory.listSessionRecords(await rowOf('s'))).created.map(({ id }) => id)
        expect(await idsOf()).toEqual([b])
        expect((await memory.listSessions(ALL_SESSIONS)).sessions[0]?.counts.created).toBe(1)
        expect((await memory.lastTouch(b ?? UNKNOWN))?.records).toBe(1)
        await storage.update(a, { editedIn: await rowOf('s') })
        expect((await memory.listSessionRecords(await rowOf('s'))).updated).toEqual([])
        await storage.restore([a])
        expect(await idsOf()).toEqual([a, b])
        const row = await rowOf('s')
        await memory.changeSession(row, { title: 'Of a', summary: 'a, b' })
        await storage.purge([a], [{ session: row, summary: 'b', losesTitle: true }])
        expect(await idsOf()).toEqual([b])
        expect(await memory.changeSession(row, {})).toMatchObject({ summary: 'b', isTitled: false })
        await memory.changeSession(row, { title: 'Of b' })
        await storage.purge([b ?? UNKNOWN], [{ session: row, summary: null, losesTitle: false }])
        expect(await memory.changeSession(row, {})).toMatchObject({ summary: null, title: 'Of b' })
      })
    })

    describe('links', () => {
      test('[M10] a link has a type, a direction and an author, and is seen from both ends', async () => {
        const [a, b] = [await addOne(`a\n${'x'.repeat(200)}`, { title: 'A' }), await addOne('b')]
        const made = await link(a, b, { type: 'DEPENDS_ON', author: 'Ada', note: 'why 🗼' })
        expect(made).toEqual({
          id: made.id,
          type: 'DEPENDS_ON',
          source: a,
          target: b,
          targetRef: null,
          author: 'Ada',
          note: 'why 🗼',
          createdAt: new Date(START).toISOString(),
        })
        expect(await memory.listLinks(a)).toEqual([
          { ...made, direction: 'out', other: { id: b, source: null, title: null, summary: 'b' } },
        ])
        expect(await memory.listLinks(b)).toEqual([
          {
            ...made,
            direction: 'in',
            other: { id: a, source: null, title: 'A', summary: `a ${'x'.repeat(98)}` },
          },
        ])
        expect(await memory.listLinks(UNKNOWN)).toEqual([])
      })

      test('[M10] the same link again takes the new note, and another type is another link', async () => {
        const [a, b] = [await addOne('a'), await addOne('b')]
        const first = await link(a, b, { author: 'Ada', note: 'old' })
        tick(5)
        const again = await link(a, b, { note: 'new' })
        expect(again).toEqual({ ...first, note: 'new' })
        const back = await link(b, a)
        const other = await link(a, b, { type: 'PART_OF' })
        expect((await memory.listLinks(a)).map(({ id }) => id)).toEqual([
          first.id,
          back.id,
          other.id,
        ])
        expect(await memory.findLink(a, b, null)).toHaveLength(2)
        expect(await memory.findLink(a, b, 'PART_OF')).toEqual([other])
        expect(await memory.findLink(b, a, 'PART_OF')).toEqual([])
      })

      test('[M10] a link is removed by its id', async () => {
        const [a, b] = [await addOne('a'), await addOne('b')]
        const made = await link(a, b)
        expect(await memory.unlink(made.id)).toEqual(made)
        expect(await memory.unlink(made.id)).toBeNull()
        expect(await memory.listLinks(a)).toEqual([])
      })

      test('[M10] a link to itself, to nothing or to an unknown record is refused', async () => {
        const [a, b] = [await addOne('a'), await addOne('b')]
        await expect(link(a, a)).rejects.toMatchObject({ code: 'bad_input' })
        await expect(link(a, null)).rejects.toMatchObject({ code: 'bad_input' })
        await expect(link(a, UNKNOWN)).rejects.toMatchObject({ code: 'not_found' })
        await storage.softDelete([b])
        await expect(link(b, a)).rejects.toMatchObject({ code: 'not_found' })
        expect(await memory.listLinks(a)).toEqual([])
      })

      test('a citation is kept before what it names is stored, and resolved once', async () => {
        const [a, b] = [await addOne('a'), await addOne('b')]
        const open = await link(a, null, { type: 'CITES', targetRef: 'doi:10.1/x' })
        expect(await memory.listLinks(a)).toEqual([{ ...open, direction: 'out', other: null }])
        const resolved = await link(a, b, { type: 'CITES', targetRef: 'doi:10.1/x' })
        expect(resolved).toEqual({ ...open, target: b })
        expect(await link(a, null, { type: 'CITES', targetRef: 'doi:10.1/x' })).toEqual(resolved)
        expect(await memory.listLinks(a)).toHaveLength(1)
      })

      test('two citations that turn out to be of one work become one link', async () => {
        const [a, b] = [await addOne('a'), await addOne('b')]
        const direct = await link(a, b, { type: 'CITES', note: 'kept' })
        await link(a, null, { type: 'CITES', targetRef: 'key:smith' })
        const joined = await link(a, b, { type: 'CITES', targetRef: 'key:smith' })
        expect(joined).toEqual({ ...direct, targetRef: 'key:smith' })
        expect(await memory.listLinks(a)).toHaveLength(1)
      })

      test('[M10] a deleted end is left out, and a purged one leaves only what cites it by name', async () => {
        const [a, b] = [await addOne('a'), await addOne('b')]
        await link(a, b)
        await link(a, b, { type: 'CITES', targetRef: 'doi:10.1/x' })
        await storage.softDelete([b])
        expect(await memory.listLinks(a)).toEqual([])
        await storage.restore([b])
        expect(await memory.listLinks(a)).toHaveLength(2)
        await storage.purge([b])
        expect(await memory.listLinks(a)).toMatchObject([
          { type: 'CITES', target: null, targetRef: 'doi:10.1/x', other: null },
        ])
      })
    })

    describe('facts', () => {
      test('[F6] a fact is read back as it was given, by its id or the beginning of it', async () => {
        const record = await addOne('a', { namespace: 'n' })
        const given = fact({ type: 'identity', subject: '東京 🗼', quote: '“So it was said.”' })
        const [added] = await memory.addFacts(record, [given])
        expect(added).toEqual({
          ...given,
          id: expect.stringMatching(/^[0-9A-Z]{26}$/),
          recordId: record,
          namespace: 'n',
          createdAtMs: START,
          reinforcedAtMs: START,
          endedAtMs: null,
        })
        const id = added?.id ?? ''
        expect(await memory.findFact(id)).toEqual(added)
        expect(await memory.findFact(id.slice(0, 14).toLowerCase())).toEqual(added)
        expect(await memory.findFact(id.slice(0, 7))).toBeNull()
        expect(await memory.findFact('not an id')).toBeNull()
        expect(await memory.findFact(UNKNOWN)).toBeNull()
      })

      test('[F6] a beginning that several facts share is refused with their ids', async () => {
        const record = await addOne('a')
        const facts = await memory.addFacts(record, [fact(), fact({ object: 'port 6543' })])
        const [one] = facts
        await expect(memory.findFact(one?.id.slice(0, 10) ?? '')).rejects.toMatchObject({
          code: 'ambiguous_id',
          message: expect.stringContaining(one?.id ?? ''),
        })
      })

      test('[F6] the same fact again on a record is believed more and stands once', async () => {
        const record = await addOne('a')
        const [first] = await memory.addFacts(record, [fact({ confidence: 0.5 })])
        tick(10 * DAY)
        const again = fact({ subject: 'Server', object: 'PORT 5432', confidence: 0.9, quote: 'q' })
        const [second] = await memory.addFacts(record, [again])
        const faded = 0.5 * Math.exp(-0.01 * 10)
        expect(second).toEqual({
          ...first,
          confidence: expect.closeTo(faded + 0.1 * (1 - faded), 12),
          reinforcedAtMs: START + 10 * DAY,
        })
        const others = [fact({ type: 'state' }), fact({ object: 'port 1' }), fact({ subject: 'x' })]
        await memory.addFacts(record, others)
        await memory.addFacts(await addOne('b'), [fact()])
        expect(await memory.listFacts(ALL_FACTS)).toHaveLength(5)
      })

      test('[F6] a fact that was given twice at once stands once', async () => {
        const added = await memory.addFacts(await addOne('a'), [
          fact(),
          fact({ object: 'Port 5432' }),
        ])
        expect(added).toHaveLength(2)
        expect(added[0]).toEqual(added[1])
        expect(await memory.listFacts(ALL_FACTS)).toEqual([added[0]])
      })

      test('no facts are added to an unknown or deleted record', async () => {
        await expect(memory.addFacts(UNKNOWN, [fact()])).rejects.toMatchObject({
          code: 'not_found',
        })
        const id = await addOne('a')
        expect(await memory.addFacts(id, [])).toEqual([])
        await storage.softDelete([id])
        await expect(memory.addFacts(id, [fact()])).rejects.toMatchObject({ code: 'not_found' })
      })

      test('[F6] facts are listed newest first, by namespace, record, type and what they speak of', async () => {
        const [a, b] = [
          await addOne('a', { namespace: 'x' }),
          await addOne('b', { namespace: 'y' }),
        ]
        await memory.addFacts(a, [
          fact({ object: 'one' }),
          fact({ object: 'ÉCOLE', type: 'state' }),
        ])
        await memory.addFacts(b, [fact({ subject: '東京', object: 'three' })])
        const objects = async (more: Partial<Parameters<MemoryStorage['listFacts']>[0]>) =>
          (await memory.listFacts({ ...ALL_FACTS, ...more })).map(({ object }) => object)
        expect(await objects({})).toEqual(['three', 'ÉCOLE', 'one'])
        expect(await objects({ limit: 1 })).toEqual(['three'])
        expect(await objects({ limit: 0 })).toEqual([])
        const believed = { min: 0.95, atMs: 0 }
        expect(await objects({ believed, limit: 1 })).toEqual([])
        expect(await objects({ namespaces: ['x'] })).toEqual(['ÉCOLE', 'one'])
        expect(await objects({ records: [b, b, UNKNOWN] })).toEqual(['three'])
        expect(await objects({ records: [a], types: ['state'] })).toEqual(['ÉCOLE'])
        expect(await objects({ about: 'école' })).toEqual(['ÉCOLE'])
        expect(await objects({ about: 'LISTENS', limit: 2 })).toEqual(['three', 'ÉCOLE'])
        expect(await objects({ about: '東', namespaces: ['y'] })).toEqual(['three'])
        expect(await objects({ about: '%' })).toEqual([])
        await memory.addFacts(a, [fact({ subject: 'The  NEW\nname', object: 'Cafe\u0301' })])
        for (const about of ['the new', 'new name', 'CAFÉ', 'cafe', 'Th']) {
          expect((await objects({ about }))[0]).toBe('Cafe\u0301')
        }
        for (const empty of [{ namespaces: [] }, { records: [] }, { types: [] }]) {
          expect(await objects(empty)).toEqual([])
        }
      })

      test('[F6] facts on one topic that say something else contradict each other', async () => {
        const [a, b, c] = [await addOne('a'), await addOne('b'), await addOne('c')]
        const [one] = await memory.addFacts(a, [fact({ object: 'École' })])
        const [same] = await memory.addFacts(b, [fact({ subject: 'A SERVER', object: 'ÉCOLE' })])
        const ids = async (facts: readonly (string | undefined)[]) =>
          (await memory.contradicting(facts.map((id) => id ?? ''))).map(({ id }) => id)
        const listed = async (more: object = {}) =>
          (await memory.listFacts({ ...ALL_FACTS, contradictingOnly: true, ...more })).map(
            ({ id }) => id,
          )
        expect(await ids([one?.id, same?.id])).toEqual([])
        expect(await listed()).toEqual([])
        const [other] = await memory.addFacts(c, [
          fact({ object: 'port 6543' }),
          fact({ subject: 'x' }),
        ])
        expect(await ids([one?.id])).toEqual([other?.id])
        expect(await ids([one?.id, same?.id, other?.id])).toEqual([other?.id, same?.id, one?.id])
        expect(await ids([])).toEqual([])
        expect(await ids([UNKNOWN])).toEqual([])
        expect(await listed()).toEqual([other?.id, same?.id, one?.id])
        expect(await listed({ records: [a] })).toEqual([one?.id])
      })

      test('[F6] facts of another namespace contradict nothing where only one is asked for', async () => {
        const [a, b] = [
          await addOne('a', { namespace: 'x' }),
          await addOne('b', { namespace: 'y' }),
        ]
        await memory.addFacts(a, [fact({ object: '1' })])
        await memory.addFacts(b, [fact({ object: '2' })])
        const listed = (namespaces: readonly string[] | null) =>
          memory.listFacts({ ...ALL_FACTS, contradictingOnly: true, namespaces })
        expect(await listed(null)).toHaveLength(2)
        expect(await listed(['x'])).toHaveLength(0)
        expect(await listed(['x', 'y'])).toHaveLength(2)
      })

      test('[F6] a fact that has ended, or whose record was deleted, contradicts nothing', async () => {
        const [a, b] = [await addOne('a'), await addOne('b')]
        const [one] = await memory.addFacts(a, [fact({ object: '1' })])
        const [two] = await memory.addFacts(b, [fact({ object: '2' })])
        const against = () => memory.contradicting([one?.id ?? ''])
        await storage.softDelete([b])
        expect(await against()).toEqual([])
        expect(await memory.listFacts({ ...ALL_FACTS, contradictingOnly: true })).toEqual([])
        expect(await memory.listFacts(ALL_FACTS)).toEqual([one])
        expect(await memory.findFact(two?.id ?? '')).toBeNull()
        await storage.restore([b])
        expect(await against()).toEqual([two])
        tick(5)
        const ended = await memory.endFact(two?.id ?? '')
        expect(ended).toEqual({ ...two, endedAtMs: START + 5 })
        tick(5)
        expect(await memory.endFact(two?.id ?? '')).toEqual(ended)
        expect(await against()).toEqual([])
        expect(await memory.listFacts(ALL_FACTS)).toEqual([one])
        expect(await memory.findFact(two?.id ?? '')).toEqual(ended)
        expect(await memory.endFact(UNKNOWN)).toBeNull()
        const [anew] = await memory.addFacts(b, [fact({ object: '2' })])
        expect(anew?.id).not.toBe(two?.id)
      })

      test('[F7] a fact is reinforced from what it had faded to', async () => {
        const [added] = await memory.addFacts(await addOne('a'), [fact({ type: 'temporal' })])
        if (added === undefined) throw new Error('nothing was added')
        tick(7 * DAY)
        const faded = effectiveConfidence(added, START + 7 * DAY)
        expect(await memory.reinforceFact(added.id, 0.1)).toEqual({
          ...added,
          confidence: expect.closeTo(faded + 0.1 * (1 - faded), 12),
          reinforcedAtMs: START + 7 * DAY,
        })
        expect(await memory.reinforceFact(UNKNOWN, 0.1)).toBeNull()
      })
    })

    describe('recalls', () => {
      test('[M4] [F8] a recall is logged, linked to its session, and strengthens what it returned', async () => {
        const [a, b, c] = [
          await addOne('a', { sector: 'episodic' }),
          await addOne('b'),
          await addOne('c'),
        ]
        const [shown, hidden] = await memory.addFacts(a, [fact(), fact({ object: 'x' })])
        await memory.startSession(session({ id: 's' }))
        tick(30 * DAY)
        const atMs = START + 30 * DAY
        await recall('s', [], {
          atMs,
          query: 'was 🗼?',
          lens: 'memory',
          request: { query: 'was 🗼?', tags: ['x'] },
          hits: [
            { id: b, score: 0.9, facts: [] },
            { id: a, score: 0.4, facts: [shown?.id ?? ''] },
          ],
        })
        const at = new Date(atMs).toISOString()
        const [logged, ...none] = await memory.listQueries({ session: await rowOf('s'), limit: 10 })
        expect(none).toEqual([])
        expect(logged).toEqual({
          id: expect.any(String),
          query: 'was 🗼?',
          lens: 'memory',
          sessionId: 's',
          at,
          request: { query: 'was 🗼?', tags: ['x'] },
          hits: [
            { id: b, rank: 1, score: 0.9 },
            { id: a, rank: 2, score: 0.4 },
          ],
        })
        expect(await memory.listRecalls(a, 10)).toEqual([
          {
            queryId: logged?.id,
            query: 'was 🗼?',
            lens: 'memory',
            sessionId: 's',
            at,
            rank: 2,
            score: 0.4,
          },
        ])
        expect(await memory.listRecalls(c, 10)).toEqual([])
        expect(
          (await memory.listSessionRecords(await rowOf('s'))).recalled.map(({ id }) => id),
        ).toEqual([a, b])
        expect(await memory.lastTouch(a)).toMatchObject({ usage: 'recalled', at, records: 2 })

        const stored = { salience: 0.5, importance: 0.5, sector: 'episodic' as const }
        const faded = effectiveSalience({ ...stored, accessedAtMs: START }, atMs)
        expect(await salienceOf(a)).toBeCloseTo(reinforceSalience(faded), 12)
        expect(await salienceOf(b)).toBeCloseTo(0.51, 12)
        expect(await salienceOf(c)).toBe(0.5)
        const believed = 0.8 * Math.exp(-0.01 * 30)
        expect(await memory.findFact(shown?.id ?? '')).toMatchObject({
          confidence: expect.closeTo(believed + REINFORCEMENT * (1 - believed), 12),
          reinforcedAtMs: atMs,
        })
        expect(await memory.findFact(hidden?.id ?? '')).toEqual(hidden)
      })

      test('[M5] a reinforcement of 0 logs and links, and strengthens nothing', async () => {
        const id = await addOne('a', { sector: 'episodic', sessionId: 's' })
        const [known] = await memory.addFacts(id, [fact()])
        const hits = [{ id, score: 1, facts: [known?.id ?? ''] }]
        await recall('s', [], { hits, atMs: START + DAY, reinforcement: 0 })
        expect(await salienceOf(id)).toBe(0.5)
        expect(await memory.findFact(known?.id ?? '')).toEqual(known)
        expect(await memory.listRecalls(id, 10)).toHaveLength(1)
        expect((await memory.listSessionRecords(await rowOf('s'))).recalled).toHaveLength(1)
      })

      test('[M5] decay says how fast everything fades before it is strengthened', async () => {
        const [a, b] = [
          await addOne('a', { sector: 'episodic', sessionId: 's' }),
          await addOne('b', { sector: 'episodic' }),
        ]
        await recall('s', [a], { atMs: START + 30 * DAY, decay: 0 })
        await recall('s', [b], { atMs: START + 30 * DAY, decay: 2 })
        expect(await salienceOf(a)).toBeCloseTo(0.51, 12)
        expect(await salienceOf(b)).toBeLessThan(0.3)
      })

      test('[M4] what is gone by the time of the log is skipped, and an empty answer is logged', async () => {
        const [a, b] = [await addOne('a', { sessionId: 's' }), await addOne('b')]
        const [known] = await memory.addFacts(b, [fact()])
        await storage.softDelete([b])
        const hits = [a, UNKNOWN, b].map((id) => ({ id, score: 1, facts: [known?.id ?? '', 'no'] }))
        await recall('s', [], { hits })
        await recall('s', [], { query: 'nothing' })
        const queries = await memory.listQueries({ session: null, limit: 10 })
        expect(queries.map(({ query, hits }) => [query, hits])).toEqual([
          ['nothing', []],
          ['what was it?', [{ id: a, rank: 1, score: 1 }]],
        ])
        expect(
          (await memory.listSessionRecords(await rowOf('s'))).recalled.map(({ id }) => id),
        ).toEqual([a])
      })

      test('[M4] a recall in an unknown session changes nothing', async () => {
        const id = await addOne('a')
        await expect(recall('nobody', [id])).rejects.toThrow()
        expect(await memory.listQueries({ session: null, limit: 10 })).toEqual([])
        expect(await salienceOf(id)).toBe(0.5)
      })

      test('[F8] the log is read newest first, of one session or of all, up to a limit', async () => {
        const id = await addOne('a', { sessionId: 's' })
        await memory.startSession(session({ id: 't' }))
        for (const [i, name] of ['s', 't', 's'].entries()) {
          await recall(name, [id], { atMs: START + i, query: `q${i}` })
        }
        const queries = async (name: string | null, limit: number) =>
          (
            await memory.listQueries({ session: name === null ? null : await rowOf(name), limit })
          ).map(({ query }) => query)
        expect(await queries(null, 2)).toEqual(['q2', 'q1'])
        expect(await queries('s', 9)).toEqual(['q2', 'q0'])
        expect(await queries('nobody', 9)).toEqual([])
        expect((await memory.listRecalls(id, 2)).map(({ query }) => query)).toEqual(['q2', 'q1'])
        expect((await memory.listSessionRecords(await rowOf('s'))).recalled).toMatchObject([
          { times: 2 },
        ])
      })

      test('[M4] a recall of a thousand records strengthens each of them', async () => {
        const bodies = Array.from({ length: 1000 }, (_, i) => record(`body ${i}`))
        const ids = await add(...bodies)
        await memory.startSession(session({ id: 's' }))
        await recall('s', ids)
        const read = await storage.get(ids)
        expect(new Set(read.map(({ salience }) => salience))).toEqual(new Set([0.51]))
        expect((await memory.listSessionRecords(await rowOf('s'))).recalled).toHaveLength(1000)
      })

      test('[M12] a query that found purged records alone is forgotten with them', async () => {
        const [a, b] = [await addOne('a', { sessionId: 's' }), await addOne('b')]
        await recall('s', [a], { query: 'only a' })
        await recall('s', [a, b], { query: 'both' })
        await recall('s', [], { query: 'none' })
        const queries = async () =>
          (await memory.listQueries({ session: null, limit: 10 })).map(({ query }) => query)
        await storage.purge([a])
        expect(await queries()).toEqual(['none', 'both'])
        await storage.purge([b])
        expect(await queries()).toEqual(['none'])
      })
    })

    describe('strength', () => {
      test('[M4] [M5] records are strengthened by hand, from what they had faded to', async () => {
        const [a, b] = [await addOne('a', { sector: 'semantic' }), await addOne('b')]
        await memory.startSession(session({ id: 's' }))
        tick(30 * DAY)
        const how = { kind: 'reinforce', amount: 0.1, decay: 1, session: await rowOf('s') } as const
        const after = await memory.strengthen([b, UNKNOWN, a], how)
        const faded = 0.05 + 0.45 * Math.exp(-0.09)
        expect([...after.keys()]).toEqual([b, a])
        expect(after.get(a)).toBeCloseTo(faded + 0.1 * (1 - faded), 12)
        expect(after.get(b)).toBeCloseTo(0.55, 12)
        expect(await salienceOf(a)).toBeCloseTo(after.get(a) ?? 0, 15)
        const { reinforced: touched } = await memory.listSessionRecords(await rowOf('s'))
        expect(touched.map(({ id }) => id)).toEqual([a, b])
      })

      test('[M5] de-emphasis stops at the least, and is no use of a session', async () => {
        const id = await addOne('a', { salience: 0.2, sessionId: 's' })
        const how = {
          kind: 'deemphasize',
          amount: 0.1,
          decay: 1,
          session: await rowOf('s'),
        } as const
        expect((await memory.strengthen([id], how)).get(id)).toBeCloseTo(0.1, 12)
        expect((await memory.strengthen([id], how)).get(id)).toBe(0.05)
        expect((await memory.strengthen([id], how)).get(id)).toBe(0.05)
        expect((await memory.listSessionRecords(await rowOf('s'))).reinforced).toEqual([])
      })

      test('[M5] an access starts the fading anew', async () => {
        const id = await addOne('a', { sector: 'episodic' })
        const how = { kind: 'reinforce', amount: 0, decay: 1, session: null } as const
        tick(20 * DAY)
        const first = (await memory.strengthen([id], how)).get(id) ?? 0
        expect((await memory.strengthen([id], how)).get(id)).toBe(first)
        tick(20 * DAY)
        const stored = { salience: first, importance: 0.5, sector: 'episodic' as const }
        const expected = effectiveSalience({ ...stored, accessedAtMs: 0 }, 20 * DAY)
        expect((await memory.strengthen([id], how)).get(id)).toBeCloseTo(expected, 12)
      })

      test('deleted and unknown records, and none at all, are not strengthened', async () => {
        const id = await addOne('a')
        await storage.softDelete([id])
        const how = { kind: 'reinforce', amount: 0.1, decay: 1, session: null } as const
        expect((await memory.strengthen([id, UNKNOWN], how)).size).toBe(0)
        expect((await memory.strengthen([], how)).size).toBe(0)
      })

      test('[M14] content that is added again reinforces the record that has it', async () => {
        const [first] = await storage.add([record('same', { sector: 'semantic' })])
        const id = first?.id ?? UNKNOWN
        tick(30 * DAY)
        await storage.add([record('same'), record('same'), record('other')])
        const faded = 0.05 + 0.45 * Math.exp(-0.09)
        expect(await salienceOf(id)).toBeCloseTo(faded + REINFORCEMENT * (1 - faded), 12)
      })
    })

    describe('lenses', () => {
      test('[F9] a lens is saved by its name in a namespace, again with what is new, and removed', async () => {
        const tower = { namespace: 'n', name: '東京 🗼' }
        const at = new Date(START).toISOString()
        await memory.saveLens({ ...tower, sentence: null, options: { k: 1 } })
        const first = { ...tower, sentence: null, options: { k: 1 }, createdAt: at, updatedAt: at }
        expect(await memory.listLenses()).toEqual([first])
        tick(1000)
        await memory.saveLens({ ...tower, sentence: 'New.', options: {} })
        const later = new Date(START + 1000).toISOString()
        const changed = { ...first, sentence: 'New.', options: {}, updatedAt: later }
        expect(await memory.listLenses()).toEqual([changed])
        const other = { namespace: 'm', name: '東京 🗼' }
        await memory.saveLens({ ...other, sentence: null, options: {} })
        expect((await memory.listLenses()).map(({ namespace }) => namespace)).toEqual(['m', 'n'])
        expect(await memory.removeLens(other)).toBe(true)
        expect(await memory.removeLens(other)).toBe(false)
        expect(await memory.listLenses()).toEqual([changed])
      })
    })
  })
}
