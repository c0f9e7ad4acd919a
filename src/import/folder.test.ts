/** A folder is a mixture: each file is read by what it is, and the rest is named. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { libraryOf, temporaryFolder } from '../../test/support/library.js'
import type { Cairn, ImportReport } from '../index.js'
import { writePdf } from './pdf/pdf-writer.fixture.js'
import { fixture } from './reading.fixture.js'

function folderOf(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = join(temporaryFolder(), 'mixture')
  const write = (name: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
  return { folder, write, remove: (name: string) => rmSync(join(folder, name)) }
}

const PDF = writePdf({ pages: [[{ text: 'The harbour has a crane.', y: 700 }]] })
const MIXTURE = {
  'Note.md': '# Note\n\nThe ferry leaves at nine.\n',
  'sub/crane.pdf': PDF,
  'refs.bib': '@article{stone, title={Stones}, doi={10.5555/a}}\n',
  'log.txt': 'The pump runs since Monday.',
  'mail/one.eml': 'From: Ana <ana@example.org>\nMessage-ID: <1@x>\nSubject: Oars\n\nBring oars.\n',
  'a/chat.json': '[{"role":"user","content":"Where is the key?"}]',
  'b/chat.json': '[{"role":"user","content":"Under the stone."}]',
  'one.jsonl': '{"key":"k","body":"One."}\n{"key":"l","body":"Two.","links":["k"]}\n',
  'two.jsonl': '{"key":"k","body":"Another one."}\n',
  'conversations.json': readFileSync(fixture('chatgpt.json')),
  'picture.png': new Uint8Array([137, 80, 78, 71, 0, 1]),
  'settings.json': '{"theme":"dark"}',
  'void.md': '',
}

const readCounts = ({ formats }: ImportReport): Record<string, number> =>
  Object.fromEntries(formats.map(({ format, read }) => [format, read]))

test('every file is read in its own format, and skipped files are reported with their reason', async () => {
  const { folder } = folderOf(MIXTURE)
  const cairn = await libraryOf([])
  const report = await cairn.import(folder)
  expect(report.format).toBe('folder')
  const { chatgpt, ...counts } = readCounts(report)
  expect(chatgpt).toBeGreaterThan(2)
  expect(counts).toEqual({ markdown: 1, pdf: 1, bibtex: 1, text: 1, mbox: 1, chat: 2, jsonl: 3 })
  expect(report.works).toMatchObject({ created: 1 })
  expect(report.links).toBe(1)
  const reasons = new Map(report.skipped.map(({ name, reason }) => [name, reason]))
  expect(reasons.get('picture.png')).toBe('.png files cannot be imported.')
  expect(reasons.get('settings.json')).toContain('No format fits this .json file')
  expect(reasons.get('void.md')).toBe('It is empty.')
  const [hit] = (await cairn.search('crane')).hits
  expect(hit?.record.metadata).toMatchObject({ path: 'sub/crane.pdf' })
})

test('code in a page or a note does not make it a bibliography', async () => {
  const { folder } = folderOf({
    'page.html':
      '<html><style>\n@media (max-width: 9em) { p { margin: 0 } }\n</style><p>Oars.</p></html>',
    'guide.mdx': '# Guide\n\n```ts\n@Component({ selector: "app" })\n```\n',
  })
  const report = await (await libraryOf([])).import(folder)
  expect(readCounts(report)).toEqual({ html: 1, markdown: 1 })
})

test('a second import changes nothing, whatever the formats', async () => {
  const { folder } = folderOf(MIXTURE)
  const statements: string[] = []
  const cairn = await libraryOf([], { trace: (sql) => statements.push(sql) })
  const first = await cairn.import(folder)
  statements.length = 0
  const second = await cairn.import(folder)
  expect(second).toMatchObject({ created: 0, updated: 0, restored: 0, deleted: 0, links: 0 })
  expect(second.unchanged).toBe(first.read)
  expect(readCounts(second)).toEqual(readCounts(first))
  expect(statements.filter((sql) => /^\s*(insert|update (?!sessions)|delete)/i.test(sql))).toEqual(
    [],
  )
})

test('a note or a PDF that is gone is deleted; entries from inside a file stay unless `prune` is set', async () => {
  const { folder, remove } = folderOf(MIXTURE)
  const cairn = await libraryOf([])
  await cairn.import(folder)
  for (const name of ['Note.md', 'sub/crane.pdf', 'one.jsonl']) remove(name)
  expect(await cairn.import(folder)).toMatchObject({ deleted: 2 })
  expect(await cairn.import(folder, { prune: true })).toMatchObject({ deleted: 2 })
  expect((await cairn.search('ferry', { mode: 'keyword' })).hits).toEqual([])
})

const titles = async (cairn: Cairn): Promise<(string | null)[]> =>
  (await cairn.list({ limit: 100 })).records.map(({ title }) => title).sort()

test('.gitignore, .cairnignore, include and exclude leave files out, and delete nothing', async () => {
  const { folder, write } = folderOf({
    'a.md': '# A',
    'draft.md': '# Draft',
    'build/out.md': '# Out',
    'deep/.gitignore': '!keep.log.md\n',
    'deep/keep.log.md': '# Kept log',
    'deep/x.log.md': '# Log',
    'private/p.md': '# Private',
    'c.txt': 'Some text.',
  })
  const cairn = await libraryOf([])
  await cairn.import(folder)
  expect(await titles(cairn)).toHaveLength(7)
  write('.gitignore', '# generated\nbuild/\n*.log.md\n')
  write('.cairnignore', '/private\n')
  const ignored = await cairn.import(folder)
  expect(ignored).toMatchObject({ unchanged: 4, deleted: 0, skippedCount: 0 })
  expect(ignored.ignored).toEqual({ '.gitignore': 2, '.cairnignore': 1 })

  const fresh = await libraryOf([])
  const some = await fresh.import(folder, { include: ['*.md'], exclude: ['draft*'] })
  expect(await titles(fresh)).toEqual(['A', 'Kept log'])
  expect(some.ignored).toMatchObject({ '--include': 1, '--exclude': 1 })
})

test('watching a folder follows files of every format', async () => {
  const { folder, write } = folderOf({ 'a.md': '# A\n\nFirst.' })
  const cairn = await libraryOf([])
  const reports: ImportReport[] = []
  const watch = await cairn.watch(folder, { debounceMs: 30, onReport: (one) => reports.push(one) })
  onTestFinished(() => watch.stop())
  write('refs.bib', MIXTURE['refs.bib'])
  write('b.txt', 'A text that came later.')
  await expect.poll(() => titles(cairn), { timeout: 10_000 }).toEqual(['A', 'Stones', 'b'])
  expect(new Set(reports.map(({ source }) => source))).toEqual(new Set([`folder:${folder}`]))
})
