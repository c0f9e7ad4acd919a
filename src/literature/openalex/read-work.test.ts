/** What OpenAlex documents is read in full, and what it leaves out or breaks is left out. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_DETAILS } from '../../core/work.js'
import { readAbstract, readName, readWork } from './read-work.js'
import { fixture } from './server.fixture.js'

describe('a work', () => {
  test('is read in full', () => {
    expect(readWork(fixture('work'))).toEqual({
      ...NO_DETAILS,
      title: 'Counting stones & steps: how cairns guide walkers in fog',
      abstract: 'Walkers in fog trust stones more than maps. When fog lifts, they forget them.',
      type: 'article',
      authors: [
        { family: 'van der Steen', given: 'Mirjam' },
        { family: 'Ó Rúairc', given: 'Tomás' },
        { family: 'Upland Paths Consortium', given: null },
      ],
      venue: 'Journal of Upland Wayfinding',
      year: 2021,
      published: '2021-03-09',
      doi: '10.5555/cairn.2021.17',
      openAlexId: 'W4000000001',
      arxivId: '2101.00017',
      issn: '2999-0017',
      url: 'https://doi.org/10.5555/cairn.2021.17',
      volume: '12',
      issue: '3',
      pages: '201-219',
      publisher: 'Hillside Press',
      language: 'en',
      tags: ['wayfinding', 'fog', 'landmark', 'hiking', 'moorland'],
      references: ['openalex:W4000000002', 'openalex:W4000000003'],
    })
  })

  test('with null in every optional field has a title', () => {
    expect(readWork(fixture('bare-work'))).toEqual({
      ...NO_DETAILS,
      title: 'A title and nothing else',
      abstract: null,
      authors: [{ family: 'Quill', given: null }],
      openAlexId: 'W4000000004',
      tags: [],
      references: [],
    })
  })

  test('without a title is null', () => {
    expect(readWork(fixture('untitled-work'))).toBeNull()
    expect(readWork(null)).toBeNull()
    expect(readWork([])).toBeNull()
    expect(readWork({ title: ' <i> </i> ' })).toBeNull()
  })

  test.each([
    ['article', {}, 'article'],
    ['article', { source: { type: 'conference' } }, 'conference'],
    ['article', { raw_type: 'proceedings-article' }, 'conference'],
    ['review', {}, 'article'],
    ['preprint', {}, 'preprint'],
    ['book', {}, 'book'],
    ['book-chapter', {}, 'chapter'],
    ['dissertation', {}, 'thesis'],
    ['report', {}, 'report'],
    ['dataset', {}, 'dataset'],
    ['software', {}, 'software'],
    ['paratext', {}, 'other'],
    [null, {}, 'other'],
  ])('of the type %j at %j is of the type %j', (type, primary_location, expected) => {
    expect(readWork({ title: 'x', type, primary_location })?.type).toBe(expected)
  })

  test.each([
    [2019, '2019-07-28', { year: 2019, published: '2019-07-28' }],
    // The first of January stands for a year.
    [2019, '2019-01-01', { year: 2019, published: '2019' }],
    [2019, null, { year: 2019, published: '2019' }],
    [null, '2019-07-28', { year: 2019, published: '2019-07-28' }],
    [2019, '2018-12-31', { year: 2019, published: '2019' }],
    ['soon', 'later', { year: null, published: null }],
  ])('of the year %j and the date %j is of %j', (publication_year, publication_date, expected) => {
    expect(readWork({ title: 'x', publication_year, publication_date })).toMatchObject(expected)
  })

  test.each([
    ['1', '9', '1-9'],
    ['e12', null, 'e12'],
    ['7', '7', '7'],
    [null, '9', '9'],
    [3, 4, '3-4'],
  ])('on the pages %j to %j is on %j', (first_page, last_page, expected) => {
    expect(readWork({ title: 'x', biblio: { first_page, last_page } })?.pages).toBe(expected)
  })

  test('the host of a repository is no publisher, and a script is no address', () => {
    const primary_location = {
      landing_page_url: 'javascript:alert(1)',
      source: { display_name: 'arXiv', type: 'repository', host_organization_name: 'A University' },
    }
    expect(readWork({ title: 'x', primary_location })).toMatchObject({
      venue: 'arXiv',
      publisher: null,
      url: null,
    })
  })

  test('topics are its tags if it has no keywords', () => {
    expect(readWork({ title: 'x', topics: [{ display_name: 'Fog & Rain' }] })?.tags).toEqual([
      'fog & rain',
    ])
  })

  test('any JSON at all is read without an error', () => {
    const names = [
      'title',
      'doi',
      'type',
      'biblio',
      'authorships',
      'keywords',
      'locations',
      'referenced_works',
    ]
    const broken = fc.dictionary(
      fc.constantFrom(...names, 'abstract_inverted_index'),
      fc.jsonValue(),
    )
    fc.assert(fc.property(fc.oneof(fc.jsonValue(), broken), (answer) => void readWork(answer)))
  })
})

describe('an abstract', () => {
  test('is the text that its words were taken from', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcdé東.,'), minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), (words) => {
        const index: Record<string, number[]> = {}
        for (const [place, each] of words.entries()) {
          index[each] = [...(index[each] ?? []), place]
        }
        expect(readAbstract(index)).toBe(words.join(' '))
      }),
    )
  })

  test('with invalid positions keeps the valid ones', () => {
    expect(readAbstract({ stones: [2_000_000_000], Walkers: [0, null], x: 'y', z: ['1'] })).toBe(
      'Walkers stones',
    )
    expect(readAbstract({})).toBeNull()
    expect(readAbstract('text')).toBeNull()
  })
})

describe('a name', () => {
  test.each([
    ['Ada Stone', 'Stone', 'Ada'],
    ['Ada Maria Stone', 'Stone', 'Ada Maria'],
    ['Ludwig van Beethoven', 'van Beethoven', 'Ludwig'],
    ['Laurens Van Der Maaten', 'Van Der Maaten', 'Laurens'],
    ['Maria de la Cruz', 'de la Cruz', 'Maria'],
    ['José da Silva', 'da Silva', 'José'],
    ['Bin Li', 'Li', 'Bin'],
    ['Van Nguyen', 'Nguyen', 'Van'],
    ['Martin Luther King Jr.', 'King Jr.', 'Martin Luther'],
    ['Stone, Ada M.', 'Stone', 'Ada M.'],
    ['  Ada \n Stone ', 'Stone', 'Ada'],
    ['Aristotle', 'Aristotle', null],
    ['石田', '石田', null],
    ['The ATLAS Collaboration', 'The ATLAS Collaboration', null],
    ['Jr.', 'Jr.', null],
  ])('%j has the family name %j and the given name %j', (name, family, given) => {
    expect(readName(name)).toEqual({ family, given })
  })

  test('of nothing is null, and of anything else no letter is lost', () => {
    expect(readName('  ')).toBeNull()
    const letters = (text: string) => [...text.replace(/[\s,]/g, '')].sort().join('')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        const name = readName(text)
        if (name === null) expect(text.trim()).toBe('')
        else expect(letters(name.family + (name.given ?? ''))).toBe(letters(text))
      }),
    )
  })
})
