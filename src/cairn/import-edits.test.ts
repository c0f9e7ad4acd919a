/** What people did to imported records, edits and deletions, outlives the next import. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { titled } from '../../test/support/import.js'
import { libraryOf, temporaryFolder } from '../../test/support/library.js'
import { writePdf } from '../import/pdf/pdf-writer.fixture.js'

async function imported() {
  const folder = join(temporaryFolder(), 'notes')
  mkdirSync(folder)
  const write = (text: string): void =>
    writeFileSync(join(folder, 'a.md'), `# Harbour\n\n${text}\n`)
  write('First.')
  writeFileSync(
    join(folder, 'b.pdf'),
    writePdf({ pages: [[{ text: 'A page.', y: 700 }]], info: { Title: 'Page' } }),
  )
  const cairn = await libraryOf([])
  await cairn.import(folder)
  const { id } = await titled(cairn, 'Harbour')
  // An edit is told from the import by its time.
  await new Promise((resolve) => setTimeout(resolve, 5))
  return { folder, write, cairn, id }
}

test('a field that was edited by hand stays while others follow the file, again and again', async () => {
  const { folder, write, cairn, id } = await imported()
  await cairn.edit(id, { tags: ['mine'] })
  for (const text of ['Second.', 'Third.']) {
    write(text)
    expect(await cairn.import(folder)).toMatchObject({ updated: 1, conflicts: [], unchanged: 1 })
    const record = await titled(cairn, 'Harbour')
    expect(record).toMatchObject({ id, tags: ['mine'], body: `# Harbour\n\n${text}\n` })
  }
  expect((await cairn.search('third', { mode: 'keyword' })).hits).toHaveLength(1)
  expect((await cairn.doctor()).ok).toBe(true)
})

test('a text that was edited by hand is not overwritten, and every such conflict is reported', async () => {
  const { folder, write, cairn, id } = await imported()
  await cairn.edit(id, { body: 'My own words.' })
  expect(await cairn.import(folder)).toMatchObject({ unchanged: 2, conflicts: [] })
  for (const text of ['Second.', 'Third.']) {
    write(text)
    const incoming = `# Harbour\n\n${text}\n`
    expect(await cairn.import(folder)).toMatchObject({
      conflictCount: 1,
      conflicts: [{ name: 'a.md', id, field: 'body', stored: 'My own words.', incoming }],
    })
    expect((await titled(cairn, 'Harbour')).body).toBe('My own words.')
    expect(await cairn.import(folder)).toMatchObject({ unchanged: 2, conflicts: [] })
    // The text of the file is in the history.
    const { revisions } = await cairn.history(id)
    expect(revisions.map(({ body }) => body)).toContain(incoming)
  }
  const [hit] = (await cairn.search('own words', { mode: 'semantic' })).hits
  expect(hit?.id).toBe(id)
  expect((await cairn.search('third', { mode: 'keyword' })).hits).toEqual([])
  expect((await cairn.doctor()).ok).toBe(true)
})

test('a record that was deleted here is restored only with `again`', async () => {
  const { folder, cairn, id } = await imported()
  const page = await titled(cairn, 'Page')
  await cairn.delete([id, page.id])
  expect(await cairn.import(folder)).toMatchObject({ unchanged: 2, restored: 0 })
  expect(await cairn.import(folder, { again: true, dryRun: true })).toMatchObject({ restored: 2 })
  expect(await cairn.import(folder, { again: true })).toMatchObject({ restored: 2, created: 0 })
  expect((await cairn.get([id, page.id])).missing).toEqual([])
  expect(await cairn.import(folder, { again: true })).toMatchObject({ unchanged: 2, restored: 0 })
})
