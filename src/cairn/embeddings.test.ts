import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bodiesFound, libraryOf, temporaryFile } from '../../test/support/library.js'
import { type Cairn, openCairn } from '../index.js'

const NOTES = [
  'The deployment process: merge to main, tag the release, and the pipeline rolls it out to the servers.',
  'The cat sleeps on the warm windowsill all afternoon and purrs.',
  'Interest rates were raised by the central bank to slow inflation.',
  'A recipe for bread: flour, water, yeast and salt, then a hot oven.',
]
/** A model that is not there. */
const MISSING = { provider: 'onnx', model: 'no-such-folder' } as const

const semantic = (cairn: Cairn, query: string, options = {}) =>
  bodiesFound(cairn, query, { mode: 'semantic', ...options })

test('a text without a known word is never a neighbour of anything', async () => {
  const cairn = await libraryOf([...NOTES, '東京都に住んでいます', '!!! ??? ...'])
  const bodies = await semantic(cairn, 'cat', { threshold: -1 })
  expect(bodies.sort()).toEqual([...NOTES].sort())
  expect(await cairn.models()).toMatchObject({
    waiting: 0,
    models: [{ records: 6, vectors: 4, coverage: 1 }],
  })
})

describe('[A3] a record is never lost because a provider is down', () => {
  test('it is stored, waits, and is read with the next write', async () => {
    const file = temporaryFile()
    const down = await openCairn({ file, vectors: MISSING })
    const { id, created } = await down.add({ body: NOTES[1] ?? '' })
    expect(created).toBe(true)
    expect((await down.stats()).waiting).toBe(1)
    await down.close()
    const up = await openCairn({ file })
    onTestFinished(() => up.close())
    expect((await up.stats()).waiting).toBe(1)
    await up.add({ body: NOTES[2] ?? '' })
    expect((await up.stats()).waiting).toBe(0)
    expect((await up.search('kitten', { mode: 'semantic', threshold: 0 })).hits[0]?.id).toBe(id)
  })
})

describe('[F12, L7] similar', () => {
  test('finds the nearest records without the record itself', async () => {
    const cairn = await libraryOf([...NOTES, 'Kittens nap on a sunny windowsill and purr.'])
    const [hit] = (await cairn.search('windowsill cat', { match: 'all' })).hits
    const answer = await cairn.similar(hit?.id ?? '', { threshold: 0 })
    expect(answer.hits[0]?.record.body).toContain('Kittens')
    expect(answer.hits.map(({ id }) => id)).not.toContain(hit?.id)
    expect(answer.of).toBe(hit?.id)
  })

  test('a record without vectors gets a clear error', async () => {
    const cairn = await libraryOf(['東京都に住んでいます'])
    const [record] = (await cairn.list()).records
    await expect(cairn.similar(record?.id ?? '')).rejects.toMatchObject({
      code: 'not_found',
      message: `The record "${record?.id}" has no vectors yet.`,
    })
    await expect(cairn.similar('01ZZZZZZZZ')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a record with two subjects is near to records about the second one', async () => {
    const section = (topic: string) => Array.from({ length: 9 }, () => topic).join(' ')
    const mixed = [NOTES[1], NOTES[2], NOTES[2], NOTES[2]].map((topic) => section(topic ?? ''))
    const cairn = await libraryOf([mixed.join('\n\n'), NOTES[1] ?? '', NOTES[2] ?? ''])
    const [longest] = (await cairn.list()).records.filter(({ body }) => body.length > 1000)
    const { hits } = await cairn.similar(longest?.id ?? '', { threshold: -1 })
    expect(hits[0]?.record.body).toBe(NOTES[2])
  })

  test('a long record is compared by the mean of its chunks', async () => {
    const long = (topic: string) =>
      Array.from({ length: 80 }, (_, i) => `${topic} Part ${i} goes on.`).join(' ')
    const cairn = await libraryOf([
      { body: long(NOTES[1] ?? ''), title: 'cats' },
      { body: long('Cats and kittens purr and sleep.'), title: 'more cats' },
      { body: long(NOTES[2] ?? ''), title: 'money' },
    ])
    const [cats] = (await cairn.list({ limit: 10 })).records.filter(({ title }) => title === 'cats')
    const answer = await cairn.similar(cats?.id ?? '', { threshold: -1 })
    expect(answer.hits.map(({ title }) => title)).toEqual(['more cats', 'money'])
    const { models } = await cairn.models()
    expect(models[0]?.vectors).toBeGreaterThan(3)
  })
})

describe('[M14] near-duplicates', () => {
  test('are listed with their differences, and nothing is merged', async () => {
    const cairn = await libraryOf(['The staging database listens on port 5432 behind the pooler.'])
    const answer = await cairn.add({
      body: 'The staging database listens on port 6543 behind the pooler.',
    })
    expect(answer.created).toBe(true)
    expect(answer.nearDuplicates).toHaveLength(1)
    expect(answer.nearDuplicates[0]).toMatchObject({ changed: ['5432 → 6543'] })
    expect(answer.nearDuplicates[0]?.similarity).toBeGreaterThan(0.8)
    expect((await cairn.list()).records).toHaveLength(2)
  })

  test('a short text that differs by one number is one, too', async () => {
    const cairn = await libraryOf(['The staging database listens on port 5432.'])
    const answer = await cairn.add({ body: 'The staging database listens on port 6543.' })
    expect(answer.nearDuplicates.map(({ changed }) => changed)).toEqual([['5432 → 6543']])
  })

  test('a text on another subject or in another namespace is not listed', async () => {
    const cairn = await libraryOf([
      { body: 'Port 5432 is open on the server.', namespace: 'other' },
    ])
    expect((await cairn.add({ body: 'Port 6543 is open on the server.' })).nearDuplicates).toEqual(
      [],
    )
    expect((await cairn.add({ body: NOTES[1] ?? '' })).nearDuplicates).toEqual([])
  })
})

describe('[M14] looking for near-duplicates', () => {
  /** The statements that adding one record runs in a file of so many records. */
  async function statementsOfOneAddition(records: number): Promise<string[]> {
    const ran: string[] = []
    const file = temporaryFile()
    const filled = await libraryOf([], { file })
    const topics = ['garden', 'harbour', 'library', 'kitchen', 'station', 'museum', 'bridge']
    const body = (i: number) =>
      `Report ${i}: the ${topics[i % 7]} of district ${i % 50} was inspected on day ${i}.`
    await filled.addMany(Array.from({ length: records }, (_, i) => ({ body: body(i) })))
    await filled.close()
    const cairn = await libraryOf([], { file, trace: (sql) => ran.push(sql) })
    ran.length = 0
    const changed = body(records - 1).replace(/day \d+/, 'day 99999')
    const { nearDuplicates } = await cairn.add({ body: changed })
    expect(nearDuplicates[0]?.changed).toEqual([`${records - 1} → 99999`])
    return ran
  }

  test('runs as many statements in a large file as in a small one, and loads no vectors', async () => {
    const few = await statementsOfOneAddition(60)
    const many = await statementsOfOneAddition(3000)
    expect(many.length).toBeLessThan(few.length + 10)
    expect(many.filter((sql) => /SELECT row, data FROM vector_blocks/.test(sql))).toEqual([])
    expect(many.filter((sql) => /group_concat/.test(sql))).toEqual([])
  })
})

describe('vectors follow their records', () => {
  test('through edits, deletion and restoration', async () => {
    const cairn = await libraryOf(NOTES)
    const [hit] = (await cairn.search('kitten', { mode: 'semantic', threshold: 0 })).hits
    const id = hit?.id ?? ''
    await cairn.edit(id, { body: 'Stocks and bonds on the exchange.' })
    expect((await semantic(cairn, 'finance', { threshold: 0 })).slice(0, 2)).toContain(
      'Stocks and bonds on the exchange.',
    )
    await cairn.delete([id])
    expect(await semantic(cairn, 'finance', { threshold: -1 })).toHaveLength(3)
    await cairn.restore([id])
    expect(await semantic(cairn, 'finance', { threshold: -1 })).toHaveLength(4)
    await cairn.purge([id])
    expect(await semantic(cairn, 'finance', { threshold: -1 })).toHaveLength(3)
    expect((await cairn.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
  })

  test('when another SQLite program changes or deletes rows', async () => {
    const file = temporaryFile()
    const cairn = await libraryOf(NOTES, { file })
    expect(await semantic(cairn, 'cat', { threshold: -1 })).toHaveLength(4)
    const raw = new Database(file)
    raw.exec(`UPDATE records SET body = 'Tulips and roses in the garden.' WHERE body LIKE '%cat%'`)
    raw.exec(`DELETE FROM records WHERE body LIKE '%bread%'`)
    raw.close()
    expect((await semantic(cairn, 'cat', { threshold: -1 })).sort()).toEqual(
      [NOTES[0], NOTES[2]].sort(),
    )
    await cairn.embed()
    expect((await semantic(cairn, 'flowers', { threshold: 0 }))[0]).toBe(
      'Tulips and roses in the garden.',
    )
  })

  test('[D1] a lost vector is found by the doctor and mended by a repair', async () => {
    const file = temporaryFile()
    const cairn = await libraryOf(NOTES, { file })
    const raw = new Database(file)
    raw.exec('DELETE FROM chunks')
    raw.close()
    const failed = (await cairn.doctor()).checks.filter(({ ok }) => !ok).map(({ name }) => name)
    expect(failed).toEqual(['vectors'])
    expect((await cairn.doctor({ repair: true })).ok).toBe(true)
    expect(await semantic(cairn, 'cat', { threshold: -1 })).toHaveLength(4)
  })
})

test('[L9] a text that was embedded before is not embedded again', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf(['the same passage'], {
    file,
    vectors: { provider: 'fake', dimensions: 48 },
  })
  await cairn.addMany(
    Array.from({ length: 5 }, (_, i) => ({ body: 'the same passage', namespace: `n${i}` })),
  )
  const raw = new Database(file, { readonly: true })
  expect(raw.prepare('SELECT count(*) FROM embedding_cache').pluck().get()).toBe(1)
  expect(raw.prepare('SELECT count(*) FROM chunks').pluck().get()).toBe(6)
  raw.close()
})

describe('[N10] the model can be changed while the old vectors serve', () => {
  const FAKE = { provider: 'fake', dimensions: 32 } as const

  test('a record that comes back after the change is embedded by the new one', async () => {
    const cairn = await libraryOf(NOTES)
    const [record] = (await cairn.list()).records
    await cairn.delete([record?.id ?? ''])
    await cairn.embed(FAKE)
    await cairn.restore([record?.id ?? ''])
    expect((await cairn.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
    expect((await cairn.embed()).models.find(({ state }) => state === 'active')?.records).toBe(4)
  })

  test('searches use the old one until the new one has read everything', async () => {
    const cairn = await libraryOf([])
    await cairn.addMany(
      Array.from({ length: 600 }, (_, i) => ({ body: `${NOTES[i % 4]} Number ${i}.` })),
    )
    const serving: string[] = []
    const { models } = await cairn.embed(FAKE, () => {
      void cairn.models().then((answer) => {
        serving.push(answer.models.find(({ state }) => state === 'active')?.id ?? 'none')
      })
    })
    expect(serving[0]).toBe('cairn/static@2')
    expect(models.map(({ id, state, coverage }) => [id, state, coverage])).toEqual([
      ['cairn/static@2', 'idle', 1],
      ['fake/hash@32', 'active', 1],
    ])
    const answer = await cairn.search('cat sleeps windowsill', {
      mode: 'semantic',
      threshold: 0,
      limit: 3,
    })
    expect(answer.hits[0]?.record.body).toContain('cat')
    await cairn.add({ body: 'One more about a cat that sleeps.' })
    expect((await cairn.stats()).vectors).toMatchObject({ 'fake/hash@32': 601 })
    await cairn.removeModel('cairn/static@2')
    expect((await cairn.models()).models).toHaveLength(1)
    expect((await cairn.doctor()).ok).toBe(true)
  })

  test('the model in charge cannot be removed, an unknown one is named', async () => {
    const cairn = await libraryOf(NOTES)
    await expect(cairn.removeModel('cairn/static@2')).rejects.toMatchObject({ code: 'bad_input' })
    await expect(cairn.removeModel('nothing/here@1')).rejects.toMatchObject({ code: 'not_found' })
    const pinned = cairn.as({ name: 'ann', namespaces: ['other'], role: 'admin' })
    await expect(pinned.embed({ provider: 'fake' })).rejects.toMatchObject({
      code: 'outside_namespace',
    })
  })

  test('a file keeps its model, whatever the next program is configured with', async () => {
    const file = temporaryFile()
    const first = await openCairn({ file, vectors: FAKE })
    await first.add({ body: NOTES[1] ?? '' })
    await first.close()
    const cairn = await openCairn({ file })
    onTestFinished(() => cairn.close())
    await cairn.add({ body: NOTES[2] ?? '' })
    expect((await cairn.stats()).vectors).toEqual({ 'fake/hash@32': 2 })
  })
})
