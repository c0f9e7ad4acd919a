/** Works that are imported again, and the citations between them. */

import { describe, expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
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
describe('the same work again', () => {
  test('[L8] changes nothing and makes no second one', async () => {
    const cairn = await libraryOf([])
    const whole = { ...CAIRNS, references: ['doi:10.1000/x'] }
    const first = await store(cairn, whole)
    const before = await cairn.list()
    const again = await cairn.works.import([whole])
    expect(again).toEqual({
      outcomes: [{ id: first[0]?.id, state: 'unchanged', changed: [], conflicts: [] }],
      created: 0,
      updated: 0,
      unchanged: 1,
      conflicts: 0,
    })
    expect(await cairn.list()).toEqual(before)
    expect((await cairn.history(first[0]?.id ?? '')).revisions).toEqual([])
  })

  test('is recognised under any of its identifiers, and by title, year and first author', async () => {
    const cairn = await libraryOf([])
    const [first] = await store(cairn, { ...CAIRNS, openAlexId: 'W42', arxivId: '1907.01234' })
    for (const parts of [
      { doi: 'https://doi.org/10.1000/CAIRNS' },
      { openAlexId: 'https://openalex.org/W42' },
      { arxivId: 'arXiv:1907.01234v2' },
      { doi: '10.48550/arXiv.1907.01234' },
    ]) {
      const [again] = await store(cairn, work('A quite different title', parts))
      expect(again?.id, JSON.stringify(parts)).toBe(first?.id)
    }
    const byTitle = work('On cairns!', { year: 2019, authors: people('A. Stone') })
    expect((await store(cairn, byTitle))[0]?.id).toBe(first?.id)
    expect(await countOf(cairn)).toBe(1)
  })

  test('twice within one call is one, with the tags of both', async () => {
    const cairn = await libraryOf([])
    const answer = await cairn.works.import(
      [
        CAIRNS,
        work('Other'),
        { ...CAIRNS, doi: null, arxivId: '1907.01234', tags: ['Paths', 'stone'] },
        work('Whatever', { arxivId: '1907.01234', abstract: null }),
      ],
      { tags: ['imported'] },
    )
    expect(answer.outcomes.map(({ state }) => state)).toEqual([
      'created',
      'created',
      'updated',
      'unchanged',
    ])
    expect(answer.outcomes[2]?.id).toBe(answer.outcomes[0]?.id)
    expect(answer.outcomes[3]?.conflicts).toMatchObject([{ field: 'title' }])
    const { work: stored } = await one(cairn, 'stone2019')
    expect(stored.tags).toEqual(['paths', 'imported', 'stone'])
    expect(stored.arxivId).toBe('1907.01234')
    expect(await countOf(cairn)).toBe(2)
  })

  test('is one across the batches of a call', async () => {
    const cairn = await libraryOf([])
    const answer = await cairn.works.import([CAIRNS, work('B'), work('C'), CAIRNS], { batch: 1 })
    expect(answer).toMatchObject({ created: 3, unchanged: 1 })
  })

  test('fills missing fields and reports conflicts without overwriting', async () => {
    const cairn = await libraryOf([])
    const [first] = await store(cairn, { ...CAIRNS, venue: null })
    const [second] = await store(cairn, { ...CAIRNS, year: 2020, published: null, pages: '1-9' })
    expect(second).toEqual({
      id: first?.id,
      state: 'updated',
      changed: ['venue', 'pages'],
      conflicts: [{ field: 'year', stored: 2019, incoming: 2020 }],
    })
    const { work: stored } = await one(cairn, 'stone2019')
    expect(stored).toMatchObject({ year: 2019, venue: 'Journal of Paths', pages: '1-9' })
    expect((await cairn.works.import([{ ...CAIRNS, year: 2020 }])).conflicts).toBe(1)
  })

  test('a title that was seen once is known afterwards', async () => {
    const cairn = await libraryOf([])
    const [first] = await store(cairn, CAIRNS)
    const variant = { ...CAIRNS, title: 'On the Nature of Cairns' }
    await store(cairn, variant)
    const [again] = await store(cairn, { ...variant, doi: null })
    expect(again?.id).toBe(first?.id)
    expect((await one(cairn, 'stone2019')).record.title).toBe('On Cairns')
  })

  test('a title that was edited by hand stays, and the work is known by both', async () => {
    const cairn = await libraryOf([])
    const [first] = await store(cairn, { ...CAIRNS, doi: null })
    const id = first?.id ?? ''
    await cairn.edit(id, { title: 'Cairns, Revised' })
    const [old, now] = await store(
      cairn,
      { ...CAIRNS, doi: null },
      { ...CAIRNS, doi: null, title: 'Cairns, revised' },
    )
    expect([old?.id, now?.id]).toEqual([id, id])
    expect((await one(cairn, id)).work.title).toBe('Cairns, Revised')
  })

  test('two stored works that turn out to be one are reported and stay as they are', async () => {
    const cairn = await libraryOf([])
    const [published, preprint] = await store(
      cairn,
      CAIRNS,
      work('Cairns (preprint)', { arxivId: '1907.01234', year: 2018 }),
    )
    const both = { ...CAIRNS, arxivId: '1907.01234' }
    for (let round = 0; round < 2; round++) {
      const [outcome] = await store(cairn, both)
      expect(outcome).toEqual({
        id: published?.id,
        state: 'unchanged',
        changed: [],
        conflicts: [
          {
            field: 'identity',
            stored: [preprint?.id],
            incoming: ['arxiv:1907.01234', 'doi:10.48550/arxiv.1907.01234'],
          },
        ],
      })
    }
    expect((await one(cairn, 'stone2019')).work.arxivId).toBeNull()
    expect((await one(cairn, '1907.01234')).record.id).toBe(preprint?.id)
    expect(await countOf(cairn)).toBe(2)
  })

  test('a work without year, author and identifier is known by its title alone', async () => {
    const cairn = await libraryOf([])
    const [first, second] = await store(cairn, work('Untold'), work('untold!'))
    expect(second).toMatchObject({ id: first?.id, state: 'unchanged' })
    expect((await store(cairn, work('Untold', { year: 2001 })))[0]?.state).toBe('created')
  })

  test('one that was deleted comes back as a new one; one that was superseded does not', async () => {
    const cairn = await libraryOf([])
    const [first, newer] = await store(cairn, CAIRNS, work('Cairns, second edition'))
    await cairn.delete([first?.id ?? ''])
    const [second] = await store(cairn, CAIRNS)
    expect(second).toMatchObject({ state: 'created' })
    expect(second?.id).not.toBe(first?.id)
    await cairn.supersede(second?.id ?? '', newer?.id ?? '')
    expect((await store(cairn, { ...CAIRNS, pages: '1-9' }))[0]).toMatchObject({
      id: second?.id,
      state: 'unchanged',
      changed: [],
    })
  })

  test('two imports at once of one process make no second one', async () => {
    const cairn = await libraryOf([])
    const works = Array.from({ length: 30 }, (_, i) => work(`Work ${i}`, { doi: `10.1000/${i}` }))
    const both = await Promise.all([cairn.works.import(works), cairn.works.import(works)])
    expect(both.map(({ created }) => created).reduce((a, b) => a + b)).toBe(30)
    expect(await countOf(cairn)).toBe(30)
  })
})

test('an import reports its progress and stores the source of works', async () => {
  const cairn = await libraryOf([])
  const seen: number[] = []
  const works = Array.from({ length: 5 }, (_, i) => work(`Work ${i}`))
  await cairn.works.import(works, {
    batch: 2,
    source: 'library.bib',
    onProgress: ({ done, total }) => seen.push(done, total),
  })
  expect(seen).toEqual([0, 5, 2, 5, 4, 5, 5, 5])
  expect((await cairn.list()).records.every(({ source }) => source === 'library.bib')).toBe(true)
})

test('a work that cannot be stored is named, and nothing of the import is stored', async () => {
  const cairn = await libraryOf([])
  await expect(cairn.works.import([CAIRNS, work('')])).rejects.toMatchObject({
    code: 'bad_input',
    message: 'Cannot import work 2 (""): it has no title, no abstract and no identifier.',
  })
  const wrong = { ...CAIRNS, year: 'soon' } as unknown as Work
  await expect(cairn.works.import([wrong])).rejects.toThrow(
    'Cannot import work 1 ("On Cairns"): year must be a number, not "soon".',
  )
  expect(await countOf(cairn)).toBe(0)
})

describe('citations', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name, i) =>
    work(`Work ${name}`, { doi: `10.1000/${name}`, citationKey: name, year: 2000 + i }),
  ) as [Work, Work, Work]
  const titles = (works: readonly { readonly title: string | null }[]) =>
    works.map(({ title }) => title)

  test('[M10] to works that are not stored are resolved under any name once the work is stored', async () => {
    const cairn = await libraryOf([])
    const references = ['DOI:10.1000/B', 'key:c', 'openalex:W9']
    await store(cairn, { ...a, references })
    const before = await cairn.works.citations('a')
    expect(before).toMatchObject({ references: [], citedBy: [] })
    expect(before.unresolved).toEqual(['doi:10.1000/b', 'key:c', 'openalex:W9'])
    await store(cairn, b, c)
    const after = await cairn.works.citations('a')
    expect(after.references).toMatchObject([
      { title: 'Work b', year: 2001 },
      { title: 'Work c', year: 2002 },
    ])
    expect(after.unresolved).toEqual(['openalex:W9'])
    expect(titles((await cairn.works.citations('b')).citedBy)).toEqual(['Work a'])
    expect((await one(cairn, 'a')).work.references).toEqual([
      'doi:10.1000/b',
      'key:c',
      'openalex:W9',
    ])
    expect((await cairn.search('title:b')).hits[0]?.relatedCount).toBe(1)
  })

  test('two names of one work are one citation, and neither is unresolved', async () => {
    const cairn = await libraryOf([])
    await store(cairn, b, { ...a, references: ['doi:10.1000/b', 'key:b'] })
    const { references, unresolved } = await cairn.works.citations('a')
    expect(titles(references)).toEqual(['Work b'])
    expect(unresolved).toEqual([])
    expect((await one(cairn, 'a')).work.references).toEqual(['doi:10.1000/b', 'key:b'])
  })

  test('are added to by the same work again, and a work never cites itself', async () => {
    const cairn = await libraryOf([])
    await store(cairn, { ...a, references: ['doi:10.1000/b'] })
    const more = { ...a, references: ['doi:10.1000/c', 'doi:10.1000/a', 'key:a'] }
    expect((await store(cairn, more))[0]?.changed).toEqual(['references'])
    expect((await store(cairn, more))[0]?.state).toBe('unchanged')
    expect((await one(cairn, 'a')).work.references).toEqual(['doi:10.1000/b', 'doi:10.1000/c'])
  })

  test('stay within their namespace', async () => {
    const cairn = await libraryOf([])
    await store(cairn, { ...a, references: ['key:b'] })
    await cairn.works.import([b], { namespace: 'other' })
    expect((await cairn.works.citations('a')).unresolved).toEqual(['key:b'])
  })

  test('[M12] a deleted work hides its citations, a restored one shows them, a purged one is waited for', async () => {
    const cairn = await libraryOf([])
    const [, cited] = await store(cairn, { ...a, references: ['doi:10.1000/b'] }, b)
    const id = cited?.id ?? ''
    await cairn.delete([id])
    expect(await cairn.works.citations('a')).toMatchObject({
      references: [],
      unresolved: ['doi:10.1000/b'],
    })
    await cairn.restore([id])
    expect(titles((await cairn.works.citations('a')).references)).toEqual(['Work b'])
    expect((await one(cairn, 'b')).work.doi).toBe('10.1000/b')
    await cairn.purge([id])
    expect((await cairn.works.citations('a')).unresolved).toEqual(['doi:10.1000/b'])
    expect((await cairn.doctor()).ok).toBe(true)
    await store(cairn, b)
    expect(titles((await cairn.works.citations('a')).references)).toEqual(['Work b'])
  })

  test('lead to the new record if a deleted work is imported again', async () => {
    const cairn = await libraryOf([])
    const [, cited] = await store(cairn, { ...a, references: ['doi:10.1000/b'] }, b)
    await cairn.delete([cited?.id ?? ''])
    const [again] = await store(cairn, b)
    expect((await cairn.works.citations('a')).references.map(({ id }) => id)).toEqual([again?.id])
  })

  test('can be given apart from the works, by any of their names', async () => {
    const cairn = await libraryOf([])
    await store(cairn, a, b, c)
    const pairs = [
      { from: 'a', to: '10.1000/b' },
      { from: 'b', to: 'c' },
    ]
    expect(await cairn.works.addCitations(pairs)).toEqual({ added: 2, known: 0 })
    expect(await cairn.works.addCitations(pairs)).toEqual({ added: 0, known: 2 })
    expect(titles((await cairn.works.citations('b')).citedBy)).toEqual(['Work a'])
    const [exported] = await cairn.works.export(['a'])
    expect(exported?.references).toEqual(['doi:10.1000/b'])
    expect((await store(cairn, exported ?? a))[0]?.state).toBe('unchanged')
    await expect(cairn.works.addCitations([{ from: 'a', to: 'nobody' }])).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(cairn.works.addCitations([{ from: 'a', to: 'a' }])).rejects.toThrow('itself')
  })
})
