import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { libraryOf, temporaryFolder } from '../../test/support/library.js'
import { openCairn } from '../index.js'

const caller = (name: string) => ({ name, namespaces: null, role: 'admin' }) as const

test('the log names the token of every write and of everything that was taken away', async () => {
  let time = 1_780_000_000_000
  const cairn = await libraryOf([], { now: () => time++ })
  const [ada, ben] = [cairn.as(caller('ada')), cairn.as(caller('ben'))]
  const { id } = await ada.add({ body: 'We deploy on Thursdays.' })
  await Promise.all([
    ben.edit(id, { body: 'We deploy on Fridays.' }),
    cairn.add({ body: 'Nobody signed this.' }),
    ada.sessions.start({ id: 'standup' }),
  ])
  await ben.tokens.add({ name: 'cem', role: 'read' })
  await ben.tokens.revoke('cem')
  const folder = temporaryFolder()
  const lines: string[] = []
  for await (const line of ada.exportAll()) lines.push(line)
  await ada.backup(join(folder, 'backup.cairn'))
  await ada.works.export()
  await ada.copy(join(folder, 'copy.cairn'))
  // Without a name, a read writes nothing.
  const before = await cairn.log({ limit: 1 })
  for await (const _ of cairn.exportAll());
  expect(await cairn.log({ limit: 1 })).toEqual(before)
  await ben.importAll(lines)
  await ben.purge([id])

  const { entries, next } = await cairn.log()
  expect(next).toBeNull()
  const told = entries.map(({ author, action, subject }) => [author, action, subject])
  expect(told.slice(0, 8)).toEqual([
    ['ben', 'purge', id],
    ['ben', 'import', null],
    ['ada', 'copy', join(folder, 'copy.cairn')],
    ['ada', 'export', null],
    ['ada', 'backup', join(folder, 'backup.cairn')],
    ['ada', 'export', null],
    ['ben', 'token.revoke', 'cem'],
    ['ben', 'token.add', 'cem'],
  ])
  expect(told.slice(8)).toContainEqual(['ada', 'session.start', 'standup'])
  expect(told.slice(8)).toContainEqual([null, 'add', expect.any(String)])
  expect((await cairn.log({ author: 'nobody' })).entries).toEqual([])

  const copy = await openCairn({ file: join(folder, 'copy.cairn') })
  onTestFinished(() => copy.close())
  const { record, revisions } = await copy.why(id)
  expect(record).toMatchObject({ author: 'ben', body: 'We deploy on Fridays.' })
  expect(revisions).toMatchObject([{ author: 'ada', endedBy: 'edit', endedAuthor: 'ben' }])
  expect((await copy.timeline()).entries).toContainEqual(
    expect.objectContaining({ id, author: 'ben' }),
  )
})

test('a caller of one namespace sees the log of that one', async () => {
  const cairn = await libraryOf([
    { body: 'mine', namespace: 'a' },
    { body: 'theirs', namespace: 'b' },
  ])
  const mine = cairn.as({ name: 'ada', namespaces: ['a'], role: 'read' })
  await cairn.tokens.add({ name: 'ada', role: 'read', namespaces: ['a'] })
  const { entries } = await mine.log()
  expect(entries.map(({ namespace }) => namespace)).toEqual(['a'])
  await expect(mine.log({ namespace: 'b' })).rejects.toMatchObject({ code: 'outside_namespace' })
})
