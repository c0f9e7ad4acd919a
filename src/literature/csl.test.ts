/** CSL-JSON is read item by item. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeCsl } from './csl.js'
import { makeWork, readWorks } from './works.fixture.js'

const FIXTURE = join(import.meta.dirname, '../../test/fixtures/citations/library.json')

describe('a CSL-JSON file', async () => {
  const { works, skipped } = readWorks('csl', readFileSync(FIXTURE, 'utf8'))

  test('items are works with their lines', () => {
    expect(works.map(({ line, work }) => [line, work.citationKey])).toEqual([
      [2, 'mueller2019'],
      [20, '7'],
    ])
  })

  test('a value that is not an item is skipped with its line and reason', () => {
    expect(skipped).toEqual([
      { name: '"not an item"', line: 19, reason: 'It is not an object.' },
      { name: '{ "type": "book" }', line: 27, reason: 'It has no title, author, DOI or link.' },
    ])
  })

  test('names, dates and numbers are read in each of their forms', () => {
    expect(works[0]?.work).toMatchObject({
      type: 'article',
      title: 'Walls of Parmelia & H2O',
      authors: [
        { family: 'Müller', given: 'Jörg' },
        { family: 'van der Berg', given: 'Jan, Jr.' },
        { family: 'Guild of Wall Builders', given: null },
      ],
      published: '2019-07-28',
      volume: '12',
      pages: '101-118',
      doi: '10.5555/wall_19',
      tags: ['dry stone', 'mortar'],
    })
    expect(works[1]?.work).toMatchObject({
      published: '1998-05',
      institution: 'University of Hill',
    })
  })
})

test('one item needs no list', async () => {
  const { works } = readWorks('csl', '{"type": "book", "title": "On walls"}')
  expect(works.map(({ work }) => work.title)).toEqual(['On walls'])
})

test('a list that breaks off keeps the items before', async () => {
  const { works, skipped } = readWorks('csl', '[\n{"title": "A"},\n{"title": "B')
  expect(works.map(({ work }) => work.title)).toEqual(['A'])
  expect(skipped).toEqual([{ name: '{"title": "B', line: 3, reason: 'It is not JSON.' }])
})

test('tags that another program changed are the ones that count', async () => {
  const item = { title: 'x', keyword: 'a, b', custom: { tags: ['a, b'] } }
  const tagsOf = async (text: string): Promise<unknown> =>
    readWorks('csl', text).works[0]?.work.tags
  expect(await tagsOf(JSON.stringify(item))).toEqual(['a, b'])
  expect(await tagsOf(JSON.stringify({ ...item, keyword: 'c; d' }))).toEqual(['c', 'd'])
})

test.each(['von , and {', 'Jan, Jr.', 'a, b, c', ', x', 'x ,'])(
  'the given name "%s" is read as it was written',
  async (given) => {
    const authors = [{ family: 'Berg', given }]
    const { works } = readWorks('csl', writeCsl([makeWork({ title: 'T', authors })]))
    expect(works[0]?.work.authors).toEqual(authors)
  },
)
