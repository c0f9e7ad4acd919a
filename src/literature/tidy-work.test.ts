import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printName, publishedAtMs, tidyReference, tidyWork } from './tidy-work.js'
import { anyWork, makeWork } from './works.fixture.js'

test('identifiers get their one form, and what is none stays', () => {
  const tidy = tidyWork(
    makeWork({
      doi: 'https://doi.org/10.1000/ABC',
      openAlexId: 'https://openalex.org/w7',
      arxivId: 'arXiv:1706.03762v5',
      citationKey: ' key ',
      published: '2019-07',
    }),
  )
  expect(tidy).toMatchObject({
    doi: '10.1000/abc',
    openAlexId: 'W7',
    arxivId: '1706.03762',
    citationKey: 'key',
    year: 2019,
  })
  expect(tidyWork(makeWork({ doi: 'see publisher' })).doi).toBe('see publisher')
  expect(tidyWork(makeWork({ doi: ' ' })).doi).toBeNull()
})

test.each([
  ['DOI:10.1000/ABC', 'doi:10.1000/abc'],
  ['https://arxiv.org/abs/1706.03762v1', 'arxiv:1706.03762'],
  ['openalex:w5', 'openalex:W5'],
  ['key: Stone2019', 'key:Stone2019'],
  ['Stone, A. (2019) On cairns', 'Stone, A. (2019) On cairns'],
])('the reference %s is %s', (given, expected) => {
  expect(tidyReference(given)).toBe(expected)
})

test('a work does not cite itself, and nothing twice', () => {
  const references = ['doi:10.1000/A', 'doi:10.1000/b', 'doi:10.1000/B', 'key:me']
  const tidy = tidyWork(makeWork({ doi: '10.1000/a', citationKey: 'me', references }))
  expect(tidy.references).toEqual(['doi:10.1000/b'])
})

test('what is tidy stays as it is', () => {
  fc.assert(
    fc.property(anyWork, (work) => {
      const tidy = tidyWork(work)
      expect(tidyWork(tidy)).toEqual(tidy)
    }),
  )
})

test('a name is written as people write it', () => {
  expect(printName({ given: 'Ada', family: 'van der Berg' })).toBe('Ada van der Berg')
  expect(printName({ given: null, family: 'NASA' })).toBe('NASA')
})

test('a year of the first century is not one of the twentieth', () => {
  expect(new Date(publishedAtMs({ published: null, year: 99 }) ?? 0).getUTCFullYear()).toBe(99)
})
