/** Six styles and five types of works, as written down; and the rules that a table cannot show. */

import { describe, expect, test } from 'vitest'
import { golden } from '../../test/support/terminal.js'
import type { Work } from '../core/work.js'
import { STYLES as DATA, type StyleName } from './style-data.js'
import { formatReferences } from './styles.js'
import { makeWork } from './works.fixture.js'

const STYLES = Object.keys(DATA) as StyleName[]
const person = (given: string, family: string) => ({ given, family })

const WORKS: readonly Work[] = [
  makeWork({
    type: 'article',
    title: 'The anatomy of a large-scale hypertextual Web search engine',
    authors: [person('Sergey', 'Brin'), person('Lawrence', 'Page')],
    venue: 'Computer Networks and ISDN Systems',
    year: 1998,
    volume: '30',
    issue: '1-7',
    pages: '107-117',
    doi: '10.1016/s0169-7552(98)00110-x',
  }),
  makeWork({
    type: 'conference',
    title: 'Attention Is All You Need',
    authors:
      'Ashish Vaswani,Noam Shazeer,Niki Parmar,Jakob Uszkoreit,Llion Jones,Aidan N. Gomez,Łukasz Kaiser,Illia Polosukhin'
        .split(',')
        .map((name) => person(name.replace(/ \S+$/, ''), name.replace(/^.* /, ''))),
    venue: 'Advances in Neural Information Processing Systems',
    year: 2017,
    pages: '5998-6008',
    publisher: 'Curran Associates',
  }),
  makeWork({
    type: 'book',
    title: 'Introduction to Information Retrieval',
    authors: [
      person('Christopher D.', 'Manning'),
      person('Prabhakar', 'Raghavan'),
      person('Hinrich', 'Schütze'),
    ],
    year: 2008,
    edition: '2',
    publisher: 'Cambridge University Press',
    place: 'Cambridge',
  }),
  makeWork({
    type: 'chapter',
    title: 'Is BM25 enough?',
    authors: [person('Jean-Paul', 'van der Berg')],
    editors: [person('Ellen M.', 'Voorhees'), person('Donna K.', 'Harman')],
    venue: 'TREC: Experiment and Evaluation',
    year: 2005,
    pages: '287',
    publisher: 'MIT Press',
    place: 'Cambridge, MA',
  }),
  makeWork({
    type: 'thesis',
    title: 'Indexing by Meaning',
    authors: [person('Ada', 'Stone')],
    year: null,
    institution: 'Moor University',
    place: 'Leeds',
    url: 'https://example.org/thesis',
  }),
]

test('six styles × five types', () => {
  const blocks = STYLES.map((style) => {
    const references = formatReferences(WORKS, style)
    const lines = references.map(({ text, inText, work }) => `${work.type}: ${text}\n  ${inText}`)
    return `${style}\n${lines.join('\n')}\n`
  })
  golden('citation-styles.txt', blocks.join('\n'))
})

describe('each style', () => {
  test.each(STYLES)('%s formats a work with almost no fields', (style) => {
    for (const type of ['article', 'conference', 'book', 'chapter', 'thesis', 'webpage'] as const) {
      const dated = makeWork({ type, title: 'Cairns', year: 2020, doi: '10.1000/x' })
      const [one, other] = formatReferences([makeWork({ type, title: 'Cairns' }), dated], style)
      expect(one?.text).toContain('Cairns')
      expect(`${one?.text} ${other?.text}`).not.toMatch(
        /\.\.|,,|[.,]”[.,]| [.,;]|[{}|\uE000-\uE002]|\( *\)|undefined|null/,
      )
      expect(one?.inText).toMatch(/^[([].+[)\]]$/)
    }
  })

  test.each(STYLES)('%s keeps the signs of its templates in a title', (style) => {
    const title = 'On [brackets], <angles>, {braces}, _lines_ | and *stars*'
    const [one] = formatReferences([makeWork({ type: 'article', title })], style)
    expect(one?.text).toContain(title)
  })
})

test('works of the same author and year get letters', () => {
  const same = { authors: [person('Ada', 'Stone')], year: 2019 }
  const works = [makeWork({ ...same, title: 'A' }), makeWork({ ...same, title: 'B' })]
  expect(formatReferences(works, 'apa').map(({ inText }) => inText)).toEqual([
    '(Stone, 2019a)',
    '(Stone, 2019b)',
  ])
  expect(formatReferences(works, 'apa')[1]?.text).toContain('(2019b)')
})

test('italics are marked if the format has them', () => {
  const work = makeWork({ type: 'book', title: 'A *star*', year: 2019 })
  const markdown = { italics: '*', escape: (text: string) => text.replace(/\*/g, '\\*') }
  expect(formatReferences([work], 'apa', markdown)[0]?.text).toBe('*A \\*star\\**. (2019).')
})
