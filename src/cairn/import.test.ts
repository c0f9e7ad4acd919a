/** Imports of folders: what is created, changed, deleted and left alone, and how a run is watched and ended. */

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixture, linksOf, titled, vault } from '../../test/support/import.js'
import { libraryOf, temporaryFile, temporaryFolder } from '../../test/support/library.js'
import { type ImportProgress, openCairn } from '../index.js'

describe('a folder of notes', () => {
  test('is imported with tags and links, reports skipped files, and can be found', async () => {
    const cairn = await libraryOf([])
    const report = await cairn.import(fixture('vault'), { tags: ['vault'] })
    expect(report).toMatchObject({
      format: 'folder',
      formats: [{ format: 'markdown', read: 4, skipped: 2 }],
      read: 4,
      created: 4,
      updated: 0,
      unchanged: 0,
      deleted: 0,
      links: 3,
      unresolved: [{ from: 'projects/Compost.md', to: 'Worm farm' }],
      dryRun: false,
    })
    expect(report.source).toBe(`folder:${fixture('vault')}`)
    expect(report.skipped.map(({ name }) => name)).toEqual([
      'Broken front.md (front matter)',
      'Empty.md',
    ])
    const [hit] = (await cairn.search('sow beans frost')).hits
    expect(hit?.record).toMatchObject({ title: 'The garden year', kind: 'document' })
    expect(hit?.record.tags).toContain('vault')
  })

  test('wiki links, relative links and aliases become links, also to notes that come later', async () => {
    const cairn = await libraryOf([])
    await cairn.import(fixture('vault'))
    expect(await linksOf(cairn, 'The garden year')).toEqual(['RELATED_TO Compost heap'])
    expect(await linksOf(cairn, 'Compost heap')).toEqual(['RELATED_TO The garden year'])
    expect(await linksOf(cairn, 'Without heading')).toEqual(['RELATED_TO The garden year'])
  })

  test('a second run writes nothing at all', async () => {
    const { folder } = vault()
    const statements: string[] = []
    const cairn = await libraryOf([], { trace: (sql) => statements.push(sql) })
    await cairn.import(folder)
    statements.length = 0
    const report = await cairn.import(folder)
    expect(report).toMatchObject({ read: 4, unchanged: 4, created: 0, updated: 0, links: 0 })
    expect(
      statements.filter((sql) => /^\s*(insert|update|delete|replace|begin)/i.test(sql)),
    ).toEqual([])
  })

  test('a changed note is an edit of the same record, with its past', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const before = await titled(cairn, 'Compost heap')
    write('projects/Compost.md', '# Compost heap\n\nTurn it every week now. [[Without heading]]\n')
    expect(await cairn.import(folder)).toMatchObject({
      updated: 1,
      unchanged: 3,
      created: 0,
      links: 1,
    })
    const after = await titled(cairn, 'Compost heap')
    expect(after.id).toBe(before.id)
    expect(after.body).toContain('every week now')
    expect((await cairn.history(after.id)).revisions.map(({ body }) => body)).toEqual([before.body])
    expect(await linksOf(cairn, 'Compost heap')).toEqual(['RELATED_TO Without heading'])
    expect(
      (await cairn.search('every second week', { match: 'all', mode: 'keyword' })).hits,
    ).toEqual([])
  })

  test('a note that is gone is deleted, and restored when it comes back', async () => {
    const { folder } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const { id } = await titled(cairn, 'Compost heap')
    const away = join(temporaryFolder(), 'away.md')
    renameSync(join(folder, 'projects/Compost.md'), away)
    expect(await cairn.import(folder)).toMatchObject({ deleted: 1, unchanged: 3 })
    expect((await cairn.get([id])).missing).toEqual([id])
    expect(await linksOf(cairn, 'The garden year')).toEqual([])
    expect(await cairn.import(folder)).toMatchObject({ deleted: 0, unchanged: 3 })

    renameSync(away, join(folder, 'projects/Compost.md'))
    expect(await cairn.import(folder)).toMatchObject({
      restored: 1,
      created: 0,
      unchanged: 3,
      links: 1,
    })
    expect((await titled(cairn, 'Compost heap')).id).toBe(id)
    expect(await linksOf(cairn, 'The garden year')).toEqual(['RELATED_TO Compost heap'])
  })

  test('of two notes with the same text, the record stays until both are gone', async () => {
    const folder = join(temporaryFolder(), 'notes')
    mkdirSync(folder)
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    write('a.md', '# Same\n\nThe same words.\n')
    write('b.md', '# Same\n\nThe same words.\n')
    const cairn = await libraryOf([])
    expect(await cairn.import(folder)).toMatchObject({ created: 1, duplicates: 1 })
    write('a.md', '# Other\n\nOther words.\n')
    write('b.md', '---\ntags: [kept]\n---\n# Same\n\nThe same words.\n')
    expect(await cairn.import(folder)).toMatchObject({ created: 1, duplicates: 1 })
    rmSync(join(folder, 'b.md'))
    expect(await cairn.import(folder)).toMatchObject({ deleted: 1 })
    expect((await cairn.stats()).records.document).toBe(1)
  })

  test('a note that comes back with another text is restored with it', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const { id } = await titled(cairn, 'Compost heap')
    rmSync(join(folder, 'projects/Compost.md'))
    await cairn.import(folder)
    write('projects/Compost.md', '# Compost heap\n\nA new heap.')
    expect(await cairn.import(folder)).toMatchObject({ restored: 1 })
    expect(await titled(cairn, 'Compost heap')).toMatchObject({
      id,
      body: '# Compost heap\n\nA new heap.',
    })
  })

  test('a folder that is suddenly empty deletes nothing unless that is asked for', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    const options = { format: 'markdown' }
    await cairn.import(folder, options)
    rmSync(folder, { recursive: true })
    write('nothing.txt', 'x')
    expect(await cairn.import(folder, options)).toMatchObject({ read: 0, deleted: 0 })
    expect(await cairn.import(folder, { ...options, prune: true })).toMatchObject({ deleted: 4 })
  })

  test('a file that cannot be read this time is not taken for gone', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    write('projects/Compost.md', 'binary \u0000 now')
    const report = await cairn.import(folder)
    expect(report).toMatchObject({ deleted: 0, unchanged: 3 })
    expect(report.skipped).toContainEqual({
      name: 'projects/Compost.md',
      line: null,
      reason: 'It is not text.',
    })
    expect((await titled(cairn, 'Compost heap')).body).toContain('second week')
  })

  test('without pruning, records of missing files stay', async () => {
    const { folder } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    rmSync(join(folder, 'projects/Compost.md'))
    expect(await cairn.import(folder, { prune: false })).toMatchObject({ deleted: 0 })
    await titled(cairn, 'Compost heap')
  })

  test('a record that a person deleted stays deleted until its file changes', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const { id } = await titled(cairn, 'Compost heap')
    await cairn.delete([id])
    expect(await cairn.import(folder)).toMatchObject({ unchanged: 4, restored: 0 })
    expect((await cairn.get([id])).missing).toEqual([id])
    write('projects/Compost.md', '# Compost heap\n\nNews.')
    expect(await cairn.import(folder)).toMatchObject({ restored: 1 })
  })

  test('a purged note comes in again as a new record', async () => {
    const { folder } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    await cairn.purge([(await titled(cairn, 'Compost heap')).id])
    expect(await cairn.import(folder)).toMatchObject({ created: 1, unchanged: 3 })
  })

  test('links that a person made are neither doubled nor taken away', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    const [from, to] = [await titled(cairn, 'Without heading'), await titled(cairn, 'Compost heap')]
    await cairn.links.add({ from: from.id, to: to.id, author: 'Mara' })
    write('projects/Without heading.md', 'Now with [[Compost]] and no garden.')
    await cairn.import(folder)
    write('projects/Without heading.md', 'Now with nothing.')
    await cairn.import(folder)
    expect(await linksOf(cairn, 'Without heading')).toEqual(['RELATED_TO Compost heap'])
  })

  test('two files with the same text share a record, and each may change or go', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    write('a.md', '# Twin\n\nsame')
    write('b.md', '# Twin\n\nsame')
    expect(await cairn.import(folder)).toMatchObject({ created: 5, duplicates: 1 })
    rmSync(join(folder, 'a.md'))
    expect(await cairn.import(folder)).toMatchObject({ deleted: 0 })
    await titled(cairn, 'Twin')
    write('a.md', '# Twin\n\nsame')
    await cairn.import(folder)
    write('a.md', '# Twin, changed\n\nother')
    expect(await cairn.import(folder)).toMatchObject({ created: 1 })
    expect((await titled(cairn, 'Twin')).body).toContain('same')
    rmSync(join(folder, 'b.md'))
    expect(await cairn.import(folder)).toMatchObject({ deleted: 1 })
  })

  test('a record that was there before an import is not deleted by it', async () => {
    const { folder, write } = vault()
    write('own.md', '# Own\n\nmine')
    const cairn = await libraryOf([{ body: '# Own\n\nmine', title: 'Own', kind: 'document' }])
    expect(await cairn.import(folder)).toMatchObject({ created: 4, duplicates: 1 })
    rmSync(join(folder, 'own.md'))
    expect(await cairn.import(folder)).toMatchObject({ deleted: 0 })
    await titled(cairn, 'Own')
  })

  test('other tags or another namespace touch every record once', async () => {
    const { folder } = vault()
    const cairn = await libraryOf([])
    await cairn.import(folder)
    expect(await cairn.import(folder, { namespace: 'notes', tags: 'x' })).toMatchObject({
      updated: 4,
    })
    expect(await titled(cairn, 'Compost heap')).toMatchObject({ namespace: 'notes', tags: ['x'] })
    expect(await cairn.import(folder, { namespace: 'notes', tags: 'x' })).toMatchObject({
      unchanged: 4,
    })
  })
})

describe('a dry run', () => {
  test('reports the same and changes nothing', async () => {
    const { folder, write } = vault()
    const cairn = await libraryOf([])
    expect(await cairn.import(folder, { dryRun: true })).toMatchObject({
      created: 4,
      links: 3,
      unresolved: [{ to: 'Worm farm' }],
      dryRun: true,
    })
    expect((await cairn.stats()).records.document).toBe(0)
    await cairn.import(folder)
    rmSync(join(folder, 'Garden.md'))
    write('projects/Compost.md', 'changed')
    write('new.md', 'new')
    const planned = await cairn.import(folder, { dryRun: true })
    expect(planned).toMatchObject({ created: 1, updated: 1, unchanged: 2, deleted: 1 })
    const { dryRun: _, ...done } = await cairn.import(folder)
    expect(done).toMatchObject({ created: 1, updated: 1, unchanged: 2, deleted: 1 })
  })
})

describe('while it runs', () => {
  test('progress counts items and bytes, batch by batch', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'many.jsonl')
    const lines = Array.from({ length: 250 }, (_, i) => `{"key":"k${i}","body":"note ${i}"}\n`)
    writeFileSync(file, lines.join(''))
    const seen: ImportProgress[] = []
    await cairn.import(file, { batch: 100, onProgress: (progress) => seen.push(progress) })
    const steps = new Set(seen.map(({ phase, created }) => `${phase} ${created}`))
    expect([...steps]).toEqual([
      'reading 0',
      'reading 100',
      'reading 200',
      'reading 250',
      'deleting 250',
      'linking 250',
      'done 250',
    ])
    expect(seen.at(-1)?.bytesRead).toBe(seen.at(-1)?.bytesTotal)
  })

  test('a signal ends it after a whole batch, and another run continues from there', async () => {
    const cairn = await libraryOf([])
    const file = join(temporaryFolder(), 'many.jsonl')
    const lines = Array.from({ length: 250 }, (_, i) => `{"key":"k${i}","body":"note ${i}"}\n`)
    writeFileSync(file, lines.join(''))
    const controller = new AbortController()
    const running = cairn.import(file, {
      batch: 100,
      signal: controller.signal,
      onProgress: ({ created }) => {
        if (created > 0) controller.abort()
      },
    })
    await expect(running).rejects.toThrow(/abort/i)
    expect((await cairn.stats()).records.memory).toBe(100)
    expect(await cairn.import(file)).toMatchObject({ created: 150, unchanged: 100 })
  })

  test('an option that is not there is refused by name', async () => {
    const cairn = await libraryOf([])
    const options = { formt: 'markdown' } as object
    await expect(cairn.import(fixture('vault'), options)).rejects.toThrow(
      'There is no option "formt".',
    )
  })

  test('a file written by one program is imported into by another', async () => {
    const file = temporaryFile()
    const one = await openCairn({ file })
    await one.import(fixture('vault'))
    await one.close()
    const two = await openCairn({ file })
    expect(await two.import(fixture('vault'))).toMatchObject({ unchanged: 4 })
    expect((await two.doctor()).ok).toBe(true)
    await two.close()
  })
})
