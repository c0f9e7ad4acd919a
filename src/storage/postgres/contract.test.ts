import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { describeAuthors } from '../../../test/contract/authors-contract.js'
import { describeImports } from '../../../test/contract/imports-contract.js'
import { describeMemory } from '../../../test/contract/memory-contract.js'
import {
  createClock,
  describeStorage,
  type Opened,
  record,
} from '../../../test/contract/storage-contract.js'
import { describeWorks } from '../../../test/contract/works-contract.js'
import { openDatabase } from '../../../test/support/postgres.js'
import type { Filter, MetadataFilter } from '../../core/filter.js'
import { createIdGenerator, type RecordId } from '../../core/ids.js'
import type { NewRecord } from '../../core/record.js'
import { NO_DETAILS } from '../../core/work.js'
import { openSqlite } from '../sqlite/open-sqlite.js'
import type { Storage } from '../storage.js'
import type { Driver } from './driver.js'
import { openPostgres } from './open-postgres.js'
import { createRunner } from './runner.js'
import { keepWordCounts } from './word-counts.js'

async function open(): Promise<Opened> {
  const { now, tick, flow } = createClock()
  const storage = await openPostgres({
    ...(await openDatabase()),
    now,
    decay: 1,
    reinforcement: 0.02,
    makeId: createIdGenerator({ now, randomBytes }),
  })
  return { storage, tick, flow }
}

describeMemory('postgres', open)
describeWorks('postgres', open)
describeAuthors('postgres', open)
describeImports('postgres', open)
describeStorage('postgres', open)

test('what was to follow a statement does not run after its transaction has failed', async () => {
  const place = await openDatabase()
  await openPostgres({
    ...place,
    now: Date.now,
    decay: 1,
    reinforcement: 0,
    makeId: () => 'x' as RecordId,
  })
  const { run, amend } = createRunner(place.driver, place.schema)
  let late: Promise<unknown> = Promise.resolve()
  const failing = amend(null, async (statements) => {
    const insert = `INSERT INTO meta (key, value) VALUES ('late', 'yes')`
    late = statements.run('SELECT 1').then(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return statements.run(insert)
    })
    late.catch(() => {})
    throw new Error('the other part failed')
  })
  await expect(failing).rejects.toThrow('the other part failed')
  await expect(late).rejects.toThrow('has ended')
  expect(
    await run((statements) => statements.value(`SELECT value FROM meta WHERE key = 'late'`)),
  ).toBe(undefined)
})

test('frequent words that were counted beforehand give the same scores', async () => {
  const place = await openDatabase()
  const makeId = createIdGenerator({ now: Date.now, randomBytes })
  const reopen = () => openPostgres({ ...place, now: Date.now, decay: 1, reinforcement: 0, makeId })
  const texts = Array.from({ length: 300 }, (_, i) => `heron ${i % 2 ? 'egret' : 'stork'} bird${i}`)
  const parts = ['heron', 'egret'].map((text) => ({ kind: 'word' as const, text }))
  const rank = (one: Storage) =>
    one.rank({ root: { kind: 'or', parts }, fields: null, filter: {} }, { limit: 20, offset: 0 })
  const storage = await reopen()
  await storage.add(texts.map((text) => record(text)))
  const before = await rank(storage)
  const { runAlone } = createRunner(place.driver, place.schema)
  await runAlone((statements) => statements.run('ANALYZE words'))
  await runAlone((statements) => keepWordCounts(statements, 1))
  const counted = (sql: string) => runAlone((statements) => statements.value(sql))
  expect(await counted(`SELECT records FROM word_counts WHERE query = ''`)).toBe(300)
  expect(await counted(`SELECT records FROM word_counts WHERE query = '(''egret'')'`)).toBe(150)
  expect(await rank(await reopen())).toEqual(before)
})

/** Values that PostgreSQL and SQLite compare in different ways unless they are told: case, accents, types, missing keys. */
const ODD: readonly Partial<NewRecord>[] = [
  { tags: ['Straße', 'Ärger'], people: ['Ünal Öz', 'ada'], source: 'notes/a.md' },
  { tags: ['straße'], people: ['Ada Lovelace'], source: 'notes/b/c.md', kind: 'document' },
  { tags: ['B'], source: 'a.md', metadata: { n: 1, list: ['x', 2, true], deep: { '0': 'zero' } } },
  { tags: ['b', 'a'], source: 'git:1f3', metadata: { n: '1', list: [], deep: ['zero'] } },
  { source: 'plain', metadata: { n: 1.5, flag: true, nothing: null, 'it"s': 'q' }, importance: 1 },
  { kind: 'work', occurredAtMs: Date.UTC(1999, 0, 1), metadata: { n: 'b', flag: 'true' } },
  { kind: 'work', metadata: { n: 'a' } },
  { occurredAtMs: -1, sector: 'episodic', metadata: { n: -1e300 } },
  { occurredAtMs: Date.UTC(2024, 11, 31, 23, 59), sector: 'semantic', tier: 'global' },
  { namespace: 'other', tier: 'global', sessionId: 's', people: ['x'] },
  { namespace: 'other', sessionId: 's', people: ['y'], salience: 1, sector: 'reflective' },
]

const is = (path: string, ...values: string[]): MetadataFilter => ({
  kind: 'metadata',
  test: { path, test: 'is', values },
})
const compare = (path: string, test: 'gt' | 'lte', value: string): MetadataFilter => ({
  kind: 'metadata',
  test: { path, test, values: [value] },
})
const later = { least: 0.4, atMs: 1_790_000_000_000, decay: 1 }
const FILTERS: readonly Filter[] = [
  ...['straße', 'STRAßE', 'Straße', 'ärger', 'Ärger', 'B'].map((tag) => ({ tagsAny: [tag] })),
  { tagsAll: ['A', 'B'] },
  { tagsNone: ['b', 'straße'] },
  ...['ADA', 'ünal', 'Ünal', '"ada"', '"Ada Lovelace"', ''].map((name) => ({ people: [name] })),
  ...['notes/*', 'git:*', './*', 'a.md', '*', 'no*'].map((source) => ({ sources: [source] })),
  ...[
    [1999, 1999],
    [2024, 2024],
    [1969, 1970],
    [0, 9999],
  ].map((range) => ({
    years: [range as [number, number]],
  })),
  ...['n', 'list', 'deep', 'deep.0', 'flag', 'nothing', 'none'].flatMap((path): Filter[] => [
    { where: { kind: 'metadata', test: { path, test: 'exists', values: [] } } },
    { where: is(path, '1', 'x', 'true', 'zero', 'b') },
    { where: { kind: 'not', part: is(path, '1', '2', 'true') } },
    { where: compare(path, 'gt', '1') },
    { where: compare(path, 'lte', 'a') },
  ]),
  { where: { kind: 'or', parts: [is('n', 'a'), { kind: 'and', parts: [is('flag', 'true')] }] } },
  ...(['created', 'updated', 'occurred', 'published', null] as const).map((field) => ({
    dates: { field, sinceMs: Date.UTC(1990, 0, 1), untilMs: Date.UTC(2026, 0, 1) },
  })),
  { kinds: ['work'], includeSuperseded: true },
  { namespaces: ['default'], includeGlobal: true },
  { namespaces: ['other'], sessions: ['s'], isPinned: true },
  { sessions: ['s'], usages: ['created', 'recalled'] },
  { sectors: ['semantic', 'reflective'] },
  { tiers: ['global'] },
  { minSalience: later },
  { minSalience: { ...later, decay: 1e6 } },
  { minConfidence: later },
  { minConfidence: { ...later, atMs: 9e15 } },
  { factTypes: ['preference'] },
  { idsIn: [] },
  { idsOut: [] },
]

test('every filter lets the same records pass as in SQLite, and gives them in the same order', async () => {
  const now = (): number => 1_780_000_000_000
  const bodies = ODD.map((more, i) => record(`number ${i}`, more))
  const fact = { type: 'preference', subject: 'he', predicate: 'likes', object: 'tea' } as const
  const read = async (storage: Storage) => {
    const [first] = await storage.add(
      bodies.map((one) => ({ ...one, facts: [{ ...fact, confidence: 0.5, quote: null }] })),
    )
    await storage.softDelete([first?.id as RecordId])
    await storage.restore([first?.id as RecordId])
    const pages = FILTERS.map(async (filter) => {
      const page = { filter, limit: 50, cursor: null, deleted: false }
      const { records } = await storage.list(page)
      const range = await storage.timelineRange({ ...page, newestFirst: false })
      return [records, range.records].map((list) => list.map(({ body }) => body))
    })
    const found = await Promise.all(pages)
    await storage.close()
    return FILTERS.map((filter, i) => ({ filter, found: found[i] }))
  }
  const arithmetic = { now, decay: 1, reinforcement: 0.02 }
  const makeId = () => createIdGenerator({ now, randomBytes: (size) => Buffer.alloc(size) })
  const sqlite = openSqlite({
    ...{ file: ':memory:', programVersion: '0.0.0', create: true, readOnly: false },
    ...{ busyTimeoutMs: 1000, trace: null, makeId: makeId(), ...arithmetic },
  })
  const postgres = await openPostgres({
    ...(await openDatabase()),
    ...arithmetic,
    makeId: makeId(),
  })
  expect(await read(postgres)).toEqual(await read(sqlite))
})

test('U+0000 and half of a surrogate pair are stored as U+FFFD, and the same text is found again', async () => {
  const { storage } = await open()
  const odd = record('a\0b\uD800c', { tags: ['t\0'], metadata: { 'k\0': ['\0\\u0000', '\uDC00'] } })
  const [first] = await storage.add([odd])
  const [again] = await storage.add([odd])
  expect(again).toEqual({ id: first?.id, created: false, duplicateOf: first?.id })
  const id = first?.id as RecordId
  const changed = await storage.update(id, { title: '\0' })
  expect(changed).toMatchObject({
    title: '\uFFFD',
    body: 'a\uFFFDb\uFFFDc',
    tags: ['t\uFFFD'],
    metadata: { 'k\uFFFD': ['\uFFFD\\u0000', '\uFFFD'] },
  })
  await storage.close()
})

test('[D2] recalls, works and imports take as many statements for two hundred records as for one', async () => {
  const { driver, schema } = await openDatabase()
  let statements = 0
  const counted: Driver = {
    ...driver,
    withConnection: (work) =>
      driver.withConnection((connection) =>
        work({
          ...connection,
          query(sql, values) {
            statements += 1
            return connection.query(sql, values)
          },
        }),
      ),
  }
  let time = 1_780_000_000_000
  const now = (): number => time++
  const makeId = createIdGenerator({ now, randomBytes })
  const storage = await openPostgres({
    driver: counted,
    schema,
    now,
    makeId,
    decay: 1,
    reinforcement: 0.02,
  })
  const { works, imports, memory } = storage
  const make = <T>(count: number, one: (i: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => one(i))
  const from = { source: 'notes', pinnedNamespace: null }
  const batch = { namespace: 'default', asked: [], seen: [], added: [], vectors: null, updated: [] }
  const session = await memory.startSession({
    ...{ id: 's', namespace: 'default', title: null, startedAtMs: null, endedAtMs: null },
    ...{ owner: null, metadata: {} },
  })
  const fact = { type: 'kv', subject: 'it', predicate: 'is', confidence: 0.5, quote: null } as const
  const writeAll = async (name: string, count: number): Promise<number[]> => {
    const counts: number[] = []
    const step = async <T>(work: () => Promise<T>): Promise<T> => {
      statements = 0
      const done = await work()
      counts.push(statements)
      return done
    }
    const added = make(count, (i) => ({
      record: record('', { kind: 'work', title: `${name} ${i}` }),
      work: { ...NO_DETAILS, note: `${i}` },
      identities: [`doi:${name}${i}`],
      references: [`doi:${name}${(i + 1) % count}`, 'doi:x'],
    }))
    const ids = (await step(() => works.write({ ...batch, added }))) as RecordId[]
    const updated = ids.map((id, i) => {
      const change = { title: `${name} ${i}, changed`, identities: [`key:${name}${i}`] }
      return { id, change, vectors: null, references: [`doi:${name}y`] }
    })
    await step(() => works.write({ ...batch, updated }))
    const items = (text: string) =>
      make(count, (i) => ({
        key: `${name}${i}`,
        hash: text,
        record: {
          ...record(`${text} ${name} ${i}`, { sessionId: `${name} ${i % 7}` }),
          facts: [{ ...fact, object: `${i}` }],
        },
        hasOwnTime: false,
      }))
    const made = await step(() => imports.write(from, items('one')))
    await step(() => imports.write(from, items('two')))
    const links = made.slice(1).map(({ id }) => ({
      ...{ type: 'RELATED_TO', source: made[0]?.id as RecordId, target: id, targetRef: null },
      ...{ author: null, note: null },
    }))
    if (links.length > 0) await imports.relink(links, [])
    const hits = made.map(({ id }) => ({ id, score: 1, facts: [] }))
    await step(() =>
      memory.logRecall({
        ...{ session, atMs: now(), query: 'q', lens: 'balanced', request: {}, hits },
        ...{ reinforcement: 0.02, decay: 1 },
      }),
    )
    const how = { kind: 'reinforce', amount: 0.1, decay: 1, session: session.row } as const
    await step(() => memory.strengthen(ids, how))
    await step(() =>
      imports.forget(
        from,
        make(count, (i) => `${name}${i}`),
      ),
    )
    return counts
  }
  const one = await writeAll('one', 1)
  const many = await writeAll('many', 200)
  // Tables that have grown are looked for, and analysed.
  for (const [i, count] of many.entries())
    expect(count - (one[i] ?? 0), `${i}`).toBeLessThanOrEqual(2)
  expect(one[4]).toBeLessThanOrEqual(10)
})
