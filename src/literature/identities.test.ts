/** What differs in writing alone is one work, and what differs in substance is two. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  foldText,
  listIdentities,
  listKeys,
  makeTitleKey,
  tidyReference,
  tidyWork,
} from './identities.js'
import { anyWork, makeWork } from './works.fixture.js'

const stone = [{ family: 'Stone', given: 'Ada' }]
const keyOf = (title: string) => makeTitleKey({ title, year: 2019, authors: stone })

describe('the key of a title', () => {
  test.each([
    ['case', 'ON CAIRNS'],
    ['punctuation', 'On “Cairns”.'],
    ['spaces and hyphens', ' on-cairns '],
    ['accents', 'Ön Caírns'],
    ['accents written apart', 'O\u0308n Cairns'],
    ['LaTeX accents', '{\\"O}n Ca{\\\'i}rns'],
    ['LaTeX formatting', '\\emph{On} {C}airns'],
    ['wide letters', 'Ｏｎ Ｃａｉｒｎｓ'],
  ])('does not depend on %s', (_, title) => {
    expect(keyOf(title)).toBe('oncairns|2019|stone')
  })

  test('letters without a base of their own are spelled out, in Unicode as in LaTeX', () => {
    expect(foldText('Straße, Ærø, Łódź')).toBe('strasseaerolodz')
    expect(foldText("Stra{\\ss}e, {\\AE}r{\\o}, {\\L}\\'od\\'z")).toBe('strasseaerolodz')
  })

  test('keeps the article and the subtitle, which distinguish works', () => {
    expect(keyOf('The Cairns')).not.toBe(keyOf('Cairns'))
    expect(keyOf('Cairns: A History')).not.toBe(keyOf('Cairns'))
  })

  test('scripts without Latin letters keep all of their letters', () => {
    expect(keyOf('石の道')).toBe('石の道|2019|stone')
    expect(keyOf('がぎ')).not.toBe(keyOf('かき'))
  })

  test('is null if the title, or year and author, are missing', () => {
    expect(makeTitleKey({ title: ' ?! ', year: 2019, authors: stone })).toBeNull()
    expect(makeTitleKey({ title: 'On Cairns', year: null, authors: [] })).toBeNull()
    expect(makeTitleKey({ title: 'On Cairns', year: null, authors: stone })).toBe('oncairns||stone')
    expect(makeTitleKey({ title: 'On Cairns', year: 2019, authors: [] })).toBe('oncairns|2019|')
  })

  test.each([
    ['García Márquez', 'marquez'],
    ['van der Berg', 'berg'],
    ['King Jr.', 'king'],
    ['Stone, III', 'stone'],
    ['Jr.', 'jr'],
  ])('of the author %j only %j counts', (family, expected) => {
    const authors = [{ family, given: null }]
    expect(makeTitleKey({ title: 'On Cairns', year: 2019, authors })).toBe(
      `oncairns|2019|${expected}`,
    )
  })

  test('folding twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text))
      }),
    )
  })
})

describe('the identities of a work', () => {
  test('come with the strongest first and the BibTeX key last', () => {
    const work = makeWork({
      doi: '10.1000/a',
      openAlexId: 'W1',
      arxivId: '1706.03762',
      citationKey: 'stone2019',
      year: 2019,
      authors: stone,
    })
    expect(listIdentities(work)).toEqual([
      'doi:10.1000/a',
      'openalex:W1',
      'arxiv:1706.03762',
      'doi:10.48550/arxiv.1706.03762',
      'title:oncairns|2019|stone',
      'key:stone2019',
    ])
  })

  test('a DOI that arXiv made is the arXiv id too', () => {
    const identities = listIdentities(makeWork({ doi: '10.48550/arxiv.1706.03762' }))
    expect(identities).toEqual(['doi:10.48550/arxiv.1706.03762', 'arxiv:1706.03762'])
  })

  test('a work about which nothing is known has none', () => {
    expect(listIdentities(makeWork({ doi: 'n/a', citationKey: ' ' }))).toEqual([])
  })

  test('are each named once, and every stored identifier is among them', () => {
    fc.assert(
      fc.property(anyWork, (work) => {
        const identities = listIdentities(work)
        expect(new Set(identities).size).toBe(identities.length)
        if (work.doi !== null) expect(identities[0]).toBe(`doi:${work.doi}`)
        if (work.openAlexId !== null) expect(identities).toContain(`openalex:${work.openAlexId}`)
        if (work.arxivId !== null) expect(identities).toContain(`arxiv:${work.arxivId}`)
      }),
    )
  })
})

describe('listKeys', () => {
  test('a title alone is a key only if there is no better one', () => {
    expect(listKeys(makeWork({ title: 'On Cairns' }))).toEqual(['title:oncairns||'])
    expect(listKeys(makeWork({ title: 'On Cairns', year: 1999 }))).toEqual(['title:oncairns|1999|'])
    expect(listKeys(makeWork({ title: 'On Cairns', doi: '10.1000/a' }))).toEqual(['doi:10.1000/a'])
  })

  test('without a title the abstract speaks, and a title of signs is one', () => {
    expect(listKeys(makeWork({ title: '', abstract: 'Stones.' }))).toEqual(['title:|||stones'])
    expect(listKeys(makeWork({ title: '∂∂' }))).toEqual(['title:∂∂||'])
    expect(listKeys(makeWork({ title: '' }))).toEqual([])
  })
})

test('identifiers are normalised, and other texts stay', () => {
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

test('tidying twice changes nothing', () => {
  fc.assert(
    fc.property(anyWork, (work) => {
      const tidy = tidyWork(work)
      expect(tidyWork(tidy)).toEqual(tidy)
    }),
  )
})
