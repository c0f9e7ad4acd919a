/** Merging loses nothing, repeats nothing, and says what two sources disagree about. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Work } from '../core/work.js'
import { mergeWorks } from './merge-works.js'
import { anyWork, makeWork } from './works.fixture.js'

const merge = (stored: Partial<Work>, incoming: Partial<Work>) =>
  mergeWorks(makeWork(stored), makeWork(incoming))

describe('one field', () => {
  test('missing fields are filled, and equal fields stay', () => {
    const { work, changed, conflicts } = merge(
      { venue: 'Journal of Paths', doi: null, abstract: null },
      { venue: 'journal of paths', doi: '10.1000/a', abstract: 'Stones mark a path.' },
    )
    expect(work).toMatchObject({
      venue: 'Journal of Paths',
      doi: '10.1000/a',
      abstract: 'Stones mark a path.',
    })
    expect(changed).toEqual(['abstract', 'doi'])
    expect(conflicts).toEqual([])
  })

  test('if two values differ, the stored one stays and both are reported', () => {
    const { work, changed, conflicts } = merge({ volume: '3' }, { volume: '4' })
    expect(work.volume).toBe('3')
    expect(changed).toEqual([])
    expect(conflicts).toEqual([{ field: 'volume', stored: '3', incoming: '4' }])
  })

  test.each([
    ['doi', '10.1000/a-b', '10.1000/ab'],
    ['pages', '1-2', '12'],
    ['url', 'https://a.example/x-y', 'https://a.example/xy'],
  ])('of a %s every sign counts', (field, stored, incoming) => {
    expect(merge({ [field]: stored }, { [field]: incoming }).conflicts).toHaveLength(1)
    expect(merge({ [field]: stored }, { [field]: stored.toUpperCase() }).conflicts).toEqual([])
  })

  test('the type `other` is replaced by a known type', () => {
    expect(merge({ type: 'other' }, { type: 'book' }).work.type).toBe('book')
    expect(merge({ type: 'book' }, { type: 'other' }).conflicts).toEqual([])
    expect(merge({ type: 'preprint' }, { type: 'article' }).conflicts).toHaveLength(1)
  })

  test('an abstract that was cut off is completed, another one is a difference', () => {
    const [cut, whole] = ['Stones mark…', 'Stones mark a path.']
    expect(merge({ abstract: cut }, { abstract: whole }).work.abstract).toBe(whole)
    expect(merge({ abstract: whole }, { abstract: cut })).toMatchObject({
      changed: [],
      conflicts: [],
    })
    expect(
      merge({ abstract: whole }, { abstract: 'Much longer, and about rivers.' }),
    ).toMatchObject({
      work: { abstract: whole },
      conflicts: [{ field: 'abstract' }],
    })
  })

  test.each([
    ['2019', null, '2019-07-28', '2019-07-28'],
    ['2019-07', null, '2019-07-28', '2019-07-28'],
    ['2019-07-28', null, '2019', '2019-07-28'],
    [null, 2019, '2019-07', '2019-07'],
    [null, null, '2019-07', '2019-07'],
  ])('the date %j of the year %j and %j become %j', (published, year, incoming, expected) => {
    const { work, conflicts } = merge({ published, year }, { published: incoming })
    expect(work.published).toBe(expected)
    expect(conflicts).toEqual([])
  })

  test('a date outside of the year that is known is a difference, however exact', () => {
    const { work, conflicts } = merge({ year: 2019 }, { year: 2020, published: '2020-01-03' })
    expect(work).toMatchObject({ year: 2019, published: null })
    expect(conflicts.map(({ field }) => field)).toEqual(['year', 'published'])
    expect(merge({ published: '2019-07' }, { year: 2020 }).conflicts).toHaveLength(1)
    expect(merge({ published: '2019-07' }, { year: 2019 }).work.year).toBe(2019)
  })

  test('tags are joined whatever their case, references as they are', () => {
    const { work } = merge(
      { tags: ['Path'], references: ['openalex:W1'] },
      { tags: ['path', 'Map', 'map'], references: ['openalex:W2', 'openalex:W1'] },
    )
    expect(work.tags).toEqual(['Path', 'Map'])
    expect(work.references).toEqual(['openalex:W1', 'openalex:W2'])
  })
})

describe('people', () => {
  const names = (...written: readonly string[]) =>
    written.map((name) => {
      const [family = '', given = null] = name.split(', ')
      return { family, given }
    })

  test.each([
    ['given names win over initials', ['Stone, A. M.'], ['Stone, Ada Maria'], ['Stone, Ada Maria']],
    ['initials do not replace given names', ['Stone, Ada'], ['Stone, A.'], ['Stone, Ada']],
    [
      'initials written together count singly',
      ['Stone, AM'],
      ['Stone, Ada Maria'],
      ['Stone, Ada Maria'],
    ],
    [
      'a longer list completes one that stops early',
      ['Stone, A.'],
      ['Stone, Ada', 'Berg, Bo'],
      ['Stone, Ada', 'Berg, Bo'],
    ],
    [
      'a shorter list takes nobody away',
      ['Stone, A.', 'Berg, B.'],
      ['Stone, Ada'],
      ['Stone, Ada', 'Berg, B.'],
    ],
    [
      'a family name may begin elsewhere',
      ['García Márquez, Gabriel'],
      ['Márquez, Gabriel García'],
      ['García Márquez, Gabriel'],
    ],
  ])('%s', (_, stored, incoming, expected) => {
    const { work, conflicts } = merge(
      { authors: names(...stored) },
      { authors: names(...incoming) },
    )
    expect(work.authors).toEqual(names(...expected))
    expect(conflicts).toEqual([])
  })

  test.each([
    ['another family name', 'Stone, Ada', 'Rock, Ada'],
    ['another initial', 'Stone, A.', 'Stone, Bo'],
    ['a name that only begins alike', 'Stone, Jo', 'Stone, John'],
  ])('%s is a difference', (_, stored, incoming) => {
    const { work, conflicts } = merge({ authors: names(stored) }, { authors: names(incoming) })
    expect(work.authors).toEqual(names(stored))
    expect(conflicts.map(({ field }) => field)).toEqual(['authors'])
  })
})

describe('any two works', () => {
  test('merging a work with itself changes nothing', () => {
    fc.assert(
      fc.property(anyWork, (work) => {
        expect(mergeWorks(work, work)).toEqual({ work, changed: [], conflicts: [] })
      }),
    )
  })

  test('merging the same work again changes nothing more, and the differences are the same', () => {
    fc.assert(
      fc.property(anyWork, anyWork, (stored, incoming) => {
        const once = mergeWorks(stored, incoming)
        const twice = mergeWorks(once.work, incoming)
        expect(twice.work).toEqual(once.work)
        expect(twice.changed).toEqual([])
        const fields = once.conflicts.map(({ field }) => field)
        expect(twice.conflicts.map(({ field }) => field)).toEqual(expect.arrayContaining(fields))
      }),
    )
  })

  test('no tag, reference or identifier is lost: it is in the work or in a difference', () => {
    fc.assert(
      fc.property(anyWork, anyWork, (stored, incoming) => {
        const { work, conflicts } = mergeWorks(stored, incoming)
        const tags = work.tags.map((tag) => tag.toLowerCase())
        for (const each of [stored, incoming]) {
          expect(tags).toEqual(expect.arrayContaining(each.tags.map((tag) => tag.toLowerCase())))
          expect(work.references).toEqual(expect.arrayContaining([...each.references]))
        }
        for (const field of ['doi', 'openAlexId', 'arxivId', 'citationKey'] as const) {
          if (stored[field] !== null) expect(work[field]).toBe(stored[field])
          const reported = conflicts.find((conflict) => conflict.field === field)?.incoming
          if (incoming[field] !== null) expect([work[field], reported]).toContain(incoming[field])
        }
      }),
    )
  })

  test('exactly the changed fields are listed, and a conflict changes nothing', () => {
    fc.assert(
      fc.property(anyWork, anyWork, (stored, incoming) => {
        const { work, changed, conflicts } = mergeWorks(stored, incoming)
        for (const field of Object.keys(stored) as (keyof Work)[]) {
          const isNamed = changed.includes(field)
          expect({
            field,
            same: JSON.stringify(work[field]) === JSON.stringify(stored[field]),
          }).toEqual({
            field,
            same: !isNamed,
          })
        }
        expect(conflicts.filter(({ field }) => changed.includes(field))).toEqual([])
      }),
    )
  })
})
