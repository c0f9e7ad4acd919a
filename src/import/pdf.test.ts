/** PDFs become documents with pages, or reasons. */

import { expect, test } from 'vitest'
import { paragraphs, writePdf } from './pdf/pdf-writer.fixture.js'
import { folderOf, readAll } from './reading.fixture.js'

const paper = writePdf({
  pages: [
    paragraphs(['Tides and moons', '', 'The moon raises the sea. doi:10.1000/tides']),
    paragraphs(['The second page is about the sun.']),
  ],
  info: { Title: 'Tides and moons', Author: 'Mara Lind' },
})

test('a PDF is a document with its title, authors and identifiers, and the page of every character', async () => {
  const { items, records } = await readAll(folderOf({ 'sub/tides.pdf': paper }))
  expect(items).toMatchObject([{ format: 'pdf' }])
  const { key, record } = records[0]!
  expect(key).toBe('sub/tides.pdf')
  expect(record).toMatchObject({
    kind: 'document',
    title: 'Tides and moons',
    people: ['Mara Lind'],
    metadata: { doi: '10.1000/tides', path: 'sub/tides.pdf' },
  })
  const pages = record.metadata?.pages as { page: number; start: number; end: number }[]
  expect(pages.map(({ page }) => page)).toEqual([1, 2])
  expect(record.body.slice(pages[1]?.start, pages[1]?.end)).toContain('about the sun')
})

test.each([
  [
    'in larger letters',
    [
      { text: 'On Cairns', y: 700, size: 18 },
      { text: 'Ada Stone and Ben Hill', y: 680, size: 12 },
      ...paragraphs(['We study cairns.', 'They mark the path.', 'They are old.'], 12, 640),
    ],
    { Title: 'Microsoft Word - draft7.doc', Author: 'Administrator' },
  ],
  [
    'in a line of its own',
    paragraphs(['On Cairns', 'Ada Stone, Ben Hill', '', 'We study cairns.']),
    {},
  ],
])(
  'title and authors %s are read from the first page, not from the name of the file',
  async (_, page, info) => {
    const { records } = await readAll(folderOf({ 'draft7.pdf': writePdf({ pages: [page], info }) }))
    expect(records[0]?.record).toMatchObject({
      title: 'On Cairns',
      people: ['Ada Stone', 'Ben Hill'],
    })
  },
)

test('a PDF without text, or none at all, is named with its reason', async () => {
  const scanned = writePdf({ pages: [[], []], isScanned: true })
  const folder = folderOf({ 'a.pdf': paper, 'b.pdf': scanned, 'c.pdf': 'no pdf' })
  const { records, skipped } = await readAll(folder)
  expect(records).toHaveLength(1)
  expect(skipped.map(({ name, reason }) => [name, reason])).toEqual([
    ['b.pdf', expect.stringContaining('without text')],
    ['c.pdf', 'The file c.pdf is not a PDF.'],
  ])
})

test('a PDF that is stored already is not read again', async () => {
  const { items } = await readAll(folderOf({ 'a.pdf': paper }), 'pdf', {
    isKnown: async () => true,
  })
  expect(items).toMatchObject([{ kind: 'unchanged', key: 'a.pdf' }])
})
