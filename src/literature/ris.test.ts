/** RIS is read as programs and publishers write it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readWorks } from './works.fixture.js'

const FIXTURE = join(import.meta.dirname, '../../test/fixtures/citations/library.ris')

describe('a RIS file', async () => {
  const text = readFileSync(FIXTURE, 'utf8')
  const { works, skipped } = readWorks('ris', text)

  test('a record ends with ER or at the next record', () => {
    expect(works.map(({ line, work }) => [line, work.type, work.title])).toEqual([
      [4, 'article', 'Greetings from the wall'],
      [32, 'chapter', 'A chapter'],
      [38, 'thesis', 'A thesis without an end'],
    ])
  })

  test('a record with nothing to find it by is skipped', () => {
    expect(skipped).toEqual([
      { name: 'TY GEN', line: 44, reason: 'It has no title, author, DOI or link.' },
    ])
  })

  test('every tag finds its place', () => {
    expect(works[0]?.work).toMatchObject({
      citationKey: 'Mueller2019',
      authors: [
        { family: 'Müller', given: 'Jörg' },
        { family: 'Fontaine', given: 'Jean, Jr.' },
        { family: 'Guild of Wall Builders', given: null },
      ],
      editors: [{ family: 'Reed', given: 'Lou' }],
      venue: 'Journal of Garden Walls',
      year: 2019,
      published: '2019-07-28',
      volume: '12',
      issue: '3',
      pages: '101-118',
      issn: '1234-5679',
      isbn: null,
      publisher: 'Stone Press',
      place: 'Hill',
      tags: ['dry stone', 'frost, and its damage'],
      doi: '10.5555/wall_19',
      url: 'http://walls.example/a',
      language: 'en',
      note: 'Lent to Ann.',
    })
  })

  test('an abstract keeps its lines, also one that resembles a tag', () => {
    expect(works[0]?.work.abstract).toBe(
      'Walls move.\nAI - based masons do not.\n\nThey move slowly.',
    )
  })

  test('books, theses and preprints have their own places', () => {
    expect(works[1]?.work).toMatchObject({ venue: 'The book of gates', isbn: '978-3-16-148410-0' })
    expect(works[2]?.work).toMatchObject({
      institution: 'University of Hill',
      publisher: null,
      arxivId: '1904.00001',
      published: '2004-05',
    })
  })

  test('line ends of Windows and a byte order mark change nothing', async () => {
    expect(readWorks('ris', `\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual({ works, skipped })
  })
})
