import { afterEach, expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { people, work } from '../../test/support/works.js'
import type { Cairn, SearchInput, Work } from '../index.js'

const WORKS: readonly Work[] = [
  work('Quantum error correction', {
    abstract:
      'Solid state qubits lose their phase. Codes protect them against noise of the lattice.',
    authors: people('Ada Stone'),
    published: '2019-01-01',
    doi: '10.1000/quantum',
    tags: ['physics', 'codes'],
  }),
  work('Solid foundations', {
    abstract: 'The state of houses, and how a quantum of rain changes it.',
    authors: people('Bo Quantum'),
    year: 2019,
    doi: '10.1000/houses',
    tags: ['building'],
  }),
  work('Kittens and their mothers', {
    abstract: 'How cats raise their young. The purring of a mother calms them.',
    authors: people('Cleo Berg'),
    published: '2021-05',
    doi: '10.1000/cats',
    tags: ['animals'],
  }),
  work('Errors of quantum measurements', { authors: people('Ada Berg'), year: 2018 }),
]

async function shelf(): Promise<Cairn> {
  const cairn = await libraryOf([
    { body: 'We talked about quantum codes on Thursday.' },
    { body: 'The manual of the quantum simulator.', kind: 'document' },
  ])
  await cairn.works.import(WORKS)
  return cairn
}

const titles = async (cairn: Cairn, query: string, options: SearchInput = {}) =>
  (await cairn.search(query, { kinds: 'work', mode: 'keyword', ...options })).hits.map(
    ({ title }) => title,
  )

const [QUBITS, HOUSES, CATS, ERRORS] = WORKS.map(({ title }) => title)

test('[L2] a word can be limited to the title, the abstract or the authors of a work', async () => {
  const cairn = await shelf()
  expect((await titles(cairn, 'title:quantum')).sort()).toEqual([ERRORS, QUBITS])
  expect(await titles(cairn, 'abstract:quantum')).toEqual([HOUSES])
  expect(await titles(cairn, 'abstract:"solid state"')).toEqual([QUBITS])
  expect(await titles(cairn, 'author:quantum')).toEqual([HOUSES])
  expect((await titles(cairn, 'author:ada')).sort()).toEqual([ERRORS, QUBITS])
  expect(await titles(cairn, 'author:"Ada Berg" title:errors')).toEqual([ERRORS])
})

test('[L2] venue, key, DOI and year are searchable words and fields, now and as of a past time', async () => {
  const cairn = await shelf()
  const details = { year: 2017, citationKey: 'berg17joins' }
  await cairn.works.import([
    work('On joins', { ...details, venue: '管理大会', series: "SIGMOD '19" }),
  ])
  for (const query of [
    'sigmod',
    'venue:sigmod',
    'key:berg17joins',
    'berg17joins',
    '管理',
    'year:2017',
  ]) {
    expect(await titles(cairn, query), query).toEqual(['On joins'])
    expect(await titles(cairn, query, { mode: 'hybrid' }), query).toContain('On joins')
  }
  expect(await titles(cairn, 'doi:10.1000/cats')).toEqual([CATS])
  expect(await titles(cairn, '10.1000/cats', { match: 'all' })).toEqual([CATS])
  expect(await titles(cairn, 'title:sigmod')).toEqual([])
  expect((await titles(cairn, 'year:2019')).sort()).toEqual([QUBITS, HOUSES].sort())
  const [{ id } = { id: '' }] = (await cairn.search('sigmod')).hits
  const asOf = Date.now()
  await new Promise((resolve) => setTimeout(resolve, 5))
  await cairn.edit(id, { title: 'On hash joins' })
  expect(await titles(cairn, 'sigmod')).toEqual(['On hash joins'])
  expect(await titles(cairn, 'sigmod', { asOf })).toEqual(['On joins'])
  expect((await cairn.doctor()).ok).toBe(true)
})

test('[M1] since, until and years mean the publication date of works', async () => {
  const cairn = await shelf()
  expect(await titles(cairn, 'quantum', { until: '2018-12-31' })).toEqual([ERRORS])
  expect(await titles(cairn, '', { since: '2020' })).toEqual([CATS])
  expect(await titles(cairn, '', { since: '2020', dateField: 'created' })).toHaveLength(4)
  const all = await cairn.search('', { since: '2020', limit: 20 })
  expect(all.hits.map(({ kind }) => kind).sort()).toEqual(['document', 'memory', 'work'])
  expect((await titles(cairn, '', { years: '2018..2019' })).sort()).toEqual([
    ERRORS,
    QUBITS,
    HOUSES,
  ])
  expect(await titles(cairn, '', { years: ['2020..'] })).toEqual([CATS])
  expect(await titles(cairn, '', { years: ['..2018', 2021] })).toEqual([ERRORS, CATS])
  await cairn.works.import([work('A work without a date', {})])
  expect(await titles(cairn, '', { years: '2024..' })).toEqual([])
  await expect(titles(cairn, '', { years: 'soon' })).rejects.toThrow(
    'years must be a year such as 2026, or 2018..2022.',
  )
})

test('[L2] fields limit every word, in hybrid mode too', async () => {
  const cairn = await shelf()
  expect(await titles(cairn, 'solid quantum', { fields: ['title'], match: 'all' })).toEqual([])
  expect((await titles(cairn, 'quantum', { fields: ['abstract'] })).sort()).toEqual([HOUSES])
  expect(await titles(cairn, 'author:cleo purring', { mode: 'hybrid' })).toEqual([CATS])
})

test('[L2] NEAR finds nearby words in an abstract, with or without a comma between them', async () => {
  const cairn = await shelf()
  expect(await titles(cairn, 'NEAR(codes noise, 4)')).toEqual([QUBITS])
  expect(await titles(cairn, 'NEAR(codes, noise, 4)')).toEqual([QUBITS])
  expect(await titles(cairn, 'NEAR(qubits lattice, 2)')).toEqual([])
})

test('[L2] the title and the abstract have separate highlights', async () => {
  const cairn = await shelf()
  const [hit] = (await cairn.search('quantum codes', { kinds: 'work', match: 'all' })).hits
  const marked = (text: string, ranges: readonly { start: number; end: number }[]) =>
    ranges.map(({ start, end }) => text.slice(start, end))
  expect(hit?.title).toBe(QUBITS)
  expect(marked(hit?.title ?? '', hit?.highlights.title ?? [])).toEqual(['Quantum'])
  expect(marked(hit?.record.body ?? '', hit?.highlights.body ?? [])).toEqual(['Codes'])
})

test('[L2] a word in the title counts more than one in the abstract', async () => {
  const cairn = await libraryOf([])
  const filler = 'one two three four five six'
  await cairn.works.import([
    work(`alpha ${filler}`, { abstract: `zebra ${filler}`, doi: '10.1000/1' }),
    work(`zebra ${filler}`, { abstract: `alpha ${filler}`, doi: '10.1000/2' }),
  ])
  const [first] = await titles(cairn, 'zebra')
  expect(first).toMatch(/^zebra/)
  expect((await titles(cairn, 'alpha'))[0]).toMatch(/^alpha/)
})

test('[L4] a hit names the nearest passage, and ids can be included and excluded', async () => {
  const cairn = await libraryOf([])
  const filler = 'Rates of interest rise when the bank is worried about the price of money. '
  const abstract = `${filler.repeat(20)}${'Kittens purr while the cat feeds them milk. '.repeat(8)}`
  const { outcomes } = await cairn.works.import([
    work('Economy', { abstract, doi: '10.1000/1' }),
    work('Cats', { abstract: 'Kittens purr.', doi: '10.1000/2' }),
    work('Money', { abstract: filler, doi: '10.1000/3' }),
  ])
  const ids = outcomes.map(({ id }) => id)
  const ask = (more: SearchInput) =>
    cairn.search('a cat with kittens', { mode: 'semantic', threshold: 0.3, ...more })
  const hits = (await ask({})).hits
  expect(hits.map(({ id }) => id)).toEqual([ids[1], ids[0]])
  const [chunk] = hits[1]?.chunks ?? []
  expect(chunk?.index).toBeGreaterThan(0)
  expect(chunk?.text).toContain('Kittens purr')
  expect(chunk?.text).toBe(abstract.slice(chunk?.start, chunk?.end))
  expect(hits[1]?.similarity).toBe(chunk?.similarity)
  expect((await ask({ ids: { in: [ids[0] ?? ''] } })).hits.map(({ id }) => id)).toEqual([ids[0]])
  expect((await ask({ ids: { out: [ids[1] ?? ''] } })).hits.map(({ id }) => id)).toEqual([ids[0]])
})

test('[L5] the literature lens gives the best of each list its full weight', async () => {
  const cairn = await shelf()
  const { hits } = await cairn.search('quantum codes against noise', {
    kinds: 'work',
    lens: 'literature',
    explain: true,
  })
  expect(hits[0]?.title).toBe(QUBITS)
  expect(hits[0]?.score).toBeCloseTo(1, 6)
  expect(hits.every(({ score }) => score >= 0 && score <= 1)).toBe(true)
})

test('[L5] tags and the date of publication narrow a search', async () => {
  const cairn = await shelf()
  const since = (date: string) =>
    titles(cairn, 'quantum OR cats', { lens: 'literature', since: date, dateField: 'published' })
  expect((await since('2019')).sort()).toEqual([CATS, QUBITS, HOUSES].sort())
  expect(await since('2021')).toEqual([CATS])
  expect(await since('2021-05-02')).toEqual([])
  expect(await titles(cairn, 'quantum', { tags: ['building'] })).toEqual([HOUSES])
  expect(await titles(cairn, 'quantum tag:physics')).toEqual([QUBITS])
  const facets = (await cairn.search('quantum', { kinds: 'work', mode: 'keyword', facets: true }))
    .facets
  expect(facets?.year).toEqual([
    { value: '2019', count: 2 },
    { value: '2018', count: 1 },
  ])
  expect((await titles(cairn, 'quantum', { years: [2018] })).sort()).toEqual([ERRORS])
})

const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

test.each(['America/Los_Angeles', 'UTC', 'Asia/Tokyo'])(
  '[L5] since 2019 is 2019 for a reader in %s',
  async (place) => {
    process.env.TZ = place
    const cairn = await shelf()
    const found = await titles(cairn, 'quantum', {
      since: '2019',
      until: '2019',
      dateField: 'published',
    })
    expect(found.sort()).toEqual([QUBITS, HOUSES].sort())
    expect(await titles(cairn, 'quantum', { until: '2018', dateField: 'published' })).toEqual([
      ERRORS,
    ])
  },
)

test('[L7] similar works have similar vectors, and the work itself is left out', async () => {
  const cairn = await shelf()
  const stored = await cairn.works.get('10.1000/quantum')
  const id = stored?.record.id ?? ''
  const { hits, of } = await cairn.similar(id, { kinds: 'work', threshold: 0 })
  expect(of).toBe(id)
  expect(hits.map((hit) => hit.id)).not.toContain(id)
  expect(hits[0]?.title).toBe(ERRORS)
})

test('[L7] similar works of a work without vectors is an error that says so', async () => {
  const cairn = await libraryOf([], { vectors: false })
  const { outcomes } = await cairn.works.import(WORKS)
  await expect(cairn.similar(outcomes[0]?.id ?? '')).rejects.toMatchObject({
    code: 'not_found',
    message: `The record "${outcomes[0]?.id}" has no vectors yet.`,
  })
})

test('[N7, M11] one search covers memories, documents and works, and each can be searched alone', async () => {
  const cairn = await shelf()
  const kinds = async (options: SearchInput) =>
    new Set((await cairn.search('quantum', options)).hits.map(({ kind }) => kind))
  expect(await kinds({})).toEqual(new Set(['memory', 'document', 'work']))
  expect(await kinds({ kinds: 'work' })).toEqual(new Set(['work']))
  expect(await kinds({ includeDocuments: false })).toEqual(new Set(['memory', 'work']))
  const documents = await cairn.searchDocuments('quantum')
  expect(documents.hits.map(({ kind }) => kind)).toEqual(['document'])
})
