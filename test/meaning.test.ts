import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Cairn, openCairn } from '../src/index.js'
import { bodiesFound, libraryOf, temporaryFile } from './support/library.js'

const NOTES = [
  'The deployment process: merge to main, tag the release, and the pipeline rolls it out to the servers.',
  'The cat sleeps on the warm windowsill all afternoon and purrs.',
  'Interest rates were raised by the central bank to slow inflation.',
  'A recipe for bread: flour, water, yeast and salt, then a hot oven.',
]
/** A model that is not there fails at once; a server that does not answer is asked again first. */
const MISSING = { provider: 'onnx', model: 'no-such-folder' } as const
const DOWN = {
  provider: 'ollama',
  baseUrl: 'http://127.0.0.1:9',
  dimensions: 8,
  timeoutMs: 200,
} as const

const semantic = (cairn: Cairn, query: string, options = {}) =>
  bodiesFound(cairn, query, { mode: 'semantic', ...options })

describe('[N1] meaning on first run', () => {
  test('a question that shares no word with its answer finds it', async () => {
    const cairn = await libraryOf(NOTES)
    expect((await semantic(cairn, 'kitten napping', { threshold: 0 }))[0]).toBe(NOTES[1])
    expect((await semantic(cairn, 'monetary policy of economists', { threshold: 0 }))[0]).toBe(
      NOTES[2],
    )
    expect((await semantic(cairn, 'how do I bake a loaf', { threshold: 0 }))[0]).toBe(NOTES[3])
  })

  test('words alone never need the model', async () => {
    const cairn = await libraryOf(NOTES, { vectors: MISSING })
    const answer = await cairn.search('cat', { mode: 'keyword' })
    expect(answer.degraded).toBeNull()
    expect(answer.hits).toHaveLength(1)
  })
})

describe('[L4] hits by meaning', () => {
  test('name the chunk that came nearest, with its range and text', async () => {
    const section = (topic: string) => Array.from({ length: 9 }, () => topic).join(' ')
    const body = [NOTES[1], NOTES[3], NOTES[2]].map((topic) => section(topic ?? '')).join('\n\n')
    const cairn = await libraryOf([body, NOTES[0] ?? ''])
    const options = { mode: 'semantic', threshold: 0, limit: 1 } as const
    const answer = await cairn.search('how do I bake a loaf', options)
    const [hit] = answer.hits
    const [chunk] = hit?.chunks ?? []
    expect(hit).toMatchObject({ matchType: 'semantic', bm25: null, relaxed: null })
    expect(chunk?.text).toContain('yeast')
    expect(chunk?.text.length).toBeLessThan(body.length / 2)
    expect(body.slice(chunk?.start, chunk?.end)).toBe(chunk?.text)
    expect(chunk?.similarity).toBe(hit?.similarity)
    expect(hit?.score).toBeCloseTo(hit?.similarity ?? 0, 12)
    const { snippet } = hit ?? {}
    expect(body.slice(snippet?.start, (snippet?.start ?? 0) + (snippet?.text.length ?? 0))).toBe(
      snippet?.text,
    )
  })

  test('the threshold, ids to include and ids to leave out are kept', async () => {
    const cairn = await libraryOf(NOTES)
    const all = await cairn.search('cat', { mode: 'semantic', threshold: -1, limit: 10 })
    expect(all.hits).toHaveLength(4)
    expect(all.total).toEqual({ value: 4, exact: true })
    const [first, second] = all.hits
    if (!first || !second) throw new Error('no hits')
    const above = await cairn.search('cat', {
      mode: 'semantic',
      threshold: (first.similarity ?? 0) - 1e-6,
    })
    expect(above.hits.map(({ id }) => id)).toEqual([first.id])
    const only = await cairn.search('cat', {
      mode: 'semantic',
      threshold: -1,
      ids: { in: [second.id] },
    })
    expect(only.hits.map(({ id }) => id)).toEqual([second.id])
    const without = await cairn.search('cat', {
      mode: 'semantic',
      threshold: -1,
      ids: { out: [first.id] },
    })
    expect(without.hits.map(({ id }) => id)).not.toContain(first.id)
    expect(without.hits).toHaveLength(3)
  })

  test('pages join without a gap or a repeat', async () => {
    const cairn = await libraryOf(
      Array.from({ length: 30 }, (_, i) => `${NOTES[i % 4]} Note number ${i}.`),
    )
    const whole = await cairn.search('cat', { mode: 'semantic', threshold: -1, limit: 30 })
    const paged: string[] = []
    for (let offset = 0; offset < 30; offset += 7) {
      const { hits } = await cairn.search('cat', {
        mode: 'semantic',
        threshold: -1,
        limit: 7,
        offset,
      })
      paged.push(...hits.map(({ id }) => id))
    }
    expect(paged).toEqual(whole.hits.map(({ id }) => id))
  })
})

test('[N3] a filter that one record in thousands passes still returns that record', async () => {
  const cairn = await libraryOf([])
  await cairn.addMany(
    Array.from({ length: 3000 }, (_, i) => ({ body: `the cat purrs loudly, take ${i}` })),
  )
  await cairn.add({ body: 'interest rates and inflation', namespace: 'rare', tags: ['money'] })
  const options = { threshold: -1, limit: 1 }
  expect(await semantic(cairn, 'cat', { ...options, namespaces: ['rare'] })).toEqual([
    'interest rates and inflation',
  ])
  expect(await semantic(cairn, 'cat', { ...options, tags: ['money'] })).toEqual([
    'interest rates and inflation',
  ])
})

describe('[N2] what a query insists on constrains meaning too', () => {
  test.each<[string, number[]]>([
    ['animals -purrs', [0, 2, 3]],
    ['animals NOT cat', [0, 2, 3]],
    ['food "central bank"', [2]],
    ['food body:yeast', [3]],
    ['food tag:pets', [1]],
    ['food -tag:pets', [0, 2, 3]],
    ['food NEAR(flour salt, 5)', [3]],
  ])('%s', async (query, expected) => {
    const cairn = await libraryOf(NOTES.map((body, i) => ({ body, tags: i === 1 ? ['pets'] : [] })))
    const bodies = await semantic(cairn, query, { threshold: -1 })
    expect(bodies.sort()).toEqual(expected.map((i) => NOTES[i]).sort())
  })
})

describe('[A1] without vectors there are words, and the answer says so', () => {
  const degraded = async (cairn: Cairn, query: string, options = {}) => {
    const answer = await cairn.search(query, { mode: 'semantic', ...options })
    return { reason: answer.degraded?.reason, hits: answer.hits.map(({ matchType }) => matchType) }
  }

  test('switched off for the file or for one search', async () => {
    const off = await libraryOf(NOTES, { vectors: false })
    expect(await degraded(off, 'cat')).toEqual({ reason: 'vectors_off', hits: ['keyword'] })
    const on = await libraryOf(NOTES)
    expect(await degraded(on, 'cat', { useVector: false })).toEqual({
      reason: 'vectors_off',
      hits: ['keyword'],
    })
  })

  test('the provider is down', async () => {
    const cairn = await libraryOf(NOTES, { vectors: DOWN })
    expect(await degraded(cairn, 'cat')).toEqual({
      reason: 'embedder_unavailable',
      hits: ['keyword'],
    })
  })

  test('a query without a known word', async () => {
    const cairn = await libraryOf([...NOTES, '東京都に住んでいます'])
    expect(await degraded(cairn, '東京')).toEqual({ reason: 'no_known_word', hits: ['keyword'] })
  })

  test('some records wait for their vectors', async () => {
    const file = temporaryFile()
    const off = await openCairn({ file, vectors: false })
    await off.add({ body: NOTES[0] ?? '' })
    await off.close()
    const cairn = await openCairn({ file })
    onTestFinished(() => cairn.close())
    const answer = await cairn.search('cat', { mode: 'semantic' })
    expect(answer.degraded).toEqual({
      reason: 'partly_embedded',
      message: '1 of 1 records (100 %) have no vectors yet; `cairn embed` makes them.',
    })
    await cairn.embed()
    expect((await cairn.search('cat', { mode: 'semantic' })).degraded).toBeNull()
  })
})

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
  test('finds what is near to a record and leaves the record itself out', async () => {
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

  test('a record that begins with one thing and goes on about another is near to the other', async () => {
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
  test('are listed with what changed, and nothing is merged', async () => {
    const cairn = await libraryOf(['The staging database listens on port 5432 behind the pooler.'])
    const answer = await cairn.add({
      body: 'The staging database listens on port 6543 behind the pooler.',
    })
    expect(answer.created).toBe(true)
    expect(answer.nearDuplicates).toHaveLength(1)
    expect(answer.nearDuplicates[0]).toMatchObject({ changed: ['5432 → 6543'] })
    expect(answer.nearDuplicates[0]?.similarity).toBeGreaterThan(0.9)
    expect((await cairn.list()).records).toHaveLength(2)
  })

  test('a short text that differs by one number is one, too', async () => {
    const cairn = await libraryOf(['The staging database listens on port 5432.'])
    const answer = await cairn.add({ body: 'The staging database listens on port 6543.' })
    expect(answer.nearDuplicates.map(({ changed }) => changed)).toEqual([['5432 → 6543']])
  })

  test('a text about something else, or in another namespace, is none', async () => {
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

describe('[N10] the model can be changed while the old vectors serve', () => {
  const FAKE = { provider: 'fake', dimensions: 32 } as const

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
    expect(serving[0]).toBe('cairn/static@1')
    expect(models.map(({ id, state, coverage }) => [id, state, coverage])).toEqual([
      ['cairn/static@1', 'idle', 1],
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
    await cairn.removeModel('cairn/static@1')
    expect((await cairn.models()).models).toHaveLength(1)
    expect((await cairn.doctor()).ok).toBe(true)
  })

  test('the model in charge cannot be removed, an unknown one is named', async () => {
    const cairn = await libraryOf(NOTES)
    await expect(cairn.removeModel('cairn/static@1')).rejects.toMatchObject({ code: 'bad_input' })
    await expect(cairn.removeModel('nothing/here@1')).rejects.toMatchObject({ code: 'not_found' })
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
