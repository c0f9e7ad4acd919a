import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { fullLibrary, linesOf } from '../../test/support/full-library.js'
import { temporaryFile } from '../../test/support/library.js'
import { type Cairn, openCairn } from '../index.js'

async function open(file: string, now = Date.now): Promise<Cairn> {
  const cairn = await openCairn({ file, now })
  onTestFinished(() => cairn.close())
  return cairn
}

test('a copy holds everything, with its vectors', async () => {
  const { cairn, now } = await fullLibrary()
  const file = temporaryFile()
  const lines = await linesOf(cairn)
  const seen: unknown[] = []
  const report = await cairn.copy(file, { onProgress: (progress) => seen.push(progress) })
  const { records, deleted } = await cairn.stats()
  const total = Object.values(records).reduce((sum, n) => sum + n, deleted)
  expect(report).toMatchObject({ to: file, waiting: 0, conflictCount: 0, lines: lines.length })
  expect(report.added.record).toBe(total)
  // One record was deleted before it could be embedded again.
  expect(report.vectors).toBeGreaterThanOrEqual(total - deleted)
  expect(seen.at(-1)).toEqual({ done: total, total })

  const at = now()
  const copy = await open(file, () => at)
  expect(await linesOf(copy)).toEqual(lines)
  expect((await copy.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
  const models = async (one: Cairn) => {
    const { models: all } = await one.models()
    return all.map(({ id, state, records, vectors }) => ({ id, state, records, vectors }))
  }
  expect(await models(copy)).toEqual(await models(cairn))
  const first = await open(cairn.file, () => at)
  for (const asked of [
    { query: 'boats in the harbour', mode: 'semantic', threshold: -1 },
    { query: 'database port', mode: 'semantic', asOf: '2026-03-01T09:00:20.000Z' },
  ] as const) {
    const [answer, wanted] = await Promise.all(
      [copy, first].map(async (one) => {
        const { hits } = await one.search({ limit: 50, ...asked })
        // To quantise a vector again moves it in the seventh digit.
        return hits.map(({ id, similarity }) => [id, Math.round((similarity ?? -2) * 1e4)])
      }),
    )
    expect(wanted?.length).toBeGreaterThan(0)
    expect(answer).toEqual(wanted)
  }
})

test('an interrupted copy can be continued; a complete one is refused', async () => {
  const source = await open(temporaryFile())
  const bodies = Array.from({ length: 1200 }, (_, i) => ({
    body: `turn ${i} of the talk`,
    session: 'talk',
    people: ['Anna'],
  }))
  await source.addMany(bodies)
  const file = temporaryFile()
  const stop = new AbortController()
  const interrupted = source.copy(file, {
    signal: stop.signal,
    onProgress: ({ done }) => done > 0 && stop.abort(),
  })
  await expect(interrupted).rejects.toThrow(/abort/)
  const report = await source.copy(file)
  expect(report.same.record).toBeGreaterThan(900)
  expect(report.same.record + report.added.record).toBe(1200)
  expect(report.waiting).toBe(0)
  const copy = await open(file)
  expect(await linesOf(copy)).toEqual(await linesOf(source))
  await expect(source.copy(file)).rejects.toMatchObject({
    code: 'bad_input',
    message: `The target ${file} is not empty.`,
  })
})

test('a target that holds something else is merged only with force', async () => {
  const source = await open(temporaryFile())
  await source.add({ body: 'The tide turns at nine.' })
  const target = await open(temporaryFile())
  const { id } = await target.add({ body: 'Boats need paint.' })
  await expect(source.copy(target.file)).rejects.toMatchObject({ code: 'bad_input' })
  expect((await target.list()).records).toHaveLength(1)
  expect(await source.copy(target.file, { force: true })).toMatchObject({ vectors: 1, waiting: 0 })
  expect((await target.list()).records.map((record) => record.id)).toContain(id)
  expect((await target.list()).records).toHaveLength(2)
  await expect(source.copy(source.file)).rejects.toMatchObject({
    message: `${source.file} is the source itself.`,
  })
})

const server = process.env.CAIRN_TEST_POSTGRES ?? ''

test.skipIf(server === '')('a copy in PostgreSQL and one back hold everything', async () => {
  const { cairn, now } = await fullLibrary()
  const lines = await linesOf(cairn)
  const schema = `copy_${process.pid}`
  const url = `${server}?schema=${schema}`
  onTestFinished(async () => {
    const client = new pg.Client(server)
    await client.connect()
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await client.end()
  })
  expect(await cairn.copy(url)).toMatchObject({ vectors: 13, waiting: 0, conflictCount: 0 })
  const at = now()
  const inDatabase = await open(url, () => at)
  expect(await linesOf(inDatabase)).toEqual(lines)
  expect((await inDatabase.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
  const file = temporaryFile()
  expect(await inDatabase.copy(file)).toMatchObject({ vectors: 13, waiting: 0, conflictCount: 0 })
  const back = await open(file, () => at)
  expect(await linesOf(back)).toEqual(lines)
  const asked = { query: 'boats in the harbour', facets: true, limit: 50 }
  const [mine, theirs] = [await inDatabase.search(asked), await back.search(asked)]
  expect(theirs.hits.length).toBeGreaterThan(1)
  expect(mine.hits.map(({ id }) => id)).toEqual(theirs.hits.map(({ id }) => id))
  expect(mine.facets).toEqual(theirs.facets)
})
