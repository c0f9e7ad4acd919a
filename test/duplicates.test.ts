/** Works that are one: listed with what differs, and merged without loss. */

import { expect, test } from 'vitest'
import { findDuplicates } from '../src/literature/find-duplicates.js'
import { libraryOf, temporaryFile } from './support/library.js'
import { jsonOf, terminal } from './support/terminal.js'
import { people, work } from './support/works.js'

const PUBLISHED = work('Attention Is All You Need', {
  type: 'conference',
  authors: people('Ashish Vaswani'),
  venue: 'NeurIPS',
  year: 2017,
  doi: '10.1000/neurips',
  citationKey: 'vaswani2017',
  tags: ['attention'],
})
const PREPRINT = work('Attention is all you need.', {
  type: 'preprint',
  authors: people('A. Vaswani'),
  venue: 'arXiv',
  year: 2018,
  arxivId: '1706.03762',
  abstract: 'The dominant models …',
  citationKey: 'vaswani2018',
  tags: ['preprint'],
  references: ['doi:10.1000/cited', 'doi:10.1000/unknown'],
})
const OTHERS = [
  work('Cited', { doi: '10.1000/cited' }),
  work('Citing', { doi: '10.1000/citing', references: ['arxiv:1706.03762'] }),
  work('Overview of the track 2018', { authors: people('Ada Stone'), doi: '10.1000/2018' }),
  work('Overview of the track 2019', { authors: people('Ada Stone'), doi: '10.1000/2019' }),
  work('Ranking short documents', { authors: people('Bo Berg'), doi: '10.1000/b1' }),
  work('Rankng short documents', { authors: people('Bo Berg'), doi: '10.1000/b2', year: 2001 }),
]

async function openWithWorks(file = temporaryFile()) {
  const cairn = await libraryOf(['a note'], { file })
  await cairn.works.import([PREPRINT, PUBLISHED, ...OTHERS])
  return cairn
}

test('preprint and published version and near-equal titles are listed with what differs', async () => {
  const cairn = await openWithWorks()
  const { duplicates } = await cairn.works.duplicates()
  expect(duplicates.map(({ reason, keep, other }) => [reason, keep.title, other.title])).toEqual([
    ['preprint', PUBLISHED.title, PREPRINT.title],
    ['title', 'Ranking short documents', 'Rankng short documents'],
  ])
  expect(duplicates[0]?.differs.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['type', 'venue', 'year', 'citationKey']),
  )
})

const TITLES: readonly (readonly [one: string, other: string, areOne: boolean])[] = [
  ['Neural models of mountain names', 'neural models of Mountain-Names', true],
  ['Neural models of mountain names', 'Neural models for the mountain names', true],
  ['Neural models of mountain names', 'Neurl models of mountain names', true],
  ['Non-linear models of names', 'Nonlinear models of names', true],
  ['Plan, write and revise: a study', 'Plan, write and revise', true],
  ['GeoNames: a study of maps', 'GeoNames: a study of maps (extended version)', true],
  ['Neural models of names', 'Neural models of names with lattices', false],
  ['From English to German names', 'From English to French names', false],
  ['Supervised learning of names', 'Unsupervised learning of names', false],
  ['Tables and BERT embeddings', 'Tables and BART embeddings', false],
  ['From German names to English maps', 'From English names to German maps', false],
  ['Foundations of path theory, part I', 'Foundations of path theory, part II', false],
  ['A corpus of Danish dialects', 'A corpus of Finnish dialects', false],
  ['Ranking passages: a survey', 'Ranking passages: a replication', false],
]

test.each(TITLES)('"%s" and "%s" by one author are one work: %s', (one, other, areOne) => {
  const works = [one, other].map((title, i) =>
    work(title, { authors: people('Ada Stone'), doi: `10.1000/${i}`, year: 2018 + i }),
  )
  expect(findDuplicates(works)).toHaveLength(areOne ? 1 : 0)
  const [first, second] = works
  const nameless = [...(first ? [{ ...first, authors: [] }] : []), ...(second ? [second] : [])]
  expect(findDuplicates(nameless)).toHaveLength(areOne ? 1 : 0)
  expect(findDuplicates(nameless.toReversed())).toHaveLength(areOne ? 1 : 0)
})

test('a title of one word is that of many works', () => {
  const preface = (year: number, venue: string) =>
    work('Preface', { authors: people('Ada Stone'), year, venue, doi: `10.1000/${year}${venue}` })
  expect(findDuplicates([preface(2018, 'A'), preface(2019, 'A'), preface(2018, 'B')])).toEqual([])
  expect(findDuplicates([preface(2018, 'A'), preface(2018, 'a')])).toHaveLength(1)
})

test('a merge loses nothing', async () => {
  const file = temporaryFile()
  const cairn = await openWithWorks(file)
  const note = (await cairn.list({ kinds: ['memory'] })).records[0]?.id ?? ''
  await cairn.links.add({ from: note, to: 'vaswani2018', note: 'read it' })
  const double = (await cairn.get(['vaswani2018'])).records[0]
  const json = jsonOf(terminal(file))
  const merged = await json('works', 'merge', 'vaswani2017', 'arXiv:1706.03762')
  expect(merged).toMatchObject({ merged: double?.id, conflicts: expect.any(Array) })
  const kept = await cairn.works.get('vaswani2017')
  for (const name of ['1706.03762', 'vaswani2018', '10.1000/neurips']) {
    expect((await cairn.works.get(name))?.record.id, name).toBe(kept?.record.id)
  }
  expect(kept?.work).toMatchObject({
    ...PUBLISHED,
    arxivId: '1706.03762',
    abstract: PREPRINT.abstract,
    tags: ['attention', 'preprint'],
    references: PREPRINT.references,
  })
  const citations = await cairn.works.citations('vaswani2017')
  expect(citations.references.map(({ title }) => title)).toEqual(['Cited'])
  expect(citations.citedBy.map(({ title }) => title)).toEqual(['Citing'])
  expect((await cairn.links.of('vaswani2017')).links).toContainEqual(
    expect.objectContaining({ note: 'read it', direction: 'in' }),
  )
  expect((await cairn.search('attention is all you need')).hits[0]?.id).toBe(kept?.record.id)
  const old = (await cairn.get([double?.id ?? ''])).records[0]
  expect(old).toMatchObject({ title: PREPRINT.title, work: double?.work })
  expect(old?.supersededAt).not.toBeNull()
  // Both files come in again, and nothing is doubled.
  const again = await cairn.works.import([PREPRINT, PUBLISHED])
  expect(again.outcomes.map(({ id }) => id)).toEqual([kept?.record.id, kept?.record.id])
  expect((await cairn.works.duplicates()).duplicates).toHaveLength(1)
  await cairn.undo(kept?.record.id ?? '')
  expect((await cairn.works.get('vaswani2017'))?.work.abstract).toBeNull()
})

test('what cannot be merged says why', async () => {
  const cairn = await openWithWorks()
  await expect(cairn.works.merge('vaswani2017', 'vaswani2017')).rejects.toThrow('with itself')
  await cairn.works.import([work('Far', { doi: '10.1000/far' })], { namespace: 'far' })
  await expect(cairn.works.merge('vaswani2017', '10.1000/far')).rejects.toThrow('two namespaces')
  await expect(cairn.works.merge('vaswani2017', 'nothing')).rejects.toThrow('No work is known')
})
