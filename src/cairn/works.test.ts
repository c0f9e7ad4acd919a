import { existsSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { people, work } from '../../test/support/works.js'
import type { Cairn, Work } from '../index.js'

const CAIRNS = work('On Cairns', {
  abstract: 'Piles of stones mark a path across the moor.',
  type: 'article',
  authors: people('Ada Stone', 'Bo Berg'),
  venue: 'Journal of Paths',
  year: 2019,
  published: '2019-07-28',
  doi: '10.1000/cairns',
  citationKey: 'stone2019',
  tags: ['paths'],
})

const one = async (cairn: Cairn, text: string) => {
  const found = await cairn.works.get(text)
  if (found === null) throw new Error(`no work ${text}`)
  return found
}
const store = async (cairn: Cairn, ...works: readonly Work[]) =>
  (await cairn.works.import(works)).outcomes
const countOf = async (cairn: Cairn) => (await cairn.stats()).records.work

describe('what is stored', () => {
  test('[L1] a work keeps everything it was given, and is a record beside', async () => {
    const cairn = await libraryOf([])
    const whole: Work = {
      ...CAIRNS,
      editors: people('Ed Itor'),
      openAlexId: 'W42',
      arxivId: '1907.01234',
      isbn: '978-3',
      issn: '1234-5678',
      url: 'https://example.org/cairns',
      volume: '3',
      issue: '2',
      pages: '1-9',
      publisher: 'Moor Press',
      place: 'Leeds',
      series: 'Paths',
      edition: '2nd',
      institution: 'Moor University',
      language: 'en',
      note: 'with maps',
      references: ['doi:10.1000/elsewhere', 'key:other'],
    }
    const [outcome] = await store(cairn, whole)
    expect(outcome).toMatchObject({ state: 'created', conflicts: [], changed: [] })
    const { record, work: back } = await one(cairn, outcome?.id ?? '')
    expect(back).toEqual(whole)
    expect(await cairn.works.export()).toEqual([whole])
    const { title, abstract, tags, references, ...details } = whole
    expect(record).toMatchObject({
      kind: 'work',
      title,
      body: abstract,
      tags,
      people: ['Ada Stone', 'Bo Berg'],
      occurredAt: '2019-07-28T00:00:00.000Z',
      metadata: {},
      work: details,
    })
    expect((await cairn.search('moor')).hits[0]?.record.work).toEqual(details)
    expect((await cairn.list()).records[0]?.work).toEqual(details)
  })

  test('a record that is not a work has no details', async () => {
    const cairn = await libraryOf(['a memory'])
    expect((await cairn.list()).records[0]?.work).toBeNull()
  })

  test('[L1] people who open the file find DOI, year, venue and key as columns', async () => {
    const file = temporaryFile()
    const cairn = await libraryOf([], { file })
    await store(cairn, CAIRNS)
    const raw = new Database(file, { readonly: true })
    expect(raw.prepare('SELECT doi, year, venue, citation_key FROM works').all()).toEqual([
      { doi: '10.1000/cairns', year: 2019, venue: 'Journal of Paths', citation_key: 'stone2019' },
    ])
    raw.close()
  })

  test.each([
    ['2019', null, '2019-01-01T00:00:00.000Z'],
    ['2019-07', null, '2019-07-01T00:00:00.000Z'],
    [null, 1687, '1687-01-01T00:00:00.000Z'],
    ['2019-02-31', null, '2019-02-01T00:00:00.000Z'],
    ['forthcoming', 2020, '2020-01-01T00:00:00.000Z'],
    [null, null, null],
  ])('published %s of year %s occurred at %s', async (published, year, expected) => {
    const cairn = await libraryOf([])
    await store(cairn, work('A Title', { published, year }))
    expect((await cairn.list()).records[0]?.occurredAt).toBe(expected)
  })

  test('[L1] a work is found by id, DOI, OpenAlex id, arXiv id and citation key, however they are written', async () => {
    const cairn = await libraryOf([])
    const [outcome] = await store(cairn, { ...CAIRNS, openAlexId: 'W42', arxivId: '1907.01234' })
    const id = outcome?.id ?? ''
    for (const name of [
      id,
      id.slice(0, 14).toLowerCase(),
      '10.1000/CAIRNS',
      'https://doi.org/10.1000/cairns',
      'W42',
      'https://openalex.org/W42',
      'arXiv:1907.01234v3',
      '10.48550/arXiv.1907.01234',
      'stone2019',
      'key:stone2019',
    ]) {
      expect((await cairn.works.get(name))?.record.id, name).toBe(id)
    }
    expect(await cairn.works.get('nothing2019')).toBeNull()
    expect(await cairn.works.get('10.1000/unknown')).toBeNull()
  })

  test('a work of two namespaces is the one written to, or has to be named by its id', async () => {
    const cairn = await libraryOf([], { namespace: 'here' })
    const inNamespace = async (namespace: string) =>
      (await cairn.works.import([CAIRNS], { namespace })).outcomes[0]?.id
    const there = await inNamespace('there')
    expect((await one(cairn, 'stone2019')).record.id).toBe(there)
    await inNamespace('elsewhere')
    await expect(cairn.works.get('stone2019')).rejects.toMatchObject({ code: 'ambiguous_id' })
    const here = await inNamespace('here')
    expect((await one(cairn, 'stone2019')).record.id).toBe(here)
  })

  test('[A5] a library that is kept to a namespace neither imports into nor finds in another', async () => {
    const file = temporaryFile()
    const free = await libraryOf([], { file })
    await free.works.import([CAIRNS], { namespace: 'other' })
    const pinned = await libraryOf([], { file, namespace: 'own', pinned: true })
    expect(await pinned.works.get('10.1000/cairns')).toBeNull()
    expect(await pinned.works.export()).toEqual([])
    await expect(pinned.works.import([CAIRNS], { namespace: 'other' })).rejects.toMatchObject({
      code: 'outside_namespace',
    })
  })
})

describe('a work without an abstract', () => {
  test('[L1, L7] is found by words, by meaning and as similar, by its title', async () => {
    const cairn = await libraryOf([])
    await store(
      cairn,
      work('Kittens and their purring', { year: 2001, doi: '10.1000/kitten' }),
      work('Interest rates of central banks', { year: 2002, doi: '10.1000/bank' }),
    )
    const byWord = await cairn.search('purring', { mode: 'keyword' })
    expect(byWord.hits.map(({ title }) => title)).toEqual(['Kittens and their purring'])
    expect(byWord.hits[0]?.snippet).toEqual({ text: '', start: 0, end: 0, highlights: [] })
    expect(byWord.hits[0]?.highlights.title).toEqual([{ start: 18, end: 25 }])
    const byMeaning = await cairn.search('a cat', { mode: 'semantic', threshold: 0 })
    expect(byMeaning.hits[0]?.title).toBe('Kittens and their purring')
    expect(byMeaning.hits[0]?.chunks).toMatchObject([{ index: 0, start: 0, end: 0, text: '' }])
    const near = await cairn.similar(byWord.hits[0]?.id ?? '', { threshold: -1 })
    expect(near.hits.map(({ title }) => title)).toEqual(['Interest rates of central banks'])
    expect((await cairn.stats()).waiting).toBe(0)
    expect((await cairn.doctor()).ok).toBe(true)
  })

  test('gets a later abstract, keeps the earlier revision, and can be undone', async () => {
    const cairn = await libraryOf([])
    const [first] = await store(cairn, { ...CAIRNS, abstract: null })
    const id = first?.id ?? ''
    const [second] = await store(cairn, CAIRNS)
    expect(second).toEqual({ id, state: 'updated', changed: ['abstract'], conflicts: [] })
    expect((await cairn.search('moor', { mode: 'keyword' })).hits).toHaveLength(1)
    expect((await cairn.history(id)).revisions.map(({ body }) => body)).toEqual([''])
    await cairn.undo(id)
    expect((await one(cairn, id)).record.body).toBe('')
    expect((await cairn.search('moor', { mode: 'keyword' })).hits).toEqual([])
  })

  test('two works of the same title and different DOIs stay two', async () => {
    const cairn = await libraryOf([])
    const editorial = (doi: string) =>
      work('Editorial', { year: 2019, doi, authors: people('A B') })
    const outcomes = await store(cairn, editorial('10.1000/1'), editorial('10.1000/2'))
    expect(outcomes.map(({ state }) => state)).toEqual(['created', 'created'])
    expect(await countOf(cairn)).toBe(2)
    const [again] = await store(cairn, editorial('10.1000/2'))
    expect(again).toMatchObject({ id: outcomes[1]?.id, state: 'unchanged', conflicts: [] })
  })
})

describe('the past of a work', () => {
  test('[M7] the state before a merge is kept with its details and can be searched', async () => {
    const file = temporaryFile()
    const cairn = await libraryOf([], { file })
    const [first] = await store(cairn, { ...CAIRNS, venue: null, abstract: 'Piles of stones' })
    const id = first?.id ?? ''
    const then = new Date((await cairn.list()).records[0]?.createdAt ?? '')
    await new Promise((resolve) => setTimeout(resolve, 5))
    await store(cairn, CAIRNS)
    const { record, revisions } = await cairn.history(id)
    expect(record.work?.venue).toBe('Journal of Paths')
    expect(revisions).toMatchObject([{ body: 'Piles of stones', work: { venue: null } }])
    const answer = await cairn.search('stones', { asOf: then })
    expect(answer.hits[0]?.record).toMatchObject({ body: 'Piles of stones', work: { venue: null } })
    const back = await cairn.undo(id)
    expect(back).toMatchObject({ body: 'Piles of stones', work: { venue: null } })
  })
})

test('[M12] a purged work leaves no bytes of its details, keys and revisions in the file', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf([], { file })
  const secret = work('Zyxwvut qponml', {
    doi: '10.9999/zyxwvut-doi',
    venue: 'Zyxwvut Venue',
    citationKey: 'zyxwvutkey',
    authors: people('Zyx Wvutson'),
    references: ['doi:10.9999/zyxwvut-cited'],
  })
  await store(cairn, CAIRNS, secret)
  await store(cairn, { ...secret, abstract: 'Zyxwvut abstract' })
  const bytes = () =>
    Buffer.concat(
      [file, `${file}-wal`].filter((name) => existsSync(name)).map((name) => readFileSync(name)),
    )
      .toString('latin1')
      .toLowerCase()
  expect(bytes()).toContain('zyxwvut')
  const { record } = await one(cairn, 'zyxwvutkey')
  expect((await cairn.purge([record.id])).bytesGone).toBe(true)
  expect(bytes()).not.toMatch(/zyxwvut|wvutson/)
  expect((await cairn.doctor()).ok).toBe(true)
  expect(await cairn.works.export()).toHaveLength(1)
})

test('a program that deletes a record without foreign keys leaves no details and keys behind', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf([], { file })
  await store(cairn, CAIRNS)
  const raw = new Database(file)
  raw.pragma('foreign_keys = OFF')
  raw.exec('DELETE FROM records')
  const left = raw.prepare(
    'SELECT (SELECT count(*) FROM works) + (SELECT count(*) FROM work_identities)',
  )
  expect(left.pluck().get()).toBe(0)
  raw.close()
})

test('[A1] with vectors switched off works come in and are found by words', async () => {
  const cairn = await libraryOf([], { vectors: false })
  await store(cairn, CAIRNS)
  expect((await cairn.search('moor')).hits).toHaveLength(1)
})

describe('what goes out', () => {
  test('is what was asked for: by name in that order, or by filter, the oldest first', async () => {
    const cairn = await libraryOf([
      { body: 'By hand', title: 'Hand', kind: 'work', people: ['Ada van Stone'] },
      'memory',
    ])
    await store(
      cairn,
      work('B', { tags: ['x'], citationKey: 'b' }),
      work('A', { citationKey: 'a' }),
    )
    const named = async (which?: Parameters<Cairn['works']['export']>[0]) =>
      (await cairn.works.export(which)).map(({ title }) => title)
    expect(await named()).toEqual(['Hand', 'B', 'A'])
    expect(await named(['a', 'b'])).toEqual(['A', 'B'])
    expect(await named({ tags: ['x'] })).toEqual(['B'])
    const [hand] = await cairn.works.export()
    expect(hand).toMatchObject({
      abstract: 'By hand',
      authors: [{ family: 'Stone', given: 'Ada van' }],
    })
    await expect(cairn.works.export(['nobody'])).rejects.toMatchObject({ code: 'not_found' })
  })

  test('[L1] comes in again as it was', async () => {
    const cairn = await libraryOf([])
    await store(cairn, { ...CAIRNS, references: ['doi:10.1000/x', 'key:y'] })
    const other = await libraryOf([])
    await other.works.import(await cairn.works.export())
    expect(await other.works.export()).toEqual(await cairn.works.export())
  })
})
