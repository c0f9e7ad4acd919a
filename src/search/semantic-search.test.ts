import { describe, expect, onTestFinished, test } from 'vitest'
import { bodiesFound, libraryOf, temporaryFile } from '../../test/support/library.js'
import { type Cairn, openCairn } from '../index.js'

const NOTES = [
  'The deployment process: merge to main, tag the release, and the pipeline rolls it out to the servers.',
  'The cat sleeps on the warm windowsill all afternoon and purrs.',
  'Interest rates were raised by the central bank to slow inflation.',
  'A recipe for bread: flour, water, yeast and salt, then a hot oven.',
]
/** A missing model fails at once. */
const MISSING = { provider: 'onnx', model: 'no-such-folder' } as const

const semantic = (cairn: Cairn, query: string, options = {}) =>
  bodiesFound(cairn, query, { mode: 'semantic', ...options })

describe('[N1] semantic search on first run', () => {
  test('a question that shares no word with its answer finds it', async () => {
    const cairn = await libraryOf(NOTES)
    expect((await semantic(cairn, 'my kitten is asleep', { threshold: 0 }))[0]).toBe(NOTES[1])
    expect((await semantic(cairn, 'monetary policy of economists', { threshold: 0 }))[0]).toBe(
      NOTES[2],
    )
    expect((await semantic(cairn, 'how do I bake a loaf', { threshold: 0 }))[0]).toBe(NOTES[3])
  })

  test('keyword search never needs the model', async () => {
    const cairn = await libraryOf(NOTES, { vectors: MISSING })
    const answer = await cairn.search('cat', { mode: 'keyword' })
    expect(answer.degraded).toBeNull()
    expect(answer.hits).toHaveLength(1)
  })
})

describe('[L4] semantic hits', () => {
  test('name the nearest chunk, with its range and text', async () => {
    const section = (topic: string) => Array.from({ length: 18 }, () => topic).join(' ')
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

  test('respect the threshold and included and excluded ids', async () => {
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

  test('have pages without gaps or repeats', async () => {
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

describe('[N2] phrases, fields and negations of a query constrain semantic hits too', () => {
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

describe('[A1] without vectors keyword search answers and says so', () => {
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
