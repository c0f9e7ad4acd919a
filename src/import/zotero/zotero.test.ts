/** A Zotero library comes in whole: works, PDFs, notes and annotations, also while Zotero has its file open. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { libraryOf } from '../../../test/support/library.js'
import type { Cairn } from '../../index.js'
import { fileOf } from '../reading.fixture.js'
import { makeZoteroFolder } from './library.fixture.js'

/** As Zotero holds it: nobody else may read the file through SQLite. */
function runningZotero() {
  const { folder, db } = makeZoteroFolder()
  db.pragma('locking_mode = EXCLUSIVE')
  db.exec("BEGIN EXCLUSIVE; UPDATE tags SET name = 'cranes'; COMMIT")
  onTestFinished(() => void db.close())
  return { folder, db }
}

const outgoing = async (cairn: Cairn, id: string) =>
  (await cairn.links.of(id)).links
    .filter(({ direction }) => direction === 'out')
    .map(({ type, other }) => `${type} ${other?.title}`)

test('items become works with collections, tags and the text of their PDFs, and notes are linked to them', async () => {
  const { folder } = runningZotero()
  const before = readFileSync(join(folder, 'zotero.sqlite'))
  const cairn = await libraryOf([])
  const report = await cairn.import(folder)
  expect(report).toMatchObject({
    format: 'zotero',
    works: { created: 2 },
    created: 4,
    attached: 1,
    links: 2,
    unresolved: [],
  })
  expect(report.skipped.map(({ name, reason }) => [name, reason])).toEqual([
    ['storage/FILE0002/gone.pdf', 'Zotero has not downloaded this file.'],
    ['storage/SHOT0001/page.html', 'Of attachments, PDFs and e-books are read.'],
  ])
  const { records } = await cairn.list({ limit: 100 })
  const work = records.find(({ kind, title }) => kind === 'work' && title?.startsWith('Cranes'))
  expect(work?.tags.toSorted()).toEqual(['Thesis', 'Thesis/Methods', 'cranes'])
  expect(work?.work).toMatchObject({
    type: 'article',
    venue: 'Journal of Ports',
    year: 2019,
    published: '2019-07',
    doi: '10.5555/cranes',
    citationKey: 'lind2019',
    pages: '12-19',
    authors: [
      { family: 'Lind', given: 'Mara' },
      { family: 'Harbour Institute', given: null },
    ],
  })
  const thesis = records.find(({ title }) => title === 'Old walls')
  expect(thesis?.work).toMatchObject({ type: 'thesis', institution: 'University of Salt' })

  const found = (await cairn.search('built 1820', { mode: 'keyword', match: 'all' })).hits
  expect(found).toMatchObject([
    { id: work?.id, pages: { first: 1 }, identity: { path: 'storage/FILE0001/crane.pdf' } },
  ])

  const note = records.find(({ title }) => title === 'On cranes')
  expect(note?.body).toBe('# On cranes\n\nThey & their ropes.')
  expect(await outgoing(cairn, note?.id ?? '')).toEqual(['ANNOTATES Cranes of the harbour'])

  const [marked] = (await cairn.search('twelve tons', { mode: 'keyword' })).hits
  expect(marked?.record).toMatchObject({ body: 'A crane lifts twelve tons.\n\ncheck this' })
  expect(marked?.record.metadata).toMatchObject({ page: 'xii', color: '#ffd400' })
  expect(marked?.pages).toMatchObject({ first: 12, last: 12 })
  expect(readFileSync(join(folder, 'zotero.sqlite')).equals(before)).toBe(true)
})

test('a second import changes nothing, and records that are gone from Zotero are deleted except works', async () => {
  const { folder, db } = runningZotero()
  const cairn = await libraryOf([])
  await cairn.import(folder)
  const again = { created: 0, updated: 0, deleted: 0, links: 0, unchanged: 6 }
  expect(await cairn.import(folder)).toMatchObject(again)
  db.exec('INSERT INTO deletedItems (itemID) VALUES (4), (5)')
  expect(await cairn.import(folder)).toMatchObject({ deleted: 1, unchanged: 4 })
  expect((await cairn.stats()).records).toMatchObject({ work: 2, memory: 2, document: 0 })
})

test('a file that is no database of Zotero is refused with a sentence', async () => {
  const file = fileOf('zotero.sqlite', 'not a database at all')
  const cairn = await libraryOf([])
  await expect(cairn.import(join(file, '..'))).rejects.toMatchObject({
    code: 'unreadable_file',
    message: expect.stringContaining('cannot be read as the database of Zotero 6 or 7.'),
  })
})
