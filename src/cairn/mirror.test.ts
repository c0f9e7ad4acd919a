/** Files and records follow each other, and nothing that somebody typed is lost. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { libraryOf, temporaryFolder } from '../../test/support/library.js'
import type { Cairn, MirrorReport, RecordInput } from '../index.js'

const DAY = Date.UTC(2026, 5, 1, 12)

async function mirrored(records: readonly (string | RecordInput)[] = []) {
  const folder = join(temporaryFolder(), 'notes')
  const cairn = await libraryOf(records, { now: () => DAY, vectors: false })
  const run = () => cairn.mirror(folder)
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const names = (): string[] => readdirSync(folder).sort()
  const only = async () => {
    const { records: all } = await cairn.list({ limit: 100 })
    expect(all).toHaveLength(1)
    return all[0] as NonNullable<(typeof all)[0]>
  }
  return {
    folder,
    cairn,
    run,
    read,
    write,
    names,
    only,
    remove: (name: string) => rmSync(join(folder, name)),
  }
}

/** The changes as lines, `file created Deploy.md`. */
function listChanges({ changes }: MirrorReport): string[] {
  return changes.map(({ side, what, name }) => `${side} ${what} ${name}`)
}

describe('a mirror', () => {
  test('writes each memory as a file with its fields, and nothing else', async () => {
    const { run, read, names, cairn } = await mirrored([
      {
        title: 'Release day: Thursday?',
        body: 'We deploy on Thursdays.\n\n---\nA rule.',
        tags: ['release', 'ops team'],
        people: ['Ada'],
        metadata: { status: 'active', title: 'kept apart' },
        occurredAt: '2026-05-01T10:00:00Z',
      },
      { body: 'A document is not mirrored.', kind: 'document' },
    ])
    const report = await run()
    expect(listChanges(report)).toEqual(['file created Release day Thursday.md'])
    expect(report).toMatchObject({ files: { created: 1 }, records: { created: 0 }, conflicts: [] })
    const { records } = await cairn.list({ kinds: ['memory'] })
    expect(read('Release day Thursday.md')).toBe(`---
id: ${records[0]?.id}
title: "Release day: Thursday?"
tags:
  - release
  - ops team
people:
  - Ada
kind: memory
sector: ${records[0]?.sector}
occurred: 2026-05-01T10:00:00.000Z
created: 2026-06-01T12:00:00.000Z
status: active
metadata:
  title: kept apart
---
We deploy on Thursdays.

---
A rule.
`)
    expect(names()).toEqual(['Release day Thursday.md'])
    expect(await run()).toMatchObject({ changes: [], unchanged: 1 })
  })

  test('carries an edit of the file to the record, and keeps the earlier revision', async () => {
    const { run, read, write, only, cairn } = await mirrored(['We deploy on Thursdays.'])
    await run()
    const before = read('We deploy on Thursdays.md')
    write(
      'We deploy on Thursdays.md',
      before
        .replace('Thursdays.\n', 'Fridays.\n')
        .replace('kind: memory', 'tags: [release]\ntitle: Day # by Ada\nmood: good'),
    )
    expect(listChanges(await run())).toEqual(['record updated We deploy on Thursdays.md'])
    const record = await only()
    expect(record).toMatchObject({
      body: 'We deploy on Fridays.',
      title: 'Day',
      tags: ['release'],
      metadata: { mood: 'good' },
      kind: 'memory',
      revision: 2,
    })
    expect((await cairn.undo(record.id)).body).toBe('We deploy on Thursdays.')
    expect(listChanges(await run())).toEqual(['file updated We deploy on Thursdays.md'])
  })

  test('carries an edit of the record to the file, and keeps comments, spaces and the order of fields', async () => {
    const { run, read, write, only, cairn } = await mirrored([])
    write('plan.md', '---\n# mine\nzeal: 3 # high\ntags: [a, b]\n---\n\n\nThe plan.  \n\n')
    await run()
    const { id } = await only()
    await cairn.edit(id, { importance: 0.9 })
    expect(listChanges(await run())).toEqual(['file updated plan.md'])
    expect(read('plan.md')).toContain('# mine\nzeal: 3 # high\ntags: [ a, b ]\n')
    expect(read('plan.md')).toMatch(/importance: 0.9\n/)
    expect(read('plan.md')).toMatch(/---\n\n\nThe plan. {2}\n\n$/)
    await cairn.edit(id, { body: 'Another plan.' })
    await run()
    expect(read('plan.md')).toMatch(/zeal: 3 # high\n[\s\S]*---\nAnother plan.\n$/)
  })

  test('a new file becomes a record and gets its id; renamed it is the same record', async () => {
    const { folder, run, read, write, only, names } = await mirrored([])
    write('sub/Garden plan.md', 'Beans in May.\r\n\r\nPeas in June.\r\n')
    write('picture.png', 'not a note')
    const report = await run()
    expect(listChanges(report)).toEqual(['record created sub/Garden plan.md'])
    expect(report.unchanged).toBe(0)
    const { id, title, body } = await only()
    expect({ title, body }).toEqual({
      title: 'Garden plan',
      body: 'Beans in May.\r\n\r\nPeas in June.',
    })
    expect(read('sub/Garden plan.md')).toBe(
      `---\r\nid: ${id}\r\ntitle: Garden plan\r\n---\r\nBeans in May.\r\n\r\nPeas in June.\r\n`,
    )
    renameSync(join(folder, 'sub/Garden plan.md'), join(folder, 'Beans.md'))
    expect(await run()).toMatchObject({ changes: [], skipped: [] })
    expect((await only()).id).toBe(id)
    expect(names()).toEqual(['Beans.md', 'picture.png', 'sub'])
    expect(read('picture.png')).toBe('not a note')
  })

  test('a deleted file deletes its record, which can be restored; a deleted record removes its file', async () => {
    const { run, only, names, cairn, remove, write } = await mirrored(['First.', 'Second.'])
    await run()
    remove('First.md')
    expect(listChanges(await run())).toEqual(['record deleted First'])
    const kept = await only()
    expect(kept.body).toBe('Second.')
    const [gone] = (await cairn.list({ deleted: true })).records
    await cairn.restore([gone?.id ?? ''])
    expect(listChanges(await run())).toEqual(['file created First.md'])
    await cairn.delete([kept.id])
    expect(listChanges(await run())).toEqual(['file deleted Second.md'])
    expect(names()).toEqual(['First.md'])
    write('Second.md', `---\nid: ${kept.id}\nkind: memory\n---\nSecond.\n`)
    expect(listChanges(await run())).toEqual(['record restored Second.md'])
    await cairn.purge([kept.id])
    expect(listChanges(await run())).toEqual(['file deleted Second.md'])
  })

  test('both edited: the file stays, the other version is in a copy, and the next run is quiet', async () => {
    const { run, read, write, only, names, cairn } = await mirrored(['The port is 5432.'])
    await run()
    const { id } = await only()
    write('The port is 5432.md', read('The port is 5432.md').replace('5432.\n', '6000.\n'))
    await cairn.edit(id, { body: 'The port is 7000.' })
    const report = await run()
    const copy = 'The port is 5432 (conflict 2026-06-01).md'
    expect(report.conflicts).toEqual([
      { id, name: 'The port is 5432.md', copy, reason: expect.stringContaining('Both') },
    ])
    expect(report.unresolved).toEqual([copy])
    expect(read(copy)).toMatch(
      new RegExp(`^---\nkind[\\s\\S]*\nconflict: ${id}\n---\nThe port is 7000.\n$`),
    )
    expect((await only()).body).toBe('The port is 6000.')
    expect((await cairn.history(id)).revisions.map(({ body }) => body)).toContain(
      'The port is 7000.',
    )
    const next = await run()
    expect(next).toMatchObject({ changes: [], conflicts: [], unresolved: [copy] })
    expect(names()).toHaveLength(2)
  })

  test('an edit counts more than a deletion on the other side, and is reported', async () => {
    const { run, read, write, names, cairn, remove } = await mirrored(['Kept here.', 'Kept there.'])
    await run()
    const { records } = await cairn.list()
    const idOf = (body: string): string => records.find((one) => one.body === body)?.id ?? ''
    write('Kept here.md', read('Kept here.md').replace('here.\n', 'here, and edited.\n'))
    await cairn.delete([idOf('Kept here.')])
    remove('Kept there.md')
    await cairn.edit(idOf('Kept there.'), { body: 'Kept there, and edited.' })
    const report = await run()
    expect(listChanges(report).sort()).toEqual([
      'file created Kept there, and edited.md',
      'record restored Kept here.md',
    ])
    expect(report.conflicts.map(({ copy }) => copy)).toEqual([null, null])
    expect(await run()).toMatchObject({ changes: [], conflicts: [], unchanged: 2 })
    expect(names()).toHaveLength(2)
    expect((await cairn.list()).records.map(({ body }) => body).sort()).toEqual([
      'Kept here, and edited.',
      'Kept there, and edited.',
    ])
  })

  test('a superseded record loses its file; an edited file becomes a record of its own', async () => {
    const { run, read, write, names, cairn } = await mirrored([
      'Old port.',
      'New port.',
      'Old day.',
    ])
    await run()
    const { records } = await cairn.list()
    const idOf = (body: string): string => records.find((one) => one.body === body)?.id ?? ''
    await cairn.supersede(idOf('Old port.'), idOf('New port.'))
    await cairn.supersede(idOf('Old day.'), idOf('New port.'))
    write('Old day.md', read('Old day.md').replace('day.\n', 'day, with a remark.\n'))
    const report = await run()
    expect(listChanges(report).sort()).toEqual([
      'file deleted Old port.md',
      'record created Old day.md',
    ])
    expect(report.conflicts).toMatchObject([{ name: 'Old day.md' }])
    expect(names()).toEqual(['New port.md', 'Old day.md'])
    expect(await run()).toMatchObject({ changes: [], conflicts: [] })
  })

  test('a copy of the folder fills another file, with the same ids and times', async () => {
    const { folder, run, cairn } = await mirrored([
      { body: 'One.', tags: ['a'] },
      { body: 'Two.', namespace: 'shop', importance: 0.8 },
    ])
    await run()
    const other = await libraryOf([], { vectors: false })
    const report = await other.mirror(folder)
    expect(report).toMatchObject({ records: { created: 2 }, files: { created: 0, updated: 0 } })
    const pick = async (from: Cairn) =>
      (await from.list()).records.map(({ id, body, tags, namespace, importance, createdAt }) => ({
        ...{ id, body, tags, namespace, importance, createdAt },
      }))
    expect(await pick(other)).toEqual(await pick(cairn))
    // Without a state of this folder, an earlier version is no conflict.
    const moved = `${folder}-moved`
    const [first] = (await cairn.list()).records
    await cairn.edit(first?.id ?? '', { body: 'Another text.' })
    renameSync(folder, moved)
    expect(await cairn.mirror(moved)).toMatchObject({
      files: { updated: 1 },
      conflicts: [],
      unchanged: 1,
    })
  })

  test('an empty folder deletes nothing, and gets its files again', async () => {
    const { folder, run, names, cairn } = await mirrored(['First.', 'Second.'])
    await run()
    rmSync(folder, { recursive: true })
    expect(await run()).toMatchObject({ files: { created: 2 }, records: { deleted: 0 } })
    expect(names()).toEqual(['First.md', 'Second.md'])
    expect((await cairn.list()).records).toHaveLength(2)
  })

  test('a file that cannot be read is skipped with its reason, and its record stays', async () => {
    const { folder, run, read, write, cairn } = await mirrored(['First.', 'Second.', 'Third.'])
    await run()
    write('First.md', read('First.md').replace('kind: memory', 'kind: [broken'))
    write('Second.md', '')
    write('Third.md', read('Third.md').replace('kind: memory', 'kind: letter'))
    write('bytes.md', 'a\u0000b')
    write('zettel.md', '---\nid: 202406011200\n---\nWith an id of its own.\n')
    write('hidden/.gitignore', '*')
    writeFileSync(join(folder, 'huge.md'), Buffer.alloc(10_000_001, 'a'))
    symlinkSync('/etc/hostname', join(folder, 'link.md'))
    const report = await run()
    expect(Object.fromEntries(report.skipped.map(({ name, reason }) => [name, reason]))).toEqual({
      'First.md': expect.stringContaining('not valid YAML'),
      'Second.md': 'It has no text.',
      'Third.md': expect.stringContaining('kind must be one of'),
      'bytes.md': 'It is not text.',
      'zettel.md': expect.stringContaining('rename that field'),
      'huge.md': 'It is larger than 10 MB.',
      'link.md': expect.stringContaining('outside of the folder'),
    })
    expect(report.changes).toEqual([])
    expect((await cairn.list()).records).toHaveLength(3)
  })

  test('a file that a rule leaves out is not deleted', async () => {
    const { run, write, cairn } = await mirrored([])
    write('drafts/one.md', 'One.')
    await run()
    write('.gitignore', 'drafts/\n')
    expect(await run()).toMatchObject({ changes: [] })
    expect((await cairn.list()).records).toHaveLength(1)
  })

  test('a copied file is a record of its own once its text differs, and a lost id is written again', async () => {
    const { run, read, write, cairn } = await mirrored(['The text.'])
    await run()
    const text = read('The text.md')
    write('A copy.md', text)
    expect((await run()).skipped).toEqual([
      { name: 'A copy.md', reason: 'It says the same as The text.md.' },
    ])
    write('A copy.md', text.replace('text.\n', 'text, again.\n'))
    expect(listChanges(await run())).toEqual(['record created A copy.md'])
    const ids = [read('The text.md'), read('A copy.md')].map((one) => /id: (\w+)/.exec(one)?.[1])
    expect(ids[0]).not.toBe(ids[1])
    write('The text.md', 'The text without a front matter.\n')
    expect(listChanges(await run())).toEqual(['record updated The text.md'])
    expect(read('The text.md')).toContain(`id: ${ids[0]}`)
    expect((await cairn.list()).records).toHaveLength(2)
  })

  test('a dry run writes nothing on either side', async () => {
    const { folder, write, cairn } = await mirrored(['In the file.'])
    write('new.md', 'In the folder.')
    const report = await cairn.mirror(folder, { dryRun: true })
    expect(listChanges(report)).toEqual(['file created In the file.md', 'record created new.md'])
    expect(readFileSync(join(folder, 'new.md'), 'utf8')).toBe('In the folder.')
    expect(readdirSync(folder)).toEqual(['new.md'])
    expect((await cairn.list()).records).toHaveLength(1)
  })

  test('a dry run accepts a missing folder; a file is refused', async () => {
    const { folder, cairn } = await mirrored(['First.', { body: 'A turn.', session: 'chat' }])
    const report = await cairn.mirror(folder, { dryRun: true })
    expect(listChanges(report)).toEqual(['file created First.md'])
    expect(existsSync(folder)).toBe(false)
    writeFileSync(folder, '')
    await expect(cairn.mirror(folder)).rejects.toThrow('is not a folder')
    await expect(cairn.watchMirror(folder)).rejects.toThrow('is not a folder')
  })

  test('filters choose the records that get a file, and the namespace of new files', async () => {
    const { folder, cairn, names, write } = await mirrored([
      { body: 'In the shop.', namespace: 'shop', kind: 'document', tags: ['a'] },
      { body: 'Without the tag.', namespace: 'shop', kind: 'document' },
      'Elsewhere.',
    ])
    write('new.md', 'A new one.')
    await cairn.mirror(folder, { namespaces: 'shop', kinds: 'document', tags: 'a' })
    expect(names()).toEqual(['In the shop.md', 'new.md'])
    const { records } = await cairn.list({ namespaces: ['shop'], kinds: ['document'] })
    expect(records.map(({ body }) => body).sort()).toEqual([
      'A new one.',
      'In the shop.',
      'Without the tag.',
    ])
  })

  test('a pinned caller mirrors its own namespace alone', async () => {
    const { folder, cairn, run, names } = await mirrored([
      'Theirs.',
      { body: 'Mine.', namespace: 'mine' },
    ])
    const { openCairn } = await import('../index.js')
    const pinned = await openCairn({ file: cairn.file, namespace: 'mine', pinned: true })
    onTestFinished(() => pinned.close())
    await pinned.mirror(folder)
    expect(names()).toEqual(['Mine.md'])
    await run()
    expect(await pinned.mirror(folder)).toMatchObject({ records: { deleted: 0, updated: 0 } })
    expect((await cairn.list({ namespaces: ['default'] })).records[0]?.body).toBe('Theirs.')
  })

  test('watched, it follows both sides', async () => {
    const { folder, cairn, write, names } = await mirrored(['First.'])
    const watch = await cairn.watchMirror(folder, { debounceMs: 20 })
    onTestFinished(() => watch.stop())
    expect(watch.first.files.created).toBe(1)
    write('Second.md', 'Second.')
    await expect.poll(async () => (await cairn.list()).records.length, { timeout: 10_000 }).toBe(2)
    await cairn.add({ body: 'Third.' })
    await expect.poll(() => existsSync(join(folder, 'Third.md')), { timeout: 10_000 }).toBe(true)
    await watch.stop()
    await watch.done
    expect(names()).toHaveLength(3)
  })
})
