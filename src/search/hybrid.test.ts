import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bodiesFound, libraryOf, temporaryFile } from '../../test/support/library.js'
import { type Cairn, type Explanation, openCairn } from '../index.js'

const NOTES = [
  'The deployment process: merge to main, tag the release, and the pipeline rolls it out.',
  'The cat sleeps on the warm windowsill all afternoon and purrs.',
  'Interest rates were raised by the central bank to slow inflation.',
  'A recipe for bread: flour, water, yeast and salt, then a hot oven.',
  'Function retryWithJitter waits longer after each failure.',
]

function evaluate({ score, op, parts }: Explanation): number {
  if (parts.length === 0) return score
  return parts.map(evaluate).reduce((a, b) => (op === 'sum' ? a + b : a * b))
}

function listParts(tree: Explanation | null): Explanation[] {
  return tree === null ? [] : [tree, ...tree.parts.flatMap(listParts)]
}

describe('hybrid search', () => {
  test('[A1] is the default mode', async () => {
    const cairn = await libraryOf(NOTES)
    const answer = await cairn.search('retryWithJitter')
    expect(answer.query).toMatchObject({ mode: 'hybrid', lens: 'balanced' })
    expect(answer.hits[0]).toMatchObject({ matchType: 'both' })
    expect(answer.hits[0]?.record.body).toBe(NOTES[4])
  })

  test('[F4] a hit has its match type, its bm25, its similarity and the nearest chunk', async () => {
    const cairn = await libraryOf(NOTES)
    const [cat] = (await cairn.search('kitten purrs napping', { threshold: 0.1 })).hits
    expect(cat?.record.body).toBe(NOTES[1])
    expect(cat).toMatchObject({ matchType: 'both', relaxed: 'any' })
    expect(cat?.bm25).toBeLessThan(0)
    expect(cat?.similarity).toBeGreaterThan(0.1)
    expect(cat?.chunks[0]?.text).toBe(NOTES[1])
    const [bread] = (await cairn.search('baking loaves', { threshold: 0.1 })).hits
    expect(bread).toMatchObject({ matchType: 'semantic', bm25: null, relaxed: null })
  })

  test('[N5] the score of every hit equals the value of its explanation, in every lens', async () => {
    const cairn = await libraryOf(NOTES)
    for (const lens of ['balanced', 'rank', 'memory', 'literature', 'cascade', 'recent', 'exact']) {
      const { hits } = await cairn.search('the cat and the central bank process', {
        lens,
        explain: true,
      })
      expect(hits.length).toBeGreaterThan(0)
      for (const { score, explanation } of hits) {
        if (explanation === null) throw new Error('no explanation')
        expect(evaluate(explanation)).toBeCloseTo(score, 9)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }
      const scores = hits.map(({ score }) => score)
      expect(scores).toEqual([...scores].sort((a, b) => b - a))
    }
  })

  test('a long text is scored by its best passage, wherever it is', async () => {
    const filler = 'Nothing of note was said before lunch and we went home early. '.repeat(20)
    const together = `${filler}The kiln cracked while the glaze was drying. ${filler}`
    const apart = `The kiln is old. ${filler}${filler}It cracked. ${filler}Buy glaze.`
    const cairn = await libraryOf([apart, together, ...NOTES])
    const { hits } = await cairn.search('kiln cracked glaze', { explain: true })
    const strengths = hits.slice(0, 2).map(({ record, explanation }) => {
      const strength = listParts(explanation).find(({ name }) => name === 'strength')
      return [record.body === together, strength?.score]
    })
    expect(strengths).toEqual([
      [true, 1],
      [false, expect.any(Number)],
    ])
    expect(strengths[1]?.[1]).toBeLessThan(0.7)
  })

  test('[F3] alpha 0 is exactly keyword search and alpha 1 exactly semantic search', async () => {
    const cairn = await libraryOf(NOTES)
    const ids = async (options: object) =>
      (await cairn.search('the cat sleeps in the bank', options)).hits.map(({ id, score }) => [
        id,
        score,
      ])
    expect(await ids({ alpha: 0 })).toEqual(await ids({ mode: 'keyword' }))
    expect(await ids({ alpha: 1 })).toEqual(await ids({ mode: 'semantic' }))
  })

  test('[N2] fields limit semantic matches too, in totals and facets', async () => {
    const cairn = await libraryOf([])
    for (const title of ['Release notes of spring', 'Shopping']) {
      await cairn.add({ title, body: `${NOTES[0]} ${title}` })
    }
    await cairn.add({ title: 'A deployment diary', body: NOTES[1] ?? '' })
    for (const mode of ['hybrid', 'semantic'] as const) {
      const options = { mode, threshold: 0, fields: 'title', facets: true } as const
      const { hits, total, facets } = await cairn.search('deployment process', options)
      expect(hits.map(({ title }) => title)).toEqual(['A deployment diary'])
      expect([total.value, facets?.kind[0]?.count]).toEqual([1, 1])
      const prefix = await cairn.search('deploym pipeline', options)
      expect(prefix.hits.every(({ title }) => title === 'A deployment diary')).toBe(true)
    }
  })

  test('[F3] alpha 0 does not use the model', async () => {
    const missing = { provider: 'onnx', model: 'no-such-folder' } as const
    const cairn = await libraryOf(NOTES, { vectors: missing })
    const answer = await cairn.search('cat', { alpha: 0 })
    expect(answer.degraded).toBeNull()
    expect(answer.hits).toHaveLength(1)
  })

  test('[F9] an unknown lens is refused with the list of lenses', async () => {
    const cairn = await libraryOf(NOTES)
    await expect(cairn.search('cat', { lens: 'magic' })).rejects.toMatchObject({
      code: 'bad_input',
      message: 'There is no lens "magic".',
      hint: expect.stringContaining('balanced'),
    })
  })

  test('the same file and query give the same order in another connection', async () => {
    const file = temporaryFile()
    const first = await libraryOf(
      Array.from({ length: 60 }, (_, i) => `${NOTES[i % 5]} Number ${i % 7}.`),
      { file },
    )
    const second = await openCairn({ file })
    onTestFinished(() => second.close())
    const order = async (cairn: Cairn) =>
      (await cairn.search('cat bank bread', { limit: 40 })).hits.map(({ id }) => id)
    expect(await order(second)).toEqual(await order(first))
  })

  test('[N2] words with an unknown word as prefix are found', async () => {
    const cairn = await libraryOf(['Authentication uses short-lived tokens.', ...NOTES])
    const [hit] = (await cairn.search('authen', { explain: true })).hits
    expect(hit?.record.body).toBe('Authentication uses short-lived tokens.')
    expect(hit?.relaxed).toBe('prefix')
    expect(JSON.stringify(hit?.explanation)).not.toContain('neighbours')
  })

  test('[F11] a word that no record has is named, with a suggestion', async () => {
    const cairn = await libraryOf(NOTES)
    const { query } = await cairn.search('central bnak')
    expect(query).toMatchObject({
      relaxed: true,
      missingTerms: ['bnak'],
      suggestions: [{ term: 'bnak', meant: 'bank' }],
    })
  })

  test('[A1] without a vector keyword search answers and says so', async () => {
    const off = await libraryOf(NOTES, { vectors: false })
    const answer = await off.search('cat')
    expect(answer.degraded?.reason).toBe('vectors_off')
    expect(answer.hits).toHaveLength(1)
    const chinese = await libraryOf(['我们在北京部署服务', ...NOTES])
    const found = await chinese.search('北京')
    expect(found.degraded?.reason).toBe('no_known_word')
    expect(found.hits[0]?.record.body).toBe('我们在北京部署服务')
  })
})

describe('[N2] phrases, fields and negations of a query hold in every mode', () => {
  const MODES = ['hybrid', 'semantic', 'keyword'] as const
  test.each<[string, number[]]>([
    ['animals -purrs', [1]],
    ['animals NOT cat', [1]],
    ['food -tag:pets', [1]],
  ])('%s never returns what it refuses', async (query, refused) => {
    const cairn = await libraryOf(NOTES.map((body, i) => ({ body, tags: i === 1 ? ['pets'] : [] })))
    for (const mode of MODES) {
      const bodies = await bodiesFound(cairn, query, { mode, threshold: -1 })
      for (const i of refused) expect(bodies).not.toContain(NOTES[i])
    }
  })

  test.each<[string, number]>([
    ['food "central bank"', 2],
    ['food body:yeast', 3],
    ['food tag:pets', 1],
    ['food NEAR(flour salt, 5)', 3],
  ])('%s returns nothing else', async (query, wanted) => {
    const cairn = await libraryOf(NOTES.map((body, i) => ({ body, tags: i === 1 ? ['pets'] : [] })))
    for (const mode of MODES) {
      expect(await bodiesFound(cairn, query, { mode, threshold: -1 })).toEqual([NOTES[wanted]])
    }
  })

  test('with match all, every hit has every word', async () => {
    const cairn = await libraryOf(NOTES)
    expect(await bodiesFound(cairn, 'cat purrs', { match: 'all', threshold: -1 })).toEqual([
      NOTES[1],
    ])
    expect(await bodiesFound(cairn, 'cat zebra', { match: 'all', threshold: -1 })).toEqual([])
  })
})

test('[N3] a filter applies before the limit, for keywords and vectors', async () => {
  const cairn = await libraryOf([])
  await cairn.addMany(
    Array.from({ length: 1500 }, (_, i) => ({ body: `the cat purrs loudly, take ${i}` })),
  )
  await cairn.add({ body: 'interest rates and inflation', namespace: 'rare' })
  const options = { namespaces: ['rare'], threshold: -1, limit: 1 }
  expect(await bodiesFound(cairn, 'cat', options)).toEqual(['interest rates and inflation'])
})

describe('neighbouring turns of a session', () => {
  const CHAT = [
    'Where do we keep the spare keys for the warehouse?',
    'In the biscuit tin, as always.',
    'And who may take them?',
    'Only Mateus and Kenji.',
    'Fine, I will tell the drivers.',
  ]
  const turns = (bodies: readonly string[]) =>
    bodies.map((body, i) => ({
      body,
      session: 'keys',
      people: [i % 2 === 0 ? 'Ana' : 'Luc'],
      occurredAt: 1_780_000_000_000 + i * 1000,
    }))

  test('a turn is found by the words of the question before it, and the hit says so', async () => {
    const cairn = await libraryOf([...turns(CHAT), ...NOTES])
    const { hits } = await cairn.search('spare keys warehouse', { explain: true, threshold: 0.9 })
    const tin = hits.find(({ record }) => record.body === CHAT[1])
    expect(hits[0]?.record.body).toBe(CHAT[0])
    expect(tin).toMatchObject({ matchType: 'context', relaxed: null })
    expect(JSON.stringify(tin?.explanation)).toContain('in its conversation')
    expect(await bodiesFound(cairn, 'spare keys warehouse', { mode: 'keyword' })).toEqual([CHAT[0]])
    // The same by prefixes.
    const begun = await cairn.search('warehous', { threshold: 0.9 })
    expect(begun.hits.find(({ record }) => record.body === CHAT[1])?.relaxed).toBeNull()
    expect(tin?.highlights).toEqual({ title: [], body: [] })
    expect(tin?.snippet?.highlights).toEqual([])
  })

  test('notes added in one session are not a conversation', async () => {
    const notes = ['Kubernetes renews with cert-manager.', 'Marta is allergic to peanuts.']
    const cairn = await libraryOf(notes.map((body) => ({ body, session: 'today' })))
    expect(await bodiesFound(cairn, 'kubernetes cert-manager')).toEqual([notes[0]])
  })

  test('a turn without a speaker becomes a note', async () => {
    const cairn = await libraryOf(turns(CHAT))
    const tin = (await cairn.search('biscuit tin', { mode: 'keyword' })).hits[0]?.id ?? ''
    const find = () => bodiesFound(cairn, 'warehouse', { mode: 'keyword', context: 1 })
    expect(await find()).toContain(CHAT[1])
    await cairn.edit(tin, { people: [] })
    expect(await find()).not.toContain(CHAT[1])
    expect(await find()).toContain(CHAT[2])
  })

  test('a negation applies only to the text of the turn itself', async () => {
    const cairn = await libraryOf(turns(CHAT))
    const bodies = await bodiesFound(cairn, 'biscuit tin -warehouse', { mode: 'keyword' })
    expect(bodies[0]).toBe(CHAT[1])
  })

  test('[M12] the context is updated when turns are added, edited, deleted, restored and purged', async () => {
    const cairn = await libraryOf(turns(CHAT))
    const isNear = async (word: string) =>
      (await bodiesFound(cairn, word, { mode: 'keyword', match: 'any', context: 1 })).includes(
        CHAT[1] ?? '',
      )
    const idOf = async (body: string) => {
      const { records } = await cairn.list({ limit: 50 })
      return records.find((record) => record.body === body)?.id ?? ''
    }
    expect(await isNear('warehouse')).toBe(true)
    const first = await idOf(CHAT[0] ?? '')
    await cairn.edit(first, { body: 'Where is the ladder?' })
    expect(await isNear('warehouse')).toBe(false)
    expect(await isNear('ladder')).toBe(true)
    await cairn.delete([first])
    expect(await isNear('ladder')).toBe(false)
    await cairn.restore([first])
    expect(await isNear('ladder')).toBe(true)
    await cairn.purge([first])
    expect(await isNear('ladder')).toBe(false)
    await cairn.add({
      body: 'The zeppelin has landed.',
      session: 'keys',
      people: ['Ana'],
      occurredAt: 1_780_000_000_500,
    })
    expect(await isNear('zeppelin')).toBe(true)
    expect(await cairn.models()).toMatchObject({ waiting: 0 })
    expect((await cairn.doctor()).ok).toBe(true)
  })

  test('a repair fixes the context after writes of another program', async () => {
    const file = temporaryFile()
    const cairn = await libraryOf(turns(CHAT), { file })
    const raw = new Database(file)
    raw.prepare('DELETE FROM records WHERE body = ?').run(CHAT[0])
    raw.close()
    const isNear = async () =>
      (await bodiesFound(cairn, 'warehouse', { mode: 'keyword', match: 'any', context: 1 }))
        .length > 0
    expect(await isNear()).toBe(true)
    await cairn.doctor({ repair: true })
    expect(await isNear()).toBe(false)
  })

  test('the vector of a short turn includes its neighbours', async () => {
    const alone = await libraryOf(CHAT)
    const together = await libraryOf(turns(CHAT))
    const similarityOf = async (cairn: Cairn) => {
      const options = { mode: 'semantic', threshold: -1, limit: 10 } as const
      const { hits } = await cairn.search('keys of the warehouse', options)
      return hits.find(({ record }) => record.body === CHAT[1])?.similarity ?? 0
    }
    expect(await similarityOf(together)).toBeGreaterThan((await similarityOf(alone)) + 0.1)
  })

  test('long turns get no context, and turns of other sessions are not neighbours', async () => {
    const long = `My message ${'goes on and on '.repeat(40)}`
    const cairn = await libraryOf([
      { body: 'The unicorn speaks.', session: 'a', occurredAt: 1 },
      { body: long, session: 'a', occurredAt: 2 },
      { body: 'Something short.', session: 'b', occurredAt: 3 },
    ])
    const bodies = await bodiesFound(cairn, 'unicorn', { mode: 'keyword', match: 'any' })
    expect(bodies).toEqual(['The unicorn speaks.'])
  })

  test('the same text twice in one session makes two turns', async () => {
    const cairn = await libraryOf([])
    const [first, second] = await cairn.addMany(turns(['ok', 'ok']))
    expect([first?.created, second?.created]).toEqual([true, true])
  })
})
