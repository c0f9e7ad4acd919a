import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { type Cairn, openCairn, type SearchInput } from '../index.js'

async function countedLibrary(): Promise<{
  cairn: Cairn
  count: (run: () => Promise<unknown>) => Promise<number>
}> {
  let statements = 0
  const cairn = await openCairn({
    file: temporaryFile(),
    // This test counts the statements of a search, so the cache is off.
    cache: false,
    trace: () => {
      statements += 1
    },
  })
  const bodies = Array.from({ length: 300 }, (_, i) => ({
    body: `common ${i < 100 ? 'hundred' : ''} ${i === 7 ? 'single' : ''} filler${i}`,
    tags: ['t'],
    namespace: i % 2 === 0 ? 'even' : 'odd',
  }))
  await cairn.addMany(bodies)
  return {
    cairn,
    count: async (run) => {
      statements = 0
      await run()
      return statements
    },
  }
}

const SHAPES: readonly (readonly [string, SearchInput])[] = [
  ['all words', { mode: 'keyword', match: 'all' }],
  ['any word', { mode: 'keyword', match: 'any' }],
  ['filtered', { mode: 'keyword', match: 'all', namespaces: ['even', 'odd'], tags: ['t'] }],
  ['explained', { mode: 'keyword', match: 'all', explain: true }],
]

test('[D2] a search runs as many statements for one hit as for a hundred', async () => {
  const { cairn, count } = await countedLibrary()
  for (const [shape, options] of SHAPES) {
    // The lengths of all records are read once and then cached.
    await cairn.search('common', { limit: 100, ...options })
    const one = await count(async () => {
      expect((await cairn.search('single', { limit: 100, ...options })).hits).toHaveLength(1)
    })
    const hundred = await count(async () => {
      expect((await cairn.search('hundred', { limit: 101, ...options })).hits).toHaveLength(100)
    })
    expect(hundred, shape).toBe(one)
    // Six, and six more for words searched for the first time: their postings and document frequencies.
    expect(one, shape).toBeLessThanOrEqual(12)
  }
})

test('[D2] a relaxed search has a fixed number of statements too', async () => {
  const { cairn, count } = await countedLibrary()
  // The vocabulary is read once and then cached.
  await cairn.search('zebra', { mode: 'keyword' })
  const few = await count(() => cairn.search('single zebra', { mode: 'keyword', limit: 290 }))
  const many = await count(() => cairn.search('hundred zebra', { mode: 'keyword', limit: 290 }))
  // Enough records have any of the words, so the search is not relaxed to prefixes.
  expect(many).toBeLessThanOrEqual(few)
  expect(few).toBeLessThanOrEqual(32)
})

test('[D2] a semantic search has a fixed number of statements too', async () => {
  const { cairn, count } = await countedLibrary()
  const search = (limit: number) =>
    cairn.search('common', { mode: 'semantic', threshold: -1, limit })
  // The second search loads the vectors.
  await search(1)
  await search(1)
  const one = await count(() => search(1))
  const hundred = await count(() => search(100))
  expect(hundred).toBe(one)
  expect(one).toBeLessThanOrEqual(13)
})

test('[D2] a hybrid search has a fixed number of statements too', async () => {
  const { cairn, count } = await countedLibrary()
  const search = (limit: number) => cairn.search('common', { limit })
  // The second search loads the vectors.
  await search(1)
  await search(1)
  const one = await count(async () => expect((await search(1)).hits).toHaveLength(1))
  const hundred = await count(async () => expect((await search(100)).hits).toHaveLength(100))
  // A short page describes its candidates in two steps at most, a long one all of them at once.
  expect(one - hundred).toBeGreaterThanOrEqual(0)
  expect(one).toBeLessThanOrEqual(30)
})

/** This many hits, each with a session, facts, links, a correction and neighbouring turns. */
async function richLibrary(hits: number) {
  const seen: string[] = []
  const file = temporaryFile()
  const cairn = await openCairn({
    file,
    cache: false,
    vectors: { provider: 'fake', dimensions: 24 },
    trace: (sql) => seen.push(sql),
  })
  const added = await cairn.addMany(
    Array.from({ length: 2 * hits + 2 }, (_, i) => ({
      // One superseded record and one current record: the two kinds are read by statements of their own.
      body: `${i % 2 === 0 ? 'linked' : 'other'} note ${i} ${i === hits || i === 2 * hits ? 'single' : ''}`,
      tags: [`t${i % 7}`],
      session: `s${i % 9}`,
      people: ['Ana'],
      occurredAt: i * 1000,
    })),
  )
  const ids = added.map(({ id }) => id)
  for (let i = 0; i <= 2 * hits; i += 2) {
    const [id = '', next = ''] = [ids[i], ids[i + 1]]
    await cairn.links.add({ from: id, to: next })
    await cairn.facts.add({ record: id, subject: `s${i % 8}`, predicate: 'is', object: `${i}` })
    if (i < 2 * hits) await cairn.supersede(id, next)
  }
  await cairn.sessions.start({ id: 'recall' })
  return { cairn, seen, file, ids }
}

test('[D2] sessions, facts, links, facets, context and corrections take as many statements for one hit as for a hundred', async () => {
  const { cairn, seen, ids } = await richLibrary(100)
  for (const mode of ['keyword', 'hybrid', 'semantic'] as const) {
    for (const more of [{}, { asOf: Date.now() }]) {
      const options: SearchInput = {
        ...{ mode, threshold: mode === 'semantic' ? -1 : 1, match: 'all', explain: true },
        ...{ includeSuperseded: true, facets: true, context: 2, recallSession: 'recall' },
        ...more,
      }
      const count = async (query: string, limit: number) => {
        await cairn.search(query, { ...options, limit })
        await cairn.sessionContext(ids[0] ?? '')
        seen.length = 0
        const { hits } = await cairn.search(query, { ...options, limit })
        const statements = seen.length
        await cairn.sessionContext(ids[0] ?? '')
        return { hits: hits.length, statements }
      }
      const one = await count(mode === 'semantic' ? 'linked' : 'single', 2)
      const hundred = await count('linked', 100)
      expect(one.hits).toBeLessThanOrEqual(2)
      expect(hundred.hits).toBe(100)
      // A hybrid search describes its candidates in one step or two, those of the past by a statement of their own. Whether
      // it needs the second step depends on the scores, and these on the recalls written until then.
      const spare = mode === 'hybrid' ? 2 : 0
      const difference = Math.abs(hundred.statements - one.statements)
      expect(difference, `${mode} ${JSON.stringify(more)}`).toBeLessThanOrEqual(spare)
    }
  }
  await cairn.close()
})

test('[D2] no statement for the context of a hit, a time or an anchor scans a whole table', async () => {
  const { cairn, seen, file, ids } = await richLibrary(30)
  seen.length = 0
  const moment = Date.now()
  await cairn.search('linked', { includeSuperseded: true, context: 2, limit: 5 })
  await cairn.search('linked', { mode: 'keyword', asOf: moment, context: 2, limit: 5 })
  await cairn.why(ids[0] ?? '')
  await cairn.timeline({ anchor: ids[50] ?? '' })
  await cairn.sessionContext(ids[0] ?? '')
  const raw = new Database(file, { readonly: true })
  const plans = seen
    .filter(
      (sql) =>
        /\b(links|revisions v|session_records|turns|records_timeline)\b/.test(sql) ||
        /[<>]= /.test(sql),
    )
    .filter((sql) => /^\s*(SELECT|WITH)/.test(sql))
    .map((sql) => {
      // Long texts are shortened where a statement is traced.
      const whole = sql.replace(/'[^']*'\/\*\+\d+ bytes\*\//g, "'[]'")
      const steps = raw.prepare(`EXPLAIN QUERY PLAN ${whole}`).all() as { detail: string }[]
      return { sql, steps: steps.map(({ detail }) => detail) }
    })
  raw.close()
  expect(plans.length).toBeGreaterThan(8)
  for (const { sql, steps } of plans) {
    const scans = steps.filter((step) =>
      /^SCAN (records|r|x|l|links|revisions|v|p|session_records)$/.test(step),
    )
    expect(scans, sql).toEqual([])
  }
  const around = plans.filter(
    ({ sql }) => sql.includes('r.namespace = ') && sql.includes('ORDER BY coalesce'),
  )
  expect(around).toHaveLength(2)
  for (const { steps } of around)
    expect(steps[0]).toMatch(/records_timeline \(namespace=\? AND <expr>[<>]\?\)/)
  await cairn.close()
})

test('[D2] no statement of a search reads every record, not even the first after a write', async () => {
  const file = temporaryFile()
  const statements = new Set<string>()
  const trace = (sql: string) => void statements.add(sql)
  const cairn = await libraryOf(['The fox sleeps.', 'A dog barks.'], { file, trace, cache: false })
  await cairn.search('fox')
  await cairn.add({ body: 'Another fox is awake.' })
  statements.clear()
  expect((await cairn.search('which fox is awake?')).hits).not.toEqual([])
  const other = new Database(file, { readonly: true })
  const plans = [...statements]
    .filter((sql) => /^\s*SELECT/i.test(sql))
    .flatMap((sql) => other.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
  other.close()
  expect(plans.length).toBeGreaterThan(10)
  // The vectors of a model are as many as the records.
  const whole = /^SCAN (records|chunks|embedded|r|c|e)$|^SEARCH \w+ USING PRIMARY KEY \(model=\?\)$/
  const scans = plans.filter(({ detail }) => whole.test(detail))
  expect(scans).toEqual([])
})

test('[D2] a suggestion reads its examples by row id, even in a small analysed file', async () => {
  const file = temporaryFile()
  const statements: string[] = []
  const trace = (sql: string) => void statements.push(sql)
  const bodies = Array.from({ length: 300 }, (_, i) => `The fox ${i} is awake.`)
  const cairn = await libraryOf(bodies, { file, trace, vectors: false })
  await cairn.optimize()
  const { query } = await cairn.search('which foxes are awakee?')
  expect(query.suggestions).toEqual([{ term: 'awakee', meant: 'awake' }])
  const [examples = ''] = statements.filter((sql) => sql.includes('FROM records_instances'))
  const other = new Database(file, { readonly: true })
  const plan = other.prepare(`EXPLAIN QUERY PLAN ${examples}`).all() as { detail: string }[]
  other.close()
  expect(plan.map(({ detail }) => detail)).toContain('SEARCH r USING INTEGER PRIMARY KEY (rowid=?)')
})
