/** Notes are read with titles, tags, dates, aliases and links. */

import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { fileOf, fixture, folderOf, readAll } from './reading.fixture.js'

async function readNote(text: string) {
  const { records } = await readAll(fileOf('note.md', text))
  return records[0]!
}

test('a note has the title, tags, people, day and other names of its front matter', async () => {
  const { records } = await readAll(fixture('vault'))
  const garden = records.find(({ key }) => key === 'Garden.md')!
  expect(garden.record).toMatchObject({
    kind: 'document',
    title: 'The garden year',
    tags: ['garden', 'planning', 'vegetables/roots', 'vegetables', 'todo'],
    people: ['Mara Lind'],
    occurredAt: '2026-02-03',
    source: 'Garden.md',
    metadata: { status: 'growing', created: '2026-02-03', path: 'Garden.md' },
  })
  expect(garden.aliases).toEqual(['Garden', 'Garden.md', 'Allotment'])
})

test.each([
  ['author: Mara Lind', ['Mara Lind'], { author: 'Mara Lind' }],
  [
    'Author: { name: Mara Lind, url: x }',
    ['Mara Lind'],
    { Author: { name: 'Mara Lind', url: 'x' } },
  ],
  [
    'authors: [Ann Hill, { name: Jo Stone }]',
    ['Ann Hill', 'Jo Stone'],
    { authors: ['Ann Hill', { name: 'Jo Stone' }] },
  ],
])('"%s" names people, and can be filtered by', async (field, people, metadata) => {
  const { record } = await readNote(`---\n${field}\n---\ntext`)
  expect(record).toMatchObject({ people, metadata })
})

test('headings stay in the text, front matter does not', async () => {
  const { record } = await readNote('---\nx: 1\n---\n# One\n\ntext\n\n## Two\n')
  expect(record.body).toBe('# One\n\ntext\n\n## Two\n')
})

test('the title is that of the front matter, else the first heading, else the name of the file', async () => {
  expect((await readNote('---\ntitle: Own\n---\n# Heading\nx')).record.title).toBe('Own')
  expect((await readNote('## Second level\n# First *level*\nx')).record.title).toBe('First level')
  expect((await readNote('### Third\nx')).record.title).toBe('Third')
  expect((await readNote('plain')).record.title).toBe('note')
})

test('files come in the order of their names, and folders of tools are left alone', async () => {
  const folder = folderOf({
    'b.md': 'b',
    'a/z.md': 'az',
    '.git/x.md': 'no',
    'node_modules/y.md': 'no',
    '.hidden.md': 'no',
    'c.txt': 'no note',
  })
  const { items } = await readAll(folder, 'markdown')
  expect(items.map((item) => (item.kind === 'record' ? item.key : item))).toEqual([
    'a/z.md',
    'b.md',
  ])
})

test('links are kept as they can be resolved: by path, by name and by alias', async () => {
  const { records } = await readAll(fixture('vault'))
  const linksOf = (key: string) =>
    records.find((record) => record.key === key)!.links!.map(({ to }) => to)
  expect(linksOf('Garden.md')).toEqual(['projects/Compost', 'Allotment'])
  expect(linksOf('projects/Compost.md')).toEqual(['Garden.md', 'allotment', 'Worm farm'])
  expect(linksOf('projects/Without heading.md')).toEqual(['Garden'])
})

test('tags stand at the beginning of a word, outside of code, and are more than a number', async () => {
  const { record } = await readNote(
    'a#no (#yes) #2026 #a-b/c #ünï, `#code` [[Note#Heading]] http://x.y/#z\n\n    #indented\n#end.',
  )
  expect(record.tags).toEqual(['yes', 'a-b/c', 'a-b', 'ünï', 'indented', 'end'])
})

test('tags of the front matter may be a list or one line, with marks or without', async () => {
  expect((await readNote('---\ntags: "#one, two three"\n---\nx')).record.tags).toEqual([
    'one',
    'two',
    'three',
  ])
  expect((await readNote('---\ntag: [a b, 7]\n---\nx')).record.tags).toEqual(['a b', '7'])
})

test('a date is a day or a time; anything else stays in the metadata', async () => {
  const at = async (line: string) => (await readNote(`---\n${line}\n---\nx`)).record.occurredAt
  expect(await at('date: 2026-05-01')).toBe('2026-05-01')
  expect(await at('created: 2026-05-01T10:00:00+02:00')).toBe('2026-05-01T08:00:00.000Z')
  expect(await at('date: 2026-05-01 10:00')).toBe('2026-05-01T10:00:00.000Z')
  expect(await at('date: 7d')).toBeUndefined()
  expect(await at('date: 2026-02-31')).toBeUndefined()
})

test('front matter that cannot be read is reported, and the whole note is imported', async () => {
  const { records, skipped } = await readAll(fixture('vault'))
  const broken = records.find(({ key }) => key === 'Broken front.md')!
  expect(broken.record.body).toContain('tags: [one, two')
  const problem = skipped.find(({ name }) => name === 'Broken front.md (front matter)')
  expect(problem?.reason).toMatch(/^The front matter is not valid YAML \(line 3/)
  expect(skipped.find(({ name }) => name === 'Empty.md')?.reason).toBe('It has no text.')
})

test('the hash changes with anything that would be stored, and with nothing else', async () => {
  const hash = async (text: string) => (await readNote(text)).hash
  expect(await hash('# A\nsame')).toBe(await hash('# A\nsame'))
  expect(await hash('# A\nsame')).not.toBe(await hash('# A\nother'))
  expect(await hash('---\nx: 1\n---\na')).not.toBe(await hash('---\nx: 2\n---\na'))
  expect(await hash('---\naliases: [p]\n---\na')).not.toBe(await hash('---\naliases: [q]\n---\na'))
})

test('links to folders are not followed, and this is reported', async () => {
  const folder = folderOf({ 'a.md': 'a' })
  symlinkSync(folder, join(folder, 'loop'))
  symlinkSync(join(folder, 'gone.md'), join(folder, 'dead.md'))
  const { records, skipped } = await readAll(folder)
  expect(records).toHaveLength(1)
  expect(skipped.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
    'dead.md: It was gone before it could be read.',
    'loop/: It is a link to a folder; such links are not followed.',
  ])
})

test.each(['markdown', 'text', 'bibtex', 'mbox', 'pdf', 'claude-code', 'beir'] as const)(
  'a link to a file outside of the folder is named and not read as %s, unless asked for',
  async (format) => {
    const secret = fileOf('corpus.jsonl', '{"_id": "a", "text": "secret"}')
    const extension = { markdown: 'md', text: 'txt', bibtex: 'bib', 'claude-code': 'jsonl' }
    const ending = format in extension ? extension[format as keyof typeof extension] : format
    const name = format === 'beir' ? 'corpus.jsonl' : `z.${ending}`
    const folder = folderOf({ 'inside.md': 'inside' })
    symlinkSync(secret, join(folder, name))
    symlinkSync(join(folder, 'inside.md'), join(folder, 'same.md'))
    const outside = { kind: 'skipped', name, reason: expect.stringContaining('outside') }
    const { items } = await readAll(folder, format)
    expect(items).toContainEqual({ ...outside, line: null })
    expect(JSON.stringify(items)).not.toContain('secret')
    const asked = await readAll(folder, format, { followLinks: true })
    expect(asked.items).not.toContainEqual({ ...outside, line: null })
    if (format === 'markdown') {
      const keys = ['inside.md', 'same.md', 'z.md']
      expect(asked.records.map(({ key }) => key)).toEqual(keys)
    }
  },
)

// Root may read everything, and Windows knows no such permission.
const mayReadAll = process.getuid === undefined || process.getuid() === 0
test.skipIf(mayReadAll)('a file that may not be read stops nothing', async () => {
  const folder = folderOf({ 'a.md': 'a', 'b.md': 'b' })
  chmodSync(join(folder, 'a.md'), 0)
  const { records, skipped } = await readAll(folder)
  expect(records.map(({ key }) => key)).toEqual(['b.md'])
  expect(skipped[0]?.reason).toBe('There is no permission to read it.')
})

test('a colour is not a tag, and a nested tag is found by its parents', async () => {
  const text =
    '[above](#colours) #FFFFFF #fff #1e90ff #FF0 #0af01b80 #12 #decade #e2e #café/crème/brûlée #add'
  expect((await readNote(text)).record.tags).toEqual([
    'decade',
    'e2e',
    'café/crème/brûlée',
    'café/crème',
    'café',
    'add',
  ])
})

test('properties may hold links and other names, and embeds of documents are links', async () => {
  const note = await readNote(
    '---\nup: "[[Index]]"\nseealso:\n  - "[[A b|shown]]"\n  - plain\nraw: [[Raw]]\naliases: [N]\n---\n![[paper.pdf#page=3]] ![[pic.png]] ![[Other]]\n',
  )
  expect(note.links?.map(({ to }) => to)).toEqual(['paper.pdf', 'Other', 'Index', 'A b', 'Raw'])
  expect(note.record.metadata).toMatchObject({
    aliases: ['N'],
    seealso: ['[[A b|shown]]', 'plain'],
  })
})
