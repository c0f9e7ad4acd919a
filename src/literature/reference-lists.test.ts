/** References, keys, lists and tables are plain and safe text. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writeBibtex } from './bibtex/bibtex.js'
import { formatReference, writeCsv, writeMarkdown } from './reference-lists.js'
import { printName, publishedAtMs } from './work-fields.js'
import { anyWorks, makeWork, NO_WORK } from './works.fixture.js'
import { assignKeys } from './works-file.js'

const attention = makeWork({
  type: 'article',
  title: 'Attention is all you need',
  authors: [
    { family: 'Vaswani', given: 'Ashish' },
    { family: 'van der Berg', given: 'Jean-Paul M.' },
    { family: 'King', given: 'Martin, Jr.' },
  ],
  venue: 'Advances',
  year: 2017,
  published: '2017',
  volume: '30',
  issue: '2',
  pages: '5998-6008',
  doi: '10.5555/a_b',
})

describe('a reference', () => {
  test('has people, year, title, place and link', () => {
    expect(formatReference(attention)).toBe(
      'Vaswani, A., van der Berg, J.-P. M., & King, M., Jr. (2017). Attention is all you need. ' +
        'Advances, 30(2), 5998-6008. https://doi.org/10.5555/a_b',
    )
  })

  test('many authors, and others, are shortened', () => {
    const many = Array.from({ length: 7 }, (_, i) => ({ family: `F${i}`, given: 'Al' }))
    expect(formatReference(makeWork({ title: 'T', authors: many }))).toBe(
      'F0, A., F1, A., F2, A., et al. (n.d.). T.',
    )
    const others = [many[0]!, { family: 'others', given: null }]
    expect(formatReference(makeWork({ title: 'T?', authors: others }))).toBe(
      'F0, A., et al. (n.d.). T?',
    )
  })

  test('editors stand in for authors, and a group keeps its name', () => {
    const editors = [{ family: 'Guild of Wall Builders', given: null }]
    expect(formatReference(makeWork({ title: 'T', editors, year: 1998 }))).toBe(
      'Guild of Wall Builders (Ed.) (1998). T.',
    )
  })

  test('is sane with everything missing', () => {
    expect(formatReference(NO_WORK)).toBe('[untitled]. (n.d.).')
  })

  test('of any work is one line', () => {
    fc.assert(
      fc.property(anyWorks, (works) => {
        for (const work of works) expect(formatReference(work)).not.toMatch(/\n|null|undefined/)
      }),
      { numRuns: 50 },
    )
  })
})

describe('keys', () => {
  test('are made of author, year and word if the work has none', () => {
    expect(assignKeys([{ ...attention, title: 'The Über-Wall' }])).toEqual(['vaswani2017uber'])
    expect(assignKeys([NO_WORK])).toEqual(['work'])
  })

  test('that occur twice get a letter, and lose characters that BibTeX cannot read', () => {
    const keyed = ['a', 'A', 'a', 'x, {y}'].map((citationKey) => ({ ...attention, citationKey }))
    expect(assignKeys(keyed)).toEqual(['a', 'Aa', 'ab', 'xy'])
  })

  test('are never the same twice', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'A', 'aa', 'ab', 'b', '', ','), { maxLength: 60 }),
        (keys) => {
          const made = assignKeys(keys.map((citationKey) => ({ ...NO_WORK, citationKey })))
          expect(new Set(made.map((key) => key.toLowerCase())).size).toBe(keys.length)
        },
      ),
    )
  })
})

test('BibTeX is written a field to a line', () => {
  expect(
    writeBibtex([
      makeWork({ title: 'A & B', type: 'preprint', published: '2019-07-28', year: 2019 }),
    ]),
  ).toBe(
    `@misc{2019b,
  title = {A \\& B},
  year = {2019},
  month = jul,
  date = {2019-07-28},
  entrysubtype = {preprint},
}
`,
  )
})

describe('a reading list', () => {
  test('has a bullet with a link for each work', () => {
    const [, bullet] = writeMarkdown([attention]).split('\n\n')
    expect(bullet).toMatch(
      /^- Vaswani, A\..* \[doi\.org\/10\.5555\/a\\_b\]\(https:\/\/doi\.org\/10\.5555\/a_b\)\n$/,
    )
  })

  test('a title cannot become markup, nor an address a script', () => {
    const list = writeMarkdown([
      makeWork({ title: '<b>*x*</b> [y](z)', url: 'javascript:alert(1)' }),
    ])
    expect(list).toContain('\\<b\\>\\*x\\*\\</b\\> \\[y\\](z)')
    expect(list).not.toContain('](javascript')
  })
})

describe('a table', () => {
  test('has a header, and quotes as RFC 4180 requires', () => {
    const [header, row] = writeCsv([
      makeWork({ ...attention, abstract: 'He said "no"\nand left' }),
    ]).split('\r\n')
    expect(header?.split(',').slice(0, 4)).toEqual(['key', 'type', 'title', 'authors'])
    expect(row).toContain('"Vaswani, Ashish; van der Berg, Jean-Paul M.; King, Martin, Jr."')
    expect(row).toContain('"He said ""no""\nand left"')
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])('%s is no formula', (title) => {
    expect(writeCsv([makeWork({ title })])).toContain(`'${title}`)
  })
})

test('a name is written as people write it', () => {
  expect(printName({ given: 'Ada', family: 'van der Berg' })).toBe('Ada van der Berg')
  expect(printName({ given: null, family: 'NASA' })).toBe('NASA')
})

test('a year of the first century is not one of the twentieth', () => {
  expect(new Date(publishedAtMs({ published: null, year: 99 }) ?? 0).getUTCFullYear()).toBe(99)
})
