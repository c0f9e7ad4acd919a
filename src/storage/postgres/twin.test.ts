import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { record } from '../../../test/contract/storage-contract.js'
import { fullLibrary, linesOf } from '../../../test/support/full-library.js'
import { openDatabase } from '../../../test/support/postgres.js'
import type { Filter } from '../../core/filter.js'
import { createIdGenerator, type RecordId } from '../../core/ids.js'
import { parseQuery } from '../../query/parse.js'
import {
  type ArchiveEntry,
  type ArchiveLine,
  type ArchiveValue,
  parseArchiveLine,
} from '../archive.js'
import type { ResultSet } from '../search.js'
import { openSqlite } from '../sqlite/open-sqlite.js'
import type { Storage } from '../storage.js'
import type { ModelInfo, NearSearch } from '../vectors.js'
import { openPostgres } from './open-postgres.js'
import { createStatements } from './statements.js'

type Library = { readonly lines: readonly ArchiveLine[]; readonly now: () => number }

let library: Promise<Library> | null = null
let twins: Promise<{ file: Storage; server: Server } & Library> | null = null

/** Made once: a library in which every table holds something. */
function readLibrary(): Promise<Library> {
  library ??= (async () => {
    const { cairn, now } = await fullLibrary()
    const texts = await linesOf(cairn)
    const lines = texts.slice(1, -1).map((text, i) => {
      const parsed = parseArchiveLine(text, i + 2)
      return { line: i + 2, entry: (parsed as { entry: ArchiveEntry }).entry }
    })
    const at = now()
    return { lines, now: () => at }
  })()
  return library
}

type Server = { readonly storage: Storage; readonly run: (sql: string) => Promise<unknown> }

async function openServer(now: () => number): Promise<Server> {
  const { driver, schema } = await openDatabase()
  const makeId = createIdGenerator({ now, randomBytes })
  const storage = await openPostgres({ now, makeId, decay: 1, reinforcement: 0.02, driver, schema })
  const run = (sql: string) =>
    driver.withConnection(async (connection) => {
      const statements = createStatements(connection)
      await statements.run(`SET search_path = "${schema}", public`)
      return statements.run(sql)
    })
  return { storage, run }
}

/** The same library in SQLite and in PostgreSQL. */
function openTwins() {
  twins ??= (async () => {
    const { lines, now } = await readLibrary()
    const makeId = createIdGenerator({ now, randomBytes })
    const file = openSqlite({
      ...{ now, makeId, decay: 1, reinforcement: 0.02, file: ':memory:', programVersion: '0.0.0' },
      ...{ create: true, readOnly: false, busyTimeoutMs: 1000, trace: null },
    })
    const server = await openServer(now)
    await file.archive.restore({ dryRun: false })(lines)
    await server.storage.archive.restore({ dryRun: false })(lines)
    for (const storage of [file, server.storage]) await storeVectors(storage)
    return { file, server, lines, now }
  })()
  return twins
}

/** Some vectors: the same in both. */
async function storeVectors(storage: Storage): Promise<void> {
  const model = (await storage.vectors.active()) as ModelInfo
  const pending = await storage.vectors.listPending(model.id, 100)
  const made = pending.slice(1).map(({ id, title, body, context }, i) => {
    const half = body.length >> 1
    const chunks = [
      { start: 0, end: half, vector: drawVector(model, 2 * i) },
      { start: half, end: body.length, vector: drawVector(model, 2 * i + 1) },
    ]
    return { id, vectors: { of: { title, body, context }, chunks, whole: drawVector(model, i) } }
  })
  await storage.vectors.storeVectors(model, made)
  const past = await storage.vectors.listPastPending(-1, 100)
  const earlier = past.map(({ row, title, body }, i) => {
    const of = { title, body, context: null }
    return { row, vectors: { of, chunks: [], whole: drawVector(model, 1000 + i) } }
  })
  await storage.vectors.storePast(model, earlier)
}

function drawVector({ dimensions }: Pick<ModelInfo, 'dimensions'>, seed: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, (_, i) => Math.sin(seed * 7 + i * i))
  const length = Math.hypot(...vector)
  return vector.map((number) => number / length)
}

async function readAll(storage: Storage): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = []
  for await (const entry of storage.archive.read(() => {})) entries.push(entry)
  return entries
}

test('an archive comes back as it was, and a second time changes nothing', async () => {
  const { lines, now } = await readLibrary()
  const { storage: server } = await openServer(now)
  const dry = await server.archive.restore({ dryRun: true })(lines)
  expect(dry.every(({ kind }) => kind === 'added')).toBe(true)
  expect(await readAll(server)).toEqual([])
  const restore = server.archive.restore({ dryRun: false })
  const outcomes = [...(await restore(lines.slice(0, 20))), ...(await restore(lines.slice(20)))]
  expect(outcomes.every(({ kind }) => kind === 'added')).toBe(true)
  const wanted = lines.map(({ entry }) => JSON.stringify(entry))
  expect((await readAll(server)).map((entry) => JSON.stringify(entry))).toEqual(wanted)
  const again = await server.archive.restore({ dryRun: false })(lines)
  expect(again.every(({ kind }) => kind === 'same')).toBe(true)
})

test('of two different records the later one stays, with its revisions', async () => {
  const { lines, now } = await readLibrary()
  const { storage: server } = await openServer(now)
  await server.archive.restore({ dryRun: false })(lines)
  const { entry } = lines.find((one) => one.entry.kind === 'record') as ArchiveLine
  const record = (entry as Extract<ArchiveEntry, { kind: 'record' }>).value
  const edited = (updatedAt: string): ArchiveLine[] => [
    { line: 1, entry: { kind: 'record', value: { ...record, body: 'edited', updatedAt } } },
  ]
  const restore = server.archive.restore({ dryRun: false })
  expect(await restore(edited('2020-01-01T00:00:00.000Z'))).toEqual([
    { kind: 'kept', storedAt: expect.any(String) },
  ])
  expect(await restore(edited('2027-01-01T00:00:00.000Z'))).toEqual([{ kind: 'updated' }])
  const id = record.id as RecordId
  expect((await server.get([id]))[0]).toMatchObject({ body: 'edited', revision: 1 })
  const later = '2028-01-01T00:00:00.000Z'
  const back = lines.map(({ line, entry: own }): ArchiveLine => {
    const isIt = own.kind === 'record' && own.value.id === id
    const entry = isIt ? { ...own, value: { ...own.value, updatedAt: later } } : own
    return { line, entry }
  })
  await server.archive.restore({ dryRun: false })(back)
  const stored = await readAll(server)
  expect(stored.length).toBe(lines.length)
  const link = lines.find((one) => one.entry.kind === 'link')?.entry.value
  const bad = { ...link, id: 'other', source: 'nobody' } as ArchiveValue<'link'>
  await expect(restore([{ line: 7, entry: { kind: 'link', value: bad } }])).rejects.toThrow(
    'Line 7 of the archive cannot be used: it names the record "nobody"',
  )
})

test('statistics, overview, and hit context are those of SQLite', async () => {
  const { file, server: both, lines, now } = await openTwins()
  const server = both.storage
  const { bytes: _, terms: __, ...mine } = await server.statistics()
  const { bytes: ___, terms: ____, ...theirs } = await file.statistics()
  expect(mine).toEqual(theirs)
  expect(await server.statistics('gossip')).toEqual(await file.statistics('gossip'))
  for (const by of ['day', 'month', 'year', null] as const) {
    const request = { by, namespaces: null, nowMs: now(), decay: 1 }
    const { coverage: _, ...overview } = await server.overview(request)
    const { coverage: __, ...wanted } = await file.overview(request)
    expect(overview).toEqual(wanted)
  }
  const ids = lines.flatMap(({ entry }) =>
    entry.kind === 'record' ? [entry.value.id as RecordId] : [],
  )
  for (const asOfMs of [undefined, Date.parse('2026-03-01T09:00:30.000Z')]) {
    for (const pinnedNamespace of [null, 'default']) {
      const request = { asOfMs, nowMs: now(), withFacts: true, pinnedNamespace, neighbours: 2 }
      const context = await server.loadHitContext(ids, request)
      expect(context).toEqual(await file.loadHitContext(ids, request))
    }
  }
})

const FILTERS: readonly Filter[] = [
  {},
  { namespaces: ['default'] },
  { includeSuperseded: true, supersededLoosely: true },
  { asOfMs: Date.parse('2026-03-01T09:00:30.000Z') },
  { kinds: ['work'] },
]

function listSets(model: ModelInfo): ResultSet[] {
  const none = { words: null, near: null, listed: null, containing: null }
  return FILTERS.flatMap((filter): ResultSet[] => {
    const { root } = parseQuery('port OR harbours OR deploy OR ok')
    const { supersededLoosely: _, includeSuperseded: __, ...shown } = filter
    const corrected = { filter: shown, unwanted: null }
    const words = { root: root as never, fields: null, filter }
    return [
      { ...none, words, corrected },
      { ...none, listed: { filter, unwanted: null }, corrected },
      { ...none, listed: { filter, unwanted: words }, words: null, corrected },
      { ...none, words, containing: { text: 'on', filter }, corrected },
      { ...none, words, near: findNear(model, filter), corrected },
    ]
  })
}

function findNear(model: ModelInfo, filter: Filter): NearSearch {
  const words = { required: null, unwanted: null, fields: null }
  const search = { model: model.id, vector: drawVector(model, 3), limit: 1, exclude: [] }
  return { ...search, ...words, minSimilarity: 0.02, filter }
}

test('what was found is counted and sorted as in SQLite', async () => {
  const { file, server: both } = await openTwins()
  const server = both.storage
  const totals = new Set<number>()
  for (const set of listSets((await file.vectors.active()) as ModelInfo)) {
    for (const wide of [false, true]) {
      const wanted = await file.facets(set, { wide })
      expect(await server.facets(set, { wide })).toEqual(wanted)
      totals.add(wanted?.total ?? 0)
    }
    for (const order of ['newest', 'oldest', 'title'] as const) {
      const page = { order, limit: 5, offset: 1 }
      expect(await server.sorted(set, page)).toEqual(await file.sorted(set, page))
    }
  }
  expect(totals.size).toBeGreaterThan(5)
})

test('vectors are read as they were stored', async () => {
  const { file, server, lines } = await openTwins()
  const ids = lines.flatMap(({ entry }) =>
    entry.kind === 'record' ? [entry.value.id as RecordId] : [],
  )
  const states = lines.flatMap(({ entry }) =>
    entry.kind === 'revision'
      ? [{ record: entry.value.record as RecordId, number: entry.value.number }]
      : [],
  )
  const readAs = async ({ vectors }: Storage, show: (number: number) => unknown) => {
    const { id: model } = (await vectors.active()) as ModelInfo
    const read = await vectors.read(model, ids)
    expect(read.filter((one) => one !== null).length).toBeGreaterThan(5)
    expect(await vectors.listMissing(model, ids)).toEqual(ids.filter((_, i) => read[i] === null))
    const past = await vectors.readPast(model, states)
    expect(past.every((one) => one !== null)).toBe(true)
    const showAll = (vector: Float32Array | null) => vector && Array.from(vector, show)
    const shown = read.map((one) => {
      const chunks = one?.chunks.map(({ vector, ...range }) => ({ ...range, at: showAll(vector) }))
      return { of: one?.of, chunks, whole: showAll(one?.whole ?? null) }
    })
    return { shown, past: past.map(showAll) }
  }
  const mine = await readAs(server.storage, (number) => number)
  // Half-precision numbers of PostgreSQL differ in the fifth digit.
  expect(mine).toEqual(await readAs(file, (number) => expect.closeTo(number, 4)))
})

test('a check names what is wrong, and a rebuild mends it', async () => {
  const { lines, now } = await readLibrary()
  const { storage: server, run } = await openServer(now)
  await server.archive.restore({ dryRun: false })(lines)
  const findFaults = async () =>
    (await server.check()).flatMap(({ ok, name, detail }) => (ok ? [] : [[name, detail]]))
  await server.add([record('a text with \0 in it'), record('a text with \0 in it')])
  expect(await findFaults()).toEqual([])
  await run(`DELETE FROM words WHERE record = (SELECT min(row) FROM records WHERE present)`)
  await run(
    `INSERT INTO record_tags SELECT namespace, 'nobodys', row FROM records WHERE id = (SELECT min(id) FROM records)`,
  )
  await run(`UPDATE records SET content_hash = 'x' WHERE id = (SELECT min(id) FROM records)`)
  await run(`UPDATE revisions SET successor = 0 WHERE successor IS NOT NULL`)
  await run(`DELETE FROM waiting`)
  const live = (await server.overview({ by: 'day', namespaces: null, nowMs: now(), decay: 1 }))
    .coverage.withVectors
  expect(await findFaults()).toEqual([
    ['foreignKeys', '1 references lead to nothing'],
    ['counts', '1 records are not indexed'],
    ['vectors', `${live} records have no vectors and are not pending`],
    ['tags', '1 tags are missing or left over'],
    ['hashes', '1 records have the hash of another text'],
  ])
  await server.rebuild(null)
  expect(await findFaults()).toEqual([])
  const { bytesAfter } = await server.optimize(true)
  expect(bytesAfter).toBeGreaterThan(0)
})
