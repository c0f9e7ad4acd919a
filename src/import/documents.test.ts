/** Zips, documents of Word, e-books and saved pages are read for what is in them. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { writePdf } from './pdf/pdf-writer.fixture.js'
import { fileOf, fixture, folderOf, readAll } from './reading.fixture.js'
import { writeZip } from './zip-writer.fixture.js'

const WORD = writeZip({
  'word/document.xml': `<?xml version="1.0"?><w:document><w:body>
    <w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Harbour &amp; wall</w:t></w:r></w:p>
    <w:p><w:r><w:t xml:space="preserve">The wall </w:t></w:r><w:r><w:t>is old.</w:t><w:br/><w:t>Very.</w:t></w:r>
      <w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
    <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>granite</w:t></w:r></w:p>
    <mc:Fallback><w:p><w:r><w:t>twice</w:t></w:r></w:p></mc:Fallback>
  </w:body></w:document>`,
  'docProps/core.xml': `<cp:coreProperties><dc:title>On walls</dc:title><dc:creator>Mara Lind</dc:creator>
    <cp:keywords>stone, sea</cp:keywords><dcterms:created>2026-01-02T03:04:05Z</dcterms:created></cp:coreProperties>`,
})

test('a document of Word has its paragraphs, headings, title, author and day', async () => {
  const { format, records } = await readAll(fileOf('walls.docx', WORD))
  expect(format).toBe('docx')
  expect(records[0]?.record).toMatchObject({
    body: '# Harbour & wall\n\nThe wall is old.\nVery.\n\n- granite',
    title: 'On walls',
    people: ['Mara Lind'],
    tags: ['stone', 'sea'],
    occurredAt: '2026-01-02T03:04:05.000Z',
  })
})

test('an e-book has its chapters in the order in which they are read', async () => {
  const book = writeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf': `<package><metadata><dc:title>Tides</dc:title><dc:creator>Ana</dc:creator></metadata>
      <manifest><item id="b" href="two%20b.xhtml"/><item id="a" href="one.xhtml"/>
      <item id="c" href="100%.xhtml"/></manifest>
      <spine><itemref idref="a"/><itemref idref="b"/><itemref idref="c"/></spine></package>`,
    'OEBPS/one.xhtml': '<html><body><h1>One</h1><p>The moon.</p></body></html>',
    'OEBPS/100%.xhtml': '<html><body><p>The end.</p></body></html>',
    'OEBPS/two b.xhtml': '<html><body><h1>Two</h1><p>The sun.</p></body></html>',
  })
  const { format, records } = await readAll(fileOf('tides.epub', book))
  expect(format).toBe('epub')
  expect(records[0]?.record).toMatchObject({
    title: 'Tides',
    people: ['Ana'],
    body: '# One\n\nThe moon.\n\n# Two\n\nThe sun.\n\nThe end.',
  })
})

const PAGE = `<!DOCTYPE html><!-- saved from url=(0024)https://example.org/boat -->
<html><head><title>Boats &amp; oars</title><meta name="author" content="Ben"><style>p{}</style></head>
<body><nav>Home About</nav><main><h2>Rowing</h2><p>Pull <b>both</b> oars.</p><ul><li>left</li><li>right</li></ul>
<pre>a
  b</pre><script>track()</script></main><footer>Imprint</footer></body></html>`

test('a saved page is the text of the page, without menus and scripts', async () => {
  const { format, records } = await readAll(fileOf('boat.html', PAGE))
  expect(format).toBe('html')
  expect(records[0]?.record).toMatchObject({
    title: 'Boats & oars',
    body: '## Rowing\n\nPull both oars.\n\n- left\n- right\n\na\n  b',
    people: ['Ben'],
    source: 'https://example.org/boat',
    metadata: { url: 'https://example.org/boat' },
  })
})

test('files that a browser saved beside a page are left out', async () => {
  const folder = folderOf({
    'boat.html': PAGE,
    'boat_files/frame.html': PAGE,
    'my_files/a.md': '# A',
  })
  const { items } = await readAll(folder)
  expect(items.map((item) => (item.kind === 'ignored' ? item.rule : item.kind))).toEqual([
    'record',
    'a saved page',
    'record',
  ])
})

const EXPORT = {
  'conversations.json': readFileSync(fixture('chatgpt.json')),
  'chat.html': '<html><body><script>var jsonData = []</script></body></html>',
  'user.json': '{"id":"u","email":"a@example.org"}',
  'dalle/picture.png': new Uint8Array([1, 0, 3]),
}

test.each(['chatgpt', 'claude'] as const)(
  'the zip and the folder of a %s export are its conversations',
  async (format) => {
    const files = { ...EXPORT, 'conversations.json': readFileSync(fixture(`${format}.json`)) }
    const alone = await readAll(fixture(`${format}.json`))
    for (const path of [fileOf('export.zip', writeZip(files)), folderOf(files)]) {
      const { records, skipped } = await readAll(path)
      expect(records.map(({ record }) => record)).toEqual(alone.records.map(({ record }) => record))
      expect(new Set(records.map((one) => one.format))).toEqual(new Set([format]))
      expect(skipped.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['chat.html', 'dalle/picture.png', 'user.json']),
      )
    }
  },
)

test('a zip in a folder is read like a folder, and a second import changes nothing', async () => {
  const notes = {
    'A.md': '# A\n\nSee [[B]].',
    'sub/B.md': '# B\n\nHere.',
    'deep.zip': writeZip({}),
  }
  const pdf = writePdf({ pages: [[{ text: 'A page on cranes.', y: 700 }]] })
  const hurt = writeZip({ 'hurt.md': '# Hurt', 'whole.md': '# Whole' })
  // Now the first entry claims to be compressed.
  hurt[8] = 8
  hurt[hurt.indexOf('PK\u0001\u0002') + 10] = 8
  const folder = folderOf({
    'hurt.zip': hurt,
    'notes.zip': writeZip({ ...notes, 'crane.pdf': pdf }),
    'broken.zip': Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(60, 7)]),
    'boat.docx': WORD,
  })
  writeFileSync(join(folder, 'Note.md'), '# Note\n\n![[boat.docx]]')
  const cairn = await libraryOf([])
  const first = await cairn.import(folder)
  expect(first).toMatchObject({ created: 6, links: 2, unresolved: [] })
  expect(first.skipped.map(({ name, reason }) => [name, reason])).toEqual([
    ['broken.zip', 'The file broken.zip is not a whole zip.'],
    ['hurt.md', 'It is damaged in the zip.'],
    ['deep.zip', 'It is a zip in a zip.'],
  ])
  expect(await cairn.import(folder)).toMatchObject({
    created: 0,
    updated: 0,
    unchanged: 6,
    links: 0,
  })
})
