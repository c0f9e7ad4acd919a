import { beforeAll, describe, expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { countValues } from '../../test/support/past-model.js'
import { NO_DETAILS } from '../core/work.js'
import type { Cairn, FacetName, Facets, Hit, RecordInput, SearchInput } from '../index.js'
import { openCairn } from '../index.js'

const FAKE = { provider: 'fake', dimensions: 24 } as const
const NAMES = ['kind', 'sector', 'tag', 'factType', 'source', 'namespace', 'year'] as const
const FACT_KINDS = ['kv', 'location', 'state'] as const

/** The filter by one value of each facet. */
function filterBy(name: FacetName, value: string): SearchInput {
  switch (name) {
    case 'kind':
      return { kinds: value as 'memory' }
    case 'sector':
      return { sectors: value as 'episodic' }
    case 'tag':
      return { tags: value }
    case 'factType':
      return { factTypes: value as 'kv' }
    case 'source':
      return { sources: value }
    case 'namespace':
      return { namespaces: value }
    case 'year':
      return { years: Number(value) }
  }
}

function valuesOf({ record, facts }: Hit, name: FacetName): string[] {
  const list = (value: string | null) => (value === null ? [] : [value])
  switch (name) {
    case 'kind':
      return [record.kind]
    case 'sector':
      return list(record.sector)
    case 'tag':
      return record.tags.map((tag) => tag.toLowerCase())
    case 'factType':
      return facts.map(({ type }) => type)
    case 'source':
      return list(record.source)
    case 'namespace':
      return [record.namespace]
    case 'year':
      return [(record.occurredAt ?? record.createdAt).slice(0, 4)]
  }
}

function toCounts(facets: Facets | null, name: FacetName): Record<string, number> {
  return Object.fromEntries(
    (facets?.[name] ?? []).map(({ value, count }) => [value.toLowerCase(), count]),
  )
}

const SECTORS = ['episodic', 'semantic', 'procedural'] as const

function notes(count: number): RecordInput[] {
  return Array.from({ length: count }, (_, i) => ({
    body: `${i % 3 === 0 ? 'harbour' : 'meadow'} ${i % 7 === 0 ? 'harbour' : 'path'} note ${i}`,
    kind: i % 11 === 0 ? 'document' : 'memory',
    ...(i % 11 === 0 ? {} : { sector: SECTORS[i % 3] ?? 'semantic' }),
    tags: [`t${i % 4}`, ...(i % 5 === 0 ? ['Shared', 'shared'] : [])],
    source: i % 4 === 0 ? null : `s${i % 3}`,
    namespace: i % 6 === 0 ? 'b' : 'a',
    occurredAt: i % 8 === 0 ? null : `${2022 + (i % 3)}-06-0${1 + (i % 9)}T00:00:00Z`,
  }))
}

/** Some records are superseded, across namespaces, tags and kinds. Some corrections have the word, some do not. */
async function correctedLibrary(count: number): Promise<Cairn> {
  const cairn = await openCairn({ file: ':memory:', vectors: FAKE })
  const added = await cairn.addMany(notes(count))
  for (let i = 0; i + 5 < count; i += 9) {
    await cairn.supersede(added[i]?.id ?? '', added[i + 5]?.id ?? '')
  }
  for (let i = 1; i < count; i += 4) {
    for (const type of FACT_KINDS.slice(0, 1 + (i % 3))) {
      await cairn.facts.add({
        record: added[i]?.id ?? '',
        type,
        subject: `subject ${i}`,
        predicate: 'is',
        object: `${i}`,
      })
    }
  }
  return cairn
}

const WAYS: readonly (readonly [string, string, SearchInput])[] = [
  ['any word', 'harbour 17', { mode: 'keyword', match: 'any' }],
  ['a refused word', 'harbour NOT path', { mode: 'keyword', match: 'all' }],
  ['a refusal alone', 'NOT harbour', { mode: 'keyword' }],
  ['filters alone', '', { tags: ['t1', 't2'] }],
  ['everything near', 'harbour', { mode: 'semantic', threshold: -1 }],
  [
    'meaning, and all words asked for',
    'harbour path',
    { mode: 'semantic', match: 'all', threshold: 0.05 },
  ],
  ['both', 'harbour', { threshold: 0.1 }],
  ['both, everything near', 'harbour', { threshold: -1 }],
  ['both, filtered', 'harbour', { threshold: 0.1, tags: ['t1', 'shared'], kinds: 'memory' }],
  ['the lens cascade', 'harbour', { lens: 'cascade' }],
  ['the lens rank', 'harbour', { lens: 'rank', threshold: 0.1 }],
  ['superseded too', 'harbour', { mode: 'keyword', match: 'all', includeSuperseded: true }],
]

describe('facets', () => {
  let cairn: Cairn
  beforeAll(async () => {
    cairn = await correctedLibrary(130)
    return () => cairn.close()
  })

  test.each(WAYS)(
    '[F10] of %s count exactly the records found, and a filter by a value finds as many',
    async (_, query, options) => {
      const search = (more: SearchInput = {}) =>
        cairn.search({ query, limit: 500, minConfidence: 0, ...options, ...more })
      const { facets, hits, total } = await search({ facets: true })
      expect(hits.length).toBeGreaterThan(5)
      expect(total).toEqual({ value: hits.length, exact: true })
      const small = await search({ facets: true, limit: 1 })
      expect([small.facets, small.total]).toEqual([facets, total])
      const plain = await search({ limit: 3 })
      if (plain.total.exact) expect(plain.total).toEqual(total)
      else expect(plain.total.value).toBeLessThanOrEqual(total.value)
      for (const name of NAMES) {
        const counts = toCounts(facets, name)
        expect(counts, name).toEqual(countValues(hits.map((hit) => valuesOf(hit, name))))
        if (options.includeSuperseded) continue
        for (const [value, count] of Object.entries(counts)) {
          const filter = filterBy(name, value)
          if (Object.keys(filter).some((key) => key in options)) continue
          const narrowed = await search({ ...filter, facets: true, limit: 2 })
          expect(narrowed.total, `${name} ${value}`).toEqual({ value: count, exact: true })
        }
      }
    },
  )

  test('[F10] wide facets count the other values of a filtered facet, and a filter by a value finds as many', async () => {
    const cairn = await libraryOf([], { vectors: false })
    await cairn.addMany(
      notes(60).map((note, i) => ({
        ...note,
        people: [`Speaker ${i % 4}`, 'Ann'],
        source: ['notes/a.md', 'notes/old/b.md', 'git:1f3', 'c.md', 'chat'][i % 5] ?? null,
      })),
    )
    const works = Array.from({ length: 12 }, (_, i) => ({
      ...NO_DETAILS,
      title: `harbour work ${i}`,
      venue: i % 3 === 0 ? 'Journal of Harbours' : 'harbour letters',
      year: 2000 + i,
      authors: [
        { family: `Author ${i % 2}`, given: null },
        ...(i % 4 ? [] : [{ family: 'Ann', given: null }]),
      ],
    }))
    await cairn.works.import(
      works.map((work) => ({ ...work, abstract: null, tags: ['t1'], references: [] })),
    )
    const filters = {
      kind: (value: string) => ({ kinds: [value as 'work'] }),
      tag: (value: string) => ({ tags: { any: [value] } }),
      source: (value: string) => ({ sources: [value] }),
      author: (value: string) => ({ people: [`"${value}"`], kinds: ['work' as const] }),
      person: (value: string) => ({
        people: [`"${value}"`],
        kinds: ['memory' as const, 'document' as const],
      }),
      venue: (value: string) => ({ venues: [value] }),
      month: (value: string) => ({ since: value, until: value, dateField: 'occurred' as const }),
    }
    const chosen: readonly SearchInput[] = [
      {},
      { tags: { any: ['t1'] } },
      { kinds: ['work'], venues: ['Harbour Letters'] },
      { tags: { any: ['t1', 't2'] }, sources: ['notes/*'] },
      { people: ['"Speaker 1"'], since: '2022', until: '2023', dateField: 'occurred' },
    ]
    for (const options of chosen) {
      const base: SearchInput = { query: 'harbour', mode: 'keyword', facets: true, ...options }
      const { facets, total } = await cairn.search({ ...base, wideFacets: true })
      const plain = await cairn.search(base)
      expect(total).toEqual(plain.total)
      expect(Object.keys(plain.facets ?? {})).toEqual([...NAMES])
      for (const [name, filter] of Object.entries(filters)) {
        const values = facets?.[name as keyof typeof filters] ?? []
        for (const { value, count } of values) {
          const one = await cairn.search({ ...base, ...filter(value) })
          expect(one.total.value, `${name} ${value} of ${JSON.stringify(options)}`).toBe(count)
        }
      }
    }
    const wide = await cairn.search({
      query: 'harbour',
      mode: 'keyword',
      facets: true,
      wideFacets: true,
    })
    expect(wide.facets?.source.map(({ value }) => value).toSorted()).toEqual([
      './*',
      'chat',
      'git:*',
      'notes/*',
      'notes/old/*',
    ])
    expect(wide.facets?.venue).toEqual([
      { value: 'harbour letters', count: 8 },
      { value: 'Journal of Harbours', count: 4 },
    ])
  })

  test('[F10] are sorted by count, ties by value', async () => {
    const cairn = await libraryOf(
      ['b', 'a', 'c', 'a', 'c', 'd'].map((tag, i) => ({ body: `crow ${i}`, tags: [tag] })),
      { vectors: false },
    )
    const { facets } = await cairn.search('crow', { facets: true })
    expect(facets?.tag.map(({ value }) => value)).toEqual(['a', 'c', 'b', 'd'])
    expect(facets?.factType).toEqual([])
    expect((await cairn.search('crow')).facets).toBeNull()
  })

  test('[F10, M7] as of a past time count the facts and tags of that time', async () => {
    let now = Date.UTC(2026, 0, 1)
    const cairn = await libraryOf([], { vectors: FAKE, now: () => now })
    const { id } = await cairn.add({ body: 'finch', tags: ['early'] })
    const moment = now
    now += 10
    await cairn.edit(id, { tags: ['late'] })
    await cairn.facts.add({
      record: id,
      subject: 'a',
      predicate: 'is',
      object: 'b',
      confidence: 0.01,
    })
    const at = (asOf: number, more: SearchInput = {}) =>
      cairn.search('finch', { asOf, facets: true, ...more })
    expect((await at(moment)).facets).toMatchObject({ tag: [{ value: 'early' }], factType: [] })
    expect((await at(moment, { factTypes: 'kv' })).total.value).toBe(0)
    expect((await at(moment, { tags: 'late' })).total.value).toBe(0)
    // Ten milliseconds later it is doubtful: the time is not rounded to the minute.
    expect((await at(now, { minConfidence: 0.1 })).total.value).toBe(0)
    expect((await at(now)).facets).toMatchObject({
      tag: [{ value: 'late' }],
      factType: [{ value: 'kv', count: 1 }],
    })
    expect((await at(moment)).total.value).toBe(1)
  })

  test('[F10, D2] take a fixed number of statements for any number of values', async () => {
    let statements = 0
    const cairn = await openCairn({
      file: temporaryFile(),
      vectors: FAKE,
      trace: () => {
        statements += 1
      },
    })
    await cairn.addMany(notes(200))
    const count = async (query: string, options: SearchInput) => {
      await cairn.search(query, options)
      statements = 0
      await cairn.search(query, options)
      return statements
    }
    for (const mode of ['keyword', 'hybrid', 'semantic'] as const) {
      const options: SearchInput = { mode, match: 'all', limit: 5 }
      const without = await count('harbour', options)
      const few = await count('18', { ...options, facets: true })
      const many = await count('harbour', { ...options, facets: true })
      expect(many - without, mode).toBeLessThanOrEqual(15)
      if (mode !== 'keyword') expect(many, mode).toBe(few)
    }
    await cairn.close()
  })
})
