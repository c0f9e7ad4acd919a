import { spawn } from 'node:child_process'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../test/support/library.js'
import {
  type Cairn,
  NO_DETAILS,
  type OpenOptions,
  openCairn,
  type SearchAnswer,
  type SearchInput,
} from '../index.js'

const LIBRARY = JSON.stringify(join(import.meta.dirname, '../../dist/index.js'))
const START = Date.UTC(2026, 0, 1)
/** Both instances use the same small model, so that the second has no vectors to build. */
const FAKE = { provider: 'fake', dimensions: 24 } as const
/** This folder does not exist. */
const DOWN = { provider: 'onnx', model: 'no-such-folder' } as const

async function open(file: string, options: Partial<OpenOptions> = {}): Promise<Cairn> {
  const cairn = await openCairn({ file, vectors: FAKE, now: () => START, ...options })
  onTestFinished(() => cairn.close())
  return cairn
}

/** Two records about the ferry, one about the bridge. */
async function harbour(options: Partial<OpenOptions> = {}) {
  const file = temporaryFile()
  const cairn = await open(file, options)
  const added = await cairn.addMany([
    { body: 'the ferry leaves at noon', tags: ['boat'] },
    { body: 'an old ferry in the fog', session: 'trip' },
    { body: 'the bridge is closed' },
  ])
  const [first = '', second = '', third = ''] = added.map(({ id }) => id)
  return { cairn, file, ids: { first, second, third } }
}
type Ids = Awaited<ReturnType<typeof harbour>>['ids']

/** An answer without `tookMs` and `cached`. */
function said({ tookMs: _, cached: __, ...answer }: SearchAnswer) {
  return answer
}

/** Searches twice, so that the answer is cached. */
async function warm(cairn: Cairn, query = 'ferry', options: SearchInput = {}): Promise<void> {
  await cairn.search(query, options)
  expect((await cairn.search(query, options)).cached).toBe(true)
}

describe('an equal search', () => {
  test('[L9] is answered from memory, says so, and differs only in its time', async () => {
    const lines: unknown[] = []
    const { cairn } = await harbour({
      log: (_, event, details) => void (event === 'search' && lines.push(details?.cached)),
    })
    const options = { explain: true, facets: true, context: 1 }
    const first = await cairn.search('ferry', options)
    const second = await cairn.search('ferry', options)
    expect([first.cached, second.cached]).toEqual([false, true])
    expect(said(second)).toEqual(said(first))
    expect(first.hits).toHaveLength(2)
    expect(second.tookMs).toBeGreaterThan(0)
    expect(second.tookMs).not.toBe(first.tookMs)
    expect(lines).toEqual([false, true])
  })

  test('[L9] is recognized however its options are written', async () => {
    const { cairn, ids } = await harbour()
    await cairn.lenses.save('words', { mode: 'keyword' })
    const spellings: (readonly [SearchInput, SearchInput])[] = [
      [{ query: 'ferry' }, { limit: 10, query: 'ferry', mode: 'hybrid', namespaces: 'all' }],
      [{ kinds: 'memory' }, { kinds: ['memory'] }],
      [{ tags: ['boat'] }, { tags: { any: ['boat'] } }],
      [{ ids: { in: [ids.first] } }, { ids: { in: [ids.first.slice(0, 24)] } }],
      [{ since: '2020-01-01T00:00:00Z' }, { since: new Date(Date.UTC(2020, 0, 1)) }],
      [{ lens: 'words' }, { mode: 'keyword' }],
    ]
    for (const [one, other] of spellings) {
      const first = await cairn.search(one)
      const second = await cairn.search(other)
      expect([first.cached, second.cached], JSON.stringify(other)).toEqual([false, true])
      expect(said(second).hits).toEqual(said(first).hits)
    }
  })

  test("[L9] through a user's lens names only that lens", async () => {
    const { cairn } = await harbour()
    await cairn.lenses.save('words', { mode: 'keyword' })
    expect((await cairn.search('ferry', { lens: 'words' })).query.lens).toBe('words')
    const plain = await cairn.search('ferry', { mode: 'keyword' })
    expect([plain.cached, plain.query.lens]).toEqual([true, 'balanced'])
  })

  const DIFFERENT: readonly SearchInput[] = [
    { query: 'Ferry' },
    { limit: 1 },
    { offset: 1 },
    { mode: 'keyword' },
    { lens: 'recent' },
    { alpha: 0.2 },
    { threshold: 0.1 },
    { explain: true },
    { facets: true },
    { highlight: false },
    { includeFacts: false },
    { includeSuperseded: true },
    { useVector: false },
    { namespaces: 'default' },
    { kinds: 'work' },
    { tags: 'boat' },
    { since: '2025-01-01' },
    { asOf: START },
    { minSalience: 0.1 },
    { minSalience: 0.2 },
    { minConfidence: 0.5 },
    { boosts: [{ field: 'tag', value: 'boat', factor: 2 }] },
    { context: 1 },
  ]

  test('[L9] is a different search if one option differs', async () => {
    const { cairn, ids } = await harbour()
    await warm(cairn)
    const byId: SearchInput[] = [ids.first, ids.second].flatMap((id) => [
      { ids: { in: [id] } },
      { ids: { out: [id] } },
    ])
    for (const options of [...DIFFERENT, ...byId]) {
      const answer = await cairn.search({ query: 'ferry', ...options })
      expect(answer.cached, JSON.stringify(options)).toBe(false)
    }
  })

  test('[L9] runs only two small statements', async () => {
    const seen: string[] = []
    const { cairn } = await harbour({ trace: (sql) => seen.push(sql) })
    await warm(cairn)
    seen.length = 0
    await cairn.search('ferry')
    expect(seen).toEqual(['PRAGMA data_version', 'SELECT total_changes()'])
  })

  test('[L9] cannot be changed by an earlier caller', async () => {
    const { cairn } = await harbour()
    for (const answer of [await cairn.search('ferry'), await cairn.search('ferry')]) {
      expect(() => (answer.hits as unknown[]).pop()).toThrow(TypeError)
      for (const { record } of answer.hits) {
        expect(() => (record.tags as string[]).push('x')).toThrow(TypeError)
      }
      ;(answer as { hits: unknown }).hits = []
      ;(answer.query as { text: string }).text = 'spoiled'
    }
    const again = await cairn.search('ferry')
    expect([again.cached, again.hits.length, again.query.text]).toEqual([true, 2, 'ferry'])
  })

  test('[L9] run many times at once gives equal answers, and is cached once', async () => {
    const { cairn } = await harbour()
    const answers = await Promise.all(Array.from({ length: 8 }, () => cairn.search('ferry')))
    for (const answer of answers) expect(said(answer)).toEqual(said(answers[0] as SearchAnswer))
    expect((await cairn.search('ferry')).cached).toBe(true)
  })

  test('[L9] fails once the file is closed', async () => {
    const cairn = await openCairn({ file: temporaryFile(), vectors: FAKE })
    await warm(cairn)
    await cairn.close()
    await expect(cairn.search('ferry')).rejects.toMatchObject({ code: 'closed' })
  })
})

/** All kinds of writes that change an answer, and some that do not. */
const WRITES: Readonly<Record<string, (cairn: Cairn, ids: Ids) => Promise<unknown>>> = {
  add: (cairn) => cairn.add({ body: 'a third ferry' }),
  'add again': (cairn) => cairn.add({ body: 'the bridge is closed' }),
  edit: (cairn, { first }) => cairn.edit(first, { body: 'the ferry leaves at one' }),
  delete: (cairn, { first }) => cairn.delete([first]),
  purge: (cairn, { second }) => cairn.purge([second]),
  supersede: (cairn, { first, third }) => cairn.supersede(first, third),
  reinforce: (cairn, { first }) => cairn.reinforce([first]),
  deemphasize: (cairn, { first }) => cairn.deemphasize([first]),
  link: (cairn, { first, third }) => cairn.links.add({ from: first, to: third }),
  fact: (cairn, { first }) =>
    cairn.facts.add({ record: first, subject: 'ferry', predicate: 'leaves', object: 'at noon' }),
  'end of a session': (cairn) => cairn.sessions.end('trip'),
  lens: (cairn) => cairn.lenses.save('mine', { limit: 3 }),
  works: (cairn) =>
    cairn.works.import([
      { ...NO_DETAILS, title: 'The Ferry', abstract: null, tags: [], references: [] },
    ]),
  'another model': (cairn) => cairn.embed({ provider: 'fake', dimensions: 32 }),
  repair: (cairn) => cairn.doctor({ repair: true }),
}

describe('a write', () => {
  test.each(Object.entries(WRITES))(
    '[L9, N9] is visible at once to its own instance and to another: %s',
    async (_, write) => {
      const { cairn, file, ids } = await harbour()
      const other = await open(file)
      const plain = await open(file, { cache: false })
      await warm(cairn)
      await warm(other)
      await write(cairn, ids)
      const expected = said(await plain.search('ferry'))
      for (const one of [cairn, other]) {
        const after = await one.search('ferry')
        expect(after.cached).toBe(false)
        expect(said(after)).toEqual(expected)
        expect(said(await one.search('ferry'))).toEqual(expected)
      }
    },
  )

  test('[L9, N9] of another process is visible at once', async () => {
    const { cairn, file, ids } = await harbour()
    const inAnotherProcess = async (body: string): Promise<void> => {
      const script = `
        const { openCairn } = await import(${LIBRARY})
        const cairn = await openCairn({ file: ${JSON.stringify(file)}, vectors: ${JSON.stringify(FAKE)} })
        ${body}
        await cairn.close()`
      const child = spawn(process.execPath, ['--input-type=module', '-e', script])
      expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
    }
    await warm(cairn)
    await inAnotherProcess(`await cairn.add({ body: 'a third ferry' })`)
    const third = await cairn.search('ferry')
    expect([third.cached, third.hits.length]).toEqual([false, 3])
    await warm(cairn)
    await inAnotherProcess(`await cairn.facts.add(
      { record: '${ids.first}', subject: 'ferry', predicate: 'leaves', object: 'at noon' })`)
    const told = await cairn.search('ferry')
    expect(told.cached).toBe(false)
    expect(told.hits.find(({ id }) => id === ids.first)?.facts).toHaveLength(1)
    await warm(cairn)
    await inAnotherProcess(`await cairn.search('ferry')`)
    expect((await cairn.search('ferry')).cached).toBe(true)
  })

  test('[L9, N9] of another program at any point of a search is in the next answer', async () => {
    const file = temporaryFile()
    let count = 0
    let writeAt = -1
    const cairn = await open(file, {
      trace: () => {
        count += 1
        if (count === writeAt) write.run(`the ferry of moment ${writeAt}`)
      },
    })
    const { id } = await cairn.add({ body: 'the ferry' })
    const other = new Database(file)
    onTestFinished(() => void other.close())
    const write = other.prepare(`UPDATE records SET body = ? WHERE id = '${id}'`)
    const search = async () => (await cairn.search('ferry', { mode: 'keyword' })).hits[0]?.record
    count = 0
    await search()
    const statements = count
    expect(statements).toBeGreaterThan(3)
    for (let moment = 1; moment <= statements; moment++) {
      // No cached answer is valid: this search runs all its statements.
      write.run(`the ferry before moment ${moment}`)
      count = 0
      writeAt = moment
      await search()
      writeAt = -1
      expect((await search())?.body).toBe(`the ferry of moment ${moment}`)
    }
  })

  test('[L9] that starts during a search is in the next answer', async () => {
    const { cairn, ids } = await harbour()
    for (let i = 0; i < 20; i++) {
      const body = `the ferry leaves at ${i}`
      const searching = cairn.search('ferry leaves')
      await Promise.all([searching, cairn.edit(ids.first, { body })])
      expect((await cairn.search('ferry leaves')).hits[0]?.record.body).toBe(body)
    }
  })

  test('[L9, N9] by anyone in any order never makes a cached answer differ from an uncached one', async () => {
    const who = fc.constantFrom(0, 1)
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('search' as const), who }) },
      fc.record({
        kind: fc.constant('write' as const),
        who,
        name: fc.constantFrom('add', 'edit', 'reinforce', 'link', 'fact', 'add again'),
      }),
      fc.record({
        kind: fc.constant('wait' as const),
        ms: fc.constantFrom(1000, 59_000, 86_400_000),
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        let nowMs = START
        const now = () => nowMs
        const { cairn, file, ids } = await harbour({ now })
        const both = [cairn, await open(file, { now })]
        const plain = await open(file, { now, cache: false })
        for (const step of steps) {
          if (step.kind === 'wait') nowMs += step.ms
          else if (step.kind === 'write') await WRITES[step.name]?.(both[step.who] as Cairn, ids)
          else {
            const answer = await (both[step.who] as Cairn).search('ferry')
            const fresh = await plain.search('ferry')
            expect(shown(answer)).toEqual(shown(fresh))
          }
        }
      }),
      { numRuns: 8 },
    )
  })
})

/** The parts of an answer that do not decay; the time to live bounds those that do. */
function shown({ hits, total }: SearchAnswer) {
  return {
    total,
    hits: hits.map(({ id, record, facts, relatedCount }) => ({
      ...{ id, body: record.body, salience: record.salience, relatedCount },
      facts: facts.map((fact) => fact.id),
    })),
  }
}

describe('a recall', () => {
  test('[L9, M4] is logged even if its answer was cached, and then no cached answer is used', async () => {
    const { cairn, ids } = await harbour()
    await cairn.sessions.start({ id: 'talk' })
    await warm(cairn)
    const before = await cairn.search('ferry')
    const recalled = await cairn.search('ferry', { recallSession: 'talk' })
    expect(recalled.cached).toBe(true)
    expect((await cairn.why(ids.first)).recalls).toMatchObject([
      { query: 'ferry', sessionId: 'talk' },
    ])
    const after = await cairn.search('ferry')
    expect(after.cached).toBe(false)
    const salienceOf = ({ hits }: SearchAnswer) =>
      hits.find(({ id }) => id === ids.first)?.record.salience ?? 0
    expect(salienceOf(after)).toBeGreaterThan(salienceOf(before))
  })
})

describe('cache limits', () => {
  test('[L9] an answer is cached for a minute', async () => {
    let nowMs = START
    const { cairn } = await harbour({ now: () => nowMs })
    await cairn.search('ferry')
    nowMs = START + 59_999
    expect((await cairn.search('ferry')).cached).toBe(true)
    nowMs = START + 60_000
    const later = await cairn.search('ferry')
    expect(later.cached).toBe(false)
    const [hit] = later.hits
    expect(hit?.record.effectiveSalience).toBeLessThan(hit?.record.salience ?? 0)
  })

  test('[L9] the time to live and the number of answers can be chosen', async () => {
    let nowMs = START
    const { cairn } = await harbour({ now: () => nowMs, cache: { ttlMs: 10, entries: 2 } })
    for (const query of ['ferry', 'bridge', 'fog']) await cairn.search(query)
    expect((await cairn.search('bridge')).cached).toBe(true)
    expect((await cairn.search('ferry')).cached).toBe(false)
    nowMs += 10
    expect((await cairn.search('ferry')).cached).toBe(false)
  })

  test.each([false, { entries: 0 }, { ttlMs: 0 }] as const)(
    '[L9] with %j nothing is cached',
    async (cache) => {
      const { cairn } = await harbour({ cache })
      await cairn.search('ferry')
      expect((await cairn.search('ferry')).cached).toBe(false)
    },
  )

  test('[L9] an answer without its model is not cached, because the model may come back', async () => {
    const { cairn } = await harbour({ vectors: DOWN })
    for (let i = 0; i < 2; i++) {
      const answer = await cairn.search('ferry')
      expect(answer.degraded?.reason).toBe('embedder_unavailable')
      expect(answer.cached).toBe(false)
    }
    await warm(cairn, 'ferry', { mode: 'keyword' })
  })

  test('[L9] a keyword answer is cached if vectors are switched off', async () => {
    const { cairn } = await harbour({ vectors: false })
    await warm(cairn)
    expect((await cairn.search('ferry')).degraded?.reason).toBe('vectors_off')
  })
})
