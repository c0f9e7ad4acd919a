/** The shapes of real BibTeX files are read, and what is broken costs nothing else. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Work } from '../../core/work.js'
import { readWorks } from '../works.fixture.js'
import { writeBibtex } from './bibtex.js'

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/citations')
const fixture = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8')

async function readOne(text: string): Promise<Work> {
  const { works, skipped } = readWorks('bibtex', text)
  expect(skipped).toEqual([])
  expect(works.length).toBe(1)
  return works[0]!.work
}

describe('a library as people keep them', async () => {
  const { works, skipped } = readWorks('bibtex', fixture('library.bib'))
  const work = (key: string): Work => works.find((read) => read.work.citationKey === key)!.work

  test('every entry is a work; macros, comments and preambles are not', () => {
    expect(skipped).toEqual([])
    const keys = 'Mueller2019 child lichen scholar thesis1 howto parent'
    expect(works.map((read) => read.work.citationKey).join(' ')).toBe(keys)
    expect(works.map(({ line }) => line).slice(0, 2)).toEqual([7, 25])
  })

  test('LaTeX becomes the text a reader sees', () => {
    const { title, abstract } = work('Mueller2019')
    expect(title).toBe('Grüße aus Ørsted: café walls & α-mortar in 50% of çašes')
    expect(abstract).toBe('Walls move.\n\nThey move slowly – and “quietly”.')
    expect(work('howto').note).toBe('Costs $5 and $6')
  })

  test('names are read in every form', () => {
    expect(work('Mueller2019').authors).toEqual([
      { family: 'Müller', given: 'Jörg' },
      { family: 'van den Berg', given: 'Ludwig' },
      { family: 'de la Fontaine', given: 'Jean, Jr.' },
      { family: 'Guild of Wall Builders', given: null },
      { family: 'others', given: null },
    ])
    expect(work('lichen').authors).toEqual([{ family: 'van der Berg', given: 'Jan' }])
  })

  test('macros, numbers, tags and addresses are resolved', () => {
    expect(work('Mueller2019')).toMatchObject({
      type: 'article',
      venue: 'Journal of Garden Walls, Series B',
      published: '2019-07',
      volume: '12',
      issue: '3',
      pages: '101-118',
      doi: '10.5555/wall_19',
      url: 'http://walls.example/~joerg/a_b%20c?x=1&y=2#top',
      tags: ['dry stone', 'mortar', 'frost damage'],
    })
    expect(work('howto').url).toBe('https://stones.example/lay')
  })

  test('an entry inherits missing fields from its book, even if the book comes later', () => {
    expect(work('child')).toMatchObject({
      type: 'conference',
      title: 'A "quoted" wall',
      venue: 'Proceedings of the Third Wall Days',
      editors: [{ family: 'Reed', given: 'Lou' }],
      year: 2010,
      publisher: 'Stone Press',
      place: 'Hill',
    })
  })

  test('biblatex fields are read like those of BibTeX', () => {
    expect(work('lichen')).toMatchObject({
      type: 'webpage',
      title: 'Lichen: A slow guest',
      published: '2020-02-29',
      arxivId: '2002.12345',
      language: 'english',
    })
  })

  test('an article in arXiv is a preprint with its number', () => {
    expect(work('scholar')).toMatchObject({ type: 'preprint', arxivId: '1904.00001' })
  })

  test('an entry in round brackets may hold round brackets', () => {
    const { title, institution, year } = work('thesis1')
    expect([title, institution, year]).toEqual([
      'Gates (and how they fall)',
      'University of Hill',
      1998,
    ])
  })

  test('line ends of Windows and a byte order mark change nothing', async () => {
    const windows = `\uFEFF${fixture('library.bib').replaceAll('\n', '\r\n')}`
    expect(readWorks('bibtex', windows)).toEqual({ works, skipped })
  })
})

describe('a broken file', async () => {
  const { works, skipped } = readWorks('bibtex', fixture('broken.bib'))

  test('broken entries are reported with line and reason', () => {
    expect(skipped).toEqual([
      { name: 'unclosed', line: 3, reason: 'Its braces are not closed.' },
      { name: 'early', line: 8, reason: 'Its braces are closed before its last field.' },
      { name: 'noise', line: 16, reason: 'It cannot be read at "??".' },
      { name: 'empty', line: 17, reason: 'It has no title, author, DOI or link.' },
      { name: 'last', line: 18, reason: 'Its braces are not closed.' },
    ])
  })

  test('everything else is read, also after it', () => {
    expect(works.map(({ work, line }) => [line, work.citationKey, work.title])).toEqual([
      [1, 'good1', 'First'],
      [7, 'good2', 'Second'],
      [10, 'comma', 'No comma after the key'],
      [14, null, 'No key'],
      [15, 'good1', 'The same key again'],
    ])
  })

  test('commas that are missing or too many cost no field', () => {
    expect(works[2]?.work).toMatchObject({
      year: 2005,
      authors: [{ family: 'Lee', given: 'Ann' }],
      volume: null,
      issue: '4',
    })
  })

  test('a field after the end is reported and not lost', async () => {
    const read = readWorks('bibtex', '@misc{a, title = {x}}, year = {2000}\n}')
    expect(read).toEqual({
      works: [],
      skipped: [{ name: 'a', line: 1, reason: 'Its braces are closed before its last field.' }],
    })
  })
})

describe('one entry', () => {
  test.each([
    ['year = {2019}, month = {July 28}', '2019-07-28'],
    ['year = 2019, month = "28~" # jul', '2019-07-28'],
    ['year = {2019a}', '2019'],
    ['year = {2019-07-28}', '2019-07-28'],
    ['year = 2019, month = 7, day = 28', '2019-07-28'],
    ['year = {c. 1850}', '1850'],
    ['year = 2019, month = 13', '2019'],
    ['date = {2019/2020}', '2019'],
    ['date = {2019-07-28T10:00}', '2019-07-28'],
    ['year = {in press}', null],
  ])('%s was published %s', async (fields, published) => {
    expect((await readOne(`@misc{k, title = {x}, ${fields}}`)).published).toBe(published)
  })

  test.each([
    ['Donald E. Knuth', 'Knuth', 'Donald E.'],
    [
      "Charles Louis Xavier Joseph de la Vall{\\'e}e Poussin",
      'de la Vallée Poussin',
      'Charles Louis Xavier Joseph',
    ],
    ['{\\"O}zt{\\"u}rk, {\\.I}lker', 'Öztürk', 'İlker'],
    ['Jean {de La} Roche', 'Roche', 'Jean de La'],
    ["Ren\\'e~Descartes", 'Descartes', 'René'],
    ['bell hooks', 'hooks', 'bell'],
    ['Plato', 'Plato', null],
    ['{Barnes and Noble, Inc.}', 'Barnes and Noble, Inc.', null],
  ])('%s has the family name %s', async (source, family, given) => {
    const { authors } = await readOne(`@misc{k, title = {x}, author = {${source}}}`)
    expect(authors).toEqual([{ family, given }])
  })

  test('entries that refer to each other come to an end', async () => {
    const text = '@book{a, title={A}, crossref={b}}\n@book{b, title={B}, crossref={a}, year=2000}'
    const { works } = readWorks('bibtex', text)
    expect(works.map(({ work }) => work.year)).toEqual([2000, 2000])
  })

  test('an arXiv id is found in all usual fields', async () => {
    const places = [
      'eprint = {1706.03762v5}, archiveprefix = {arXiv}',
      'journal = {CoRR}, volume = {abs/1706.03762}',
      'url = {https://arxiv.org/abs/1706.03762}',
      'doi = {10.48550/arXiv.1706.03762}',
      'arxivId = {1706.03762}',
    ]
    for (const place of places) {
      expect((await readOne(`@misc{k, title={x}, ${place}}`)).arxivId).toBe('1706.03762')
    }
  })

  test('an eprint of another archive is no number of arXiv', async () => {
    const { arxivId } = await readOne('@misc{k, title={x}, eprint={1234.5678}, eprinttype={hdl}}')
    expect(arxivId).toBeNull()
  })

  test('a space before the comma of a given name survives writing and reading', async () => {
    const work = await readOne('@misc{k, title = {x}, author = {Stone, {Ada , Jr.}}}')
    expect(work.authors).toEqual([{ family: 'Stone', given: 'Ada , Jr.' }])
    expect((await readOne(writeBibtex([work]))).authors).toEqual(work.authors)
  })

  test('a macro that nobody defined stands for its own name', async () => {
    expect((await readOne('@misc{k, title = {x}, journal = cacm}')).venue).toBe('cacm')
  })

  test('braces nested by the thousand are skipped or read, and never thrown', async () => {
    const deep = `@misc{k, title = ${'{'.repeat(20_000)}x${'}'.repeat(20_000)}}\n@misc{b, title={y}}`
    const { works, skipped } = readWorks('bibtex', deep)
    expect(works.length + skipped.length).toBe(2)
    expect(works.at(-1)?.work.title).toBe('y')
  })
})
