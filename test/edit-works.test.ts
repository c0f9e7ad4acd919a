/** Bibliographic details can be edited on every interface; history and undo cover them. */

import { expect, test } from 'vitest'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { serve } from './support/http.js'
import { libraryOf, temporaryFile } from './support/library.js'
import { jsonOf, terminal } from './support/terminal.js'
import { people, work } from './support/works.js'

const CAIRNS = work('On Cairns', {
  abstract: 'Piles of stones.',
  type: 'preprint',
  authors: people('Ada Stone'),
  venue: 'Journal of Paths',
  year: 2019,
  published: '2019-07-28',
  doi: '10.1000/cairns',
  citationKey: 'stone2019',
})

async function openWithWork(file = temporaryFile()) {
  const cairn = await libraryOf([], { file })
  await cairn.works.import([CAIRNS, work('Citing', { references: ['doi:10.1000/right'] })])
  return cairn
}

test('every detail is changed, searched, kept in the history and given back by undo', async () => {
  const cairn = await openWithWork()
  const before = await cairn.works.get('stone2019')
  await cairn.edit('stone2019', {
    title: 'On Waymarks',
    work: {
      authors: ['Berg, Bo', 'Ludwig van Beethoven', { family: 'WHO', given: null }],
      venue: 'Proceedings of Moors',
      year: 2021,
      doi: 'https://doi.org/10.1000/RIGHT',
      type: 'conference',
      abstract: 'Signs along a path.',
      pages: '1-9',
    },
  })
  const after = await cairn.works.get('10.1000/right')
  expect(after?.work).toEqual({
    ...CAIRNS,
    title: 'On Waymarks',
    authors: [
      { family: 'Berg', given: 'Bo' },
      { family: 'van Beethoven', given: 'Ludwig' },
      { family: 'WHO', given: null },
    ],
    venue: 'Proceedings of Moors',
    year: 2021,
    published: null,
    doi: '10.1000/right',
    type: 'conference',
    abstract: 'Signs along a path.',
    pages: '1-9',
  })
  expect(after?.record).toMatchObject({
    people: ['Bo Berg', 'Ludwig van Beethoven', 'WHO'],
    occurredAt: '2021-01-01T00:00:00.000Z',
  })
  const found = await cairn.search({ query: 'venue:moors year:2021', mode: 'keyword' })
  expect(found.hits.map(({ id }) => id)).toEqual([after?.record.id])
  // A citation that waited for the DOI leads to the work now.
  expect((await cairn.works.citations('stone2019')).citedBy).toHaveLength(1)
  const { revisions } = await cairn.history('stone2019')
  expect(revisions).toMatchObject([{ title: 'On Cairns', work: { year: 2019, type: 'preprint' } }])
  await cairn.undo('stone2019')
  expect((await cairn.works.get('stone2019'))?.work).toEqual(before?.work)
  expect((await cairn.works.get('stone2019'))?.record.people).toEqual(['Ada Stone'])
})

test('the command line, HTTP and MCP', async () => {
  const file = temporaryFile()
  const cairn = await openWithWork(file)
  const run = terminal(file)
  const json = jsonOf(run)
  expect(
    await json('edit', 'stone2019', '--author', 'Berg, Bo', '--year', '2020', '--venue', ''),
  ).toMatchObject({ work: { authors: people('Bo Berg'), year: 2020, venue: null } })
  const { send } = await serve([], { cairn })
  const edited = await send('/api/records/stone2019', {
    method: 'PATCH',
    body: { work: { type: 'report' } },
  })
  expect(edited.json.work).toMatchObject({ type: 'report', year: 2020 })
  await talkTo(cairn).call('update', { action: 'edit', id: 'stone2019', work: { venue: 'Moors' } })
  expect((await cairn.works.get('stone2019'))?.work.venue).toBe('Moors')
  const { out } = await run('history', 'stone2019')
  expect(out).toContain('authors: Ada Stone → Bo Berg')
  expect(out).toContain('venue: none → Moors')
  await json('undo', 'stone2019')
  expect((await cairn.works.get('stone2019'))?.work.venue).toBeNull()
})

test('what cannot be is refused in a sentence', async () => {
  const cairn = await openWithWork()
  const { id } = await cairn.add({ body: 'a note' })
  await expect(cairn.edit(id, { work: { year: 1 } })).rejects.toThrow('is not a work')
  await expect(cairn.edit('stone2019', { work: { doi: 'soon' } })).rejects.toThrow('is not a DOI')
  await cairn.works.import([work('Other', { doi: '10.1000/other' })])
  await expect(cairn.edit('stone2019', { work: { doi: '10.1000/other' } })).rejects.toThrow(
    'has the identifier',
  )
  const both = { body: 'x', work: { abstract: 'y' } }
  await expect(cairn.edit('stone2019', both)).rejects.toThrow('Both a text and an abstract')
})

test('undo of the first details of a work takes them back', async () => {
  const cairn = await libraryOf([])
  const { id } = await cairn.add({ kind: 'work', title: 'A', body: 'b', people: ['Ada Stone'] })
  await cairn.edit(id, { work: { venue: 'Moors' } })
  await cairn.undo(id)
  const found = await cairn.works.get(id)
  expect(found?.work).toMatchObject({ venue: null, authors: people('Ada Stone') })
})
