import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import type { Cairn, RecordInput } from '../index.js'

const FAKE = { vectors: { provider: 'fake', dimensions: 24 } } as const
const DAY = 86_400_000

describe('sessions', () => {
  test('[M8] a session lists everything that it created, recalled, changed and reinforced', async () => {
    let now = Date.UTC(2026, 0, 1)
    const cairn = await libraryOf([], { ...FAKE, now: () => now })
    const { id: outside } = await cairn.add({ body: 'a note of nobody' })
    expect(await cairn.sessionContext(outside)).toBeNull()
    await cairn.sessions.start({ id: 'work', title: 'At work' })
    const { id } = await cairn.add({ body: 'We decided to keep the old pump.', session: 'work' })
    now += 1000
    await cairn.search('note', { recallSession: 'work', mode: 'keyword' })
    expect(await cairn.sessionContext(outside)).toMatchObject({ usage: 'recalled', records: 2 })
    now += 1000
    await cairn.edit(outside, { body: 'a note of somebody', session: 'work' })
    expect(await cairn.sessionContext(outside)).toMatchObject({ usage: 'updated', records: 2 })
    now += 1000
    await cairn.reinforce([outside], { session: 'work' })
    expect(await cairn.sessionContext(outside)).toMatchObject({
      session: { id: 'work', title: 'At work', state: 'open' },
      usage: 'reinforced',
      at: '2026-01-01T00:00:03.000Z',
      records: 2,
    })
    const shown = await cairn.sessions.show('work')
    expect(shown.created.map((one) => one.id)).toEqual([id])
    for (const usage of ['recalled', 'updated', 'reinforced'] as const) {
      expect(shown[usage].map((one) => one.id)).toEqual([outside])
    }
    const { sessions } = await cairn.sessions.list()
    expect(sessions[0]?.counts).toEqual({ created: 1, recalled: 1, updated: 1, reinforced: 1 })
    await expect(cairn.sessionContext('01ZZZZZZZZZZZZZZZZZZZZZZZZ')).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('[M8] superseded records are not part of the summary', async () => {
    const cairn = await libraryOf([], FAKE)
    const [old, correction] = await cairn.addMany([
      { body: 'We release on Tuesdays in the morning.', session: 's' },
      { body: 'We release on Thursdays in the morning.', session: 's' },
    ])
    await cairn.supersede(old?.id ?? '', correction?.id ?? '')
    expect((await cairn.sessions.end('s')).summary).toBe('We release on Thursdays in the morning.')
  })

  test('[M8] a session that ends without a summary gets one of its own sentences', async () => {
    const cairn = await libraryOf([], FAKE)
    await cairn.addMany([
      { body: 'We moved the backup server to the cellar. Ok.', session: 's', importance: 1 },
      { body: 'Hi!', session: 's' },
    ])
    const ended = await cairn.sessions.end('s')
    expect(ended).toMatchObject({
      state: 'ended',
      summary: 'We moved the backup server to the cellar.',
    })
    const { hits } = await cairn.search('backup server')
    expect(hits[0]?.session).toEqual({
      id: 's',
      namespace: 'default',
      title: 'We moved the backup server to the cellar. Ok.',
      startedAt: ended.startedAt,
      endedAt: ended.endedAt,
      summary: ended.summary,
    })
    await expect(cairn.sessions.end('s')).rejects.toMatchObject({ code: 'bad_input' })
    expect(await cairn.sessions.summarise('s', 'Mine.')).toMatchObject({ summary: 'Mine.' })
    await cairn.sessions.start({ id: 'given' })
    expect(await cairn.sessions.end('given', { summary: 'As given.' })).toMatchObject({
      summary: 'As given.',
    })
    await cairn.sessions.start({ id: 'empty' })
    expect((await cairn.sessions.end('empty')).summary).toBeNull()
  })
})

describe('chats', () => {
  const turns = (count: number): RecordInput[] =>
    Array.from({ length: count }, (_, i) => ({
      body: i === 4 ? 'the pelican landed' : `turn ${i}`,
      people: [i % 2 === 0 ? 'Ada' : 'Tom'],
      session: 'chat',
      occurredAt: Date.UTC(2026, 0, 1, 0, Math.floor(i / 2)),
    }))
  const contextOf = async (cairn: Cairn, options: Parameters<Cairn['search']>[1] = {}) => {
    const { hits } = await cairn.search('pelican', {
      mode: 'keyword',
      context: 2,
      limit: 1,
      ...options,
    })
    const { before, after } = hits[0]?.context ?? { before: [], after: [] }
    return [before.map(({ body }) => body), after.map(({ body }) => body)]
  }

  test('[M8] the turns around a hit are shown in their order, and an import keeps it', async () => {
    const cairn = await libraryOf(turns(9), FAKE)
    expect(await contextOf(cairn)).toEqual([
      ['turn 2', 'turn 3'],
      ['turn 5', 'turn 6'],
    ])
    expect(await contextOf(cairn, { context: 1 })).toEqual([['turn 3'], ['turn 5']])
    expect((await cairn.search('pelican', { limit: 1 })).hits[0]?.context).toBeNull()
    const { hits } = await cairn.search('pelican', { context: 20, limit: 1, mode: 'keyword' })
    expect(hits[0]?.context?.before).toMatchObject([
      { body: 'turn 0', people: ['Ada'], at: '2026-01-01T00:00:00.000Z' },
      { body: 'turn 1', people: ['Tom'], at: '2026-01-01T00:00:00.000Z' },
      { body: 'turn 2' },
      { body: 'turn 3' },
    ])
    const { entries } = await cairn.timeline({ limit: 100 })
    expect(entries.map(({ summary }) => summary)).toEqual(turns(9).map(({ body }) => body))
  })

  test('[M7, M8] the turns around a hit of a past time are those of that time', async () => {
    let now = Date.UTC(2026, 6, 1)
    const cairn = await libraryOf(turns(7), { ...FAKE, now: () => now })
    const moment = now
    now += 10
    const { entries } = await cairn.timeline({})
    const idOf = (summary: string) => entries.find((one) => one.summary === summary)?.id ?? ''
    await cairn.edit(idOf('turn 3'), { body: 'turn three' })
    await cairn.delete([idOf('turn 5')])
    await cairn.add({
      body: 'turn 3 and a half',
      session: 'chat',
      occurredAt: Date.UTC(2026, 0, 1, 0, 1, 30),
    })
    expect(await contextOf(cairn)).toEqual([['turn three', 'turn 3 and a half'], ['turn 6']])
    expect(await contextOf(cairn, { asOf: moment })).toEqual([
      ['turn 2', 'turn 3'],
      ['turn 5', 'turn 6'],
    ])
  })
})

describe('the timeline', () => {
  test('[M9] around an anchor: five before and after, in its namespace, ties by id, with the sessions shown', async () => {
    const at = Date.UTC(2026, 0, 1)
    const cairn = await libraryOf([], FAKE)
    const added = await cairn.addMany(
      Array.from({ length: 15 }, (_, i) => ({
        body: `event ${i}`,
        occurredAt: at + Math.floor(i / 5) * DAY,
        session: i === 6 || i === 14 ? `s${i}` : null,
      })),
    )
    await cairn.add({ body: 'elsewhere', namespace: 'b', occurredAt: at + DAY })
    const ids = added.map(({ id }) => id)
    const [, , , , , , , anchor = ''] = ids
    const around = await cairn.timeline({ anchor })
    expect(around.entries.map(({ id }) => id)).toEqual(ids.slice(2, 13))
    expect(around.entries.filter(({ isAnchor }) => isAnchor).map(({ id }) => id)).toEqual([anchor])
    expect(around).toMatchObject({ anchor, next: null, sessions: [{ id: 's6' }] })
    const near = await cairn.timeline({ anchor, before: 0, after: 1 })
    expect(near.entries.map(({ id }) => id)).toEqual(ids.slice(7, 9))
    expect((await cairn.timeline({ anchor: ids[0] ?? '' })).entries).toHaveLength(6)
    await expect(cairn.timeline({ anchor: '01ZZZZZZZZZZZZZZZZZZZZZZZZ' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('01ZZZZZZZZ'),
    })
    await expect(cairn.timeline({ anchor, since: '2026-01-01' })).rejects.toMatchObject({
      code: 'bad_input',
    })
    await cairn.supersede(anchor, ids[8] ?? '')
    const superseded = await cairn.timeline({ anchor, before: 1, after: 1 })
    expect(superseded.entries.map(({ id }) => id)).toEqual(ids.slice(6, 9))
  })

  test('[M9] pages of any size over any stretch lose nothing and repeat nothing', async () => {
    const days = fc.array(fc.integer({ min: -3, max: 6 }), { maxLength: 25 })
    const edge = fc.option(fc.integer({ min: -4, max: 7 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(
        days,
        edge,
        edge,
        fc.integer({ min: 1, max: 7 }),
        async (all, from, to, limit) => {
          const cairn = await libraryOf(
            all.map((day, i) => ({
              body: `event ${i}`,
              occurredAt: day * DAY,
              namespace: i % 3 === 0 ? 'b' : 'a',
            })),
            { vectors: false, file: ':memory:' },
          )
          const range = {
            ...(from === undefined ? {} : { since: from * DAY }),
            ...(to === undefined ? {} : { until: to * DAY }),
          }
          for (const namespaces of [undefined, ['a', 'b'], ['b']]) {
            const seen: string[] = []
            let cursor: string | null = null
            do {
              const page: Awaited<ReturnType<Cairn['timeline']>> = await cairn.timeline({
                ...range,
                ...(namespaces && { namespaces }),
                limit,
                cursor,
              })
              seen.push(...page.entries.map(({ summary }) => summary))
              cursor = page.next
            } while (cursor !== null)
            const expected = all
              .map((day, i) => ({ day, i }))
              .filter(
                ({ day }) => (from === undefined || day >= from) && (to === undefined || day < to),
              )
              .filter(({ i }) => namespaces?.length !== 1 || i % 3 === 0)
              .sort((a, b) => a.day - b.day || a.i - b.i)
            expect(seen).toEqual(expected.map(({ i }) => `event ${i}`))
          }
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('links and documents', () => {
  test('[M10] links are seen from both ends, counted, and unknown or deleted ends are refused', async () => {
    const cairn = await libraryOf([], FAKE)
    const [a, b, c] = (
      await cairn.addMany([{ body: 'auk one' }, { body: 'two' }, { body: 'three' }])
    ).map(({ id }) => id as string)
    if (!a || !b || !c) throw new Error('three were added')
    await cairn.links.add({ from: a, to: b, type: 'depends_on', author: 'Ada', note: 'why' })
    await cairn.links.add({ from: c, to: a })
    await cairn.links.add({ from: a, to: c, type: 'PART_OF' })
    const { links } = await cairn.links.of(a)
    expect(links.map(({ type, direction, other }) => [type, direction, other?.id])).toEqual([
      ['DEPENDS_ON', 'out', b],
      ['RELATED_TO', 'in', c],
      ['PART_OF', 'out', c],
    ])
    expect((await cairn.links.of(b)).links).toMatchObject([
      { direction: 'in', author: 'Ada', note: 'why' },
    ])
    const related = async () =>
      (await cairn.search('auk', { mode: 'keyword' })).hits[0]?.relatedCount
    expect(await related()).toBe(2)
    await cairn.delete([c])
    expect(await related()).toBe(1)
    const unknown = '01ZZZZZZZZZZZZZZZZZZZZZZZZ'
    for (const attempt of [
      () => cairn.links.add({ from: a, to: unknown }),
      () => cairn.links.add({ from: a, to: c }),
      () => cairn.links.of(unknown),
      () => cairn.links.remove({ from: b, to: a }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
    }
    await expect(cairn.links.add({ from: a, to: a })).rejects.toMatchObject({ code: 'bad_input' })
    await expect(cairn.links.add({ from: a, to: b, type: 'SUPERSEDES' })).rejects.toMatchObject({
      hint: expect.stringContaining('cairn supersede'),
    })
    expect(await cairn.links.remove({ from: a, to: b })).toHaveLength(1)
    expect(await related()).toBe(0)
  })

  test('[M7, M10] taking a correction back also reads its neighbours again', async () => {
    const cairn = await libraryOf(
      ['one', 'two', 'three'].map((body, i) => ({ body, session: 's', occurredAt: i * 1000 })),
      FAKE,
    )
    const { entries } = await cairn.timeline({})
    const [, second, third] = entries.map(({ id }) => id as string)
    await cairn.supersede(second ?? '', third ?? '')
    await cairn.links.remove({ from: third ?? '', to: second ?? '' })
    expect((await cairn.search('two')).degraded).toBeNull()
  })

  test('[M11] documents are searched alone, or left out, or with all the rest', async () => {
    const cairn = await libraryOf(
      (['memory', 'document', 'work'] as const).map((kind) => ({ body: `stork ${kind}`, kind })),
      FAKE,
    )
    const kinds = ({ hits }: { hits: readonly { kind: string }[] }) =>
      hits.map(({ kind }) => kind).sort()
    expect(kinds(await cairn.searchDocuments('stork'))).toEqual(['document'])
    expect(kinds(await cairn.searchDocuments({ query: 'stork', includeDocuments: false }))).toEqual(
      ['document'],
    )
    expect(kinds(await cairn.search('stork', { includeDocuments: false }))).toEqual([
      'memory',
      'work',
    ])
    expect(kinds(await cairn.search('stork'))).toEqual(['document', 'memory', 'work'])
  })
})
